/** The answer as sentences: which entry it was, how likely the outcome was before and after it, and what would have kept it. */

import { groupOf, idOf, kindOf, partOf } from "../../../model/address.ts"
import type { Address } from "../../../model/address.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { TurnInput } from "../../../engine/kernel/journal.ts"
import type { Share } from "../fit/rates.ts"
import { promiseWords } from "../results/promise-words.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import type { Case, Wanted } from "./case-watch.ts"
import type { Moment } from "./journal-moments.ts"
import type { Compared, Kept, NoMoment, Step, WhyLate } from "./moment.ts"

/** A step counts as the moment if it is this large and ends above a half. */
const MOMENT_MIN = 0.2
const HALF = 0.5

/** The lower end of an interval from which on it counts as lost. */
const SURE = 0.8

export interface Wording {
  /** An instant as people of the site read it, such as `18:41:08`. */
  readonly clock: (atMs: EpochMs) => string
  /** What tells an order from others, such as `…OBrs`. */
  readonly nameOf: (group: Address) => string
  /** The name of an event of a machine: `after window and grace` for a timer's. */
  readonly eventName: (type: string, machine: string | null) => string
}

/** What went wrong, as a sentence. */
export function outcomeWords(
  { of, verdict }: Pick<WhyLate, "of" | "verdict">,
  { clock, nameOf }: Wording,
): string {
  const at = clock(verdict.atMs)
  switch (of.kind) {
    case "reservation": {
      const limit = showDuration(of.limitMs)
      const name = nameOf(`reservation/${of.id}`)
      return verdict.how === "lost"
        ? `The order of reservation ${name} did not come on board: it ended at ${at}.`
        : `The order of reservation ${name} was late: at ${at} its robot had waited for ${limit}.`
    }
    case "delivery": {
      const name = nameOf(`delivery/${of.id}`)
      return verdict.how === "lost"
        ? `Delivery ${name} did not reach its door: it ended at ${at}.`
        : `Delivery ${name} was late: it was not at its door by ${at}.`
    }
    case "promise":
      return `A promise was broken: ${promiseWords(of.promise)}.`
  }
}

/** Why there is no moment, as a sentence. `asked`: the case as people named it. */
export function nothingWords(found: NoMoment, asked: string, { clock }: Wording): string {
  switch (found.is) {
    case "good":
      return `${asked} ended well, at ${clock(found.atMs)}: nothing was late.`
    case "called off":
      return `${asked} was called off, at ${clock(found.atMs)}: nothing was late.`
    case "open":
      return `${asked} had not ended when the journal ends.`
    case "left out":
      return `The model has no place for ${asked}, so nothing can be said: ${reasonsText(found.reasons)}.`
    case "unknown":
      return `The journal has no entry of ${asked}.`
  }
}

function reasonsText(reasons: Readonly<Record<string, number>>): string {
  const all = Object.entries(reasons).map(([reason, count]) => `${count} × ${reason}`)
  return all.length === 0 ? "it has no runner or vehicle for it" : all.join(", ")
}

/** When it became inevitable, as one or two sentences. */
export function headline(found: WhyLate, wording: Wording): string {
  const { curve, steps, of } = found
  const [first] = curve
  const last = curve.at(-1)
  if (first === undefined || last === undefined) return "No moment of the journal can be looked at."
  if (first.odds.interval.low > HALF) {
    const began = of.kind === "promise" ? "when the day began" : "when it was booked"
    return `It was already likely ${began}: ${percent(first.odds.value)} (${interval(first.odds)}).`
  }
  const [largest] = steps
  if (1 - last.odds.value >= Math.max(HALF, largest?.points ?? 0))
    return `It could be kept to the end: at ${wording.clock(last.moment.atMs)} it was still ${percent(last.odds.value)}, and no entry after that says why it was not.`
  if (largest !== undefined && isTheMoment(largest)) {
    const { moment } = largest.after
    const since = largest.isOne ? "" : ", or shortly before,"
    const isLost =
      largest.after.odds.interval.low > SURE && found.decisions.every(({ last: later }) => later === null)
    const sure = isLost ? "could no longer be kept" : "was more likely broken than kept"
    return `From ${wording.clock(moment.atMs)}${since} the promise ${sure}: ${causeWords(found, largest, wording).words}.`
  }
  const worse = steps.filter(({ points }) => points > 0).slice(0, GROWTH_NAMED)
  const grew = `No single moment: it grew from ${percent(first.odds.value)} to ${percent(last.odds.value)} over ${last.moment.at - first.moment.at} moments.`
  const named = worse.map((step) => {
    const { after, points } = step
    // How long was waited before its entry is known of the largest step alone.
    const words =
      step === largest ? causeWords(found, step, wording).words : momentWords(after.moment, of, wording)
    return `${wording.clock(after.moment.atMs)} ${words} (+${Math.round(points * 100)} points)`
  })
  return named.length === 0 ? grew : `${grew} Most at ${named.join("; ")}.`
}

/** What the largest step came from: its entry, or a wait when most of it came while nothing happened. `waitedMs`: null for an entry. */
export function causeWords(
  { waited, of }: WhyLate,
  { before, after, points }: Step,
  wording: Wording,
): { readonly words: string; readonly waitedMs: number | null } {
  if (waited === null || waited.odds.value - before.odds.value < points / 2)
    return { words: momentWords(after.moment, of, wording), waitedMs: null }
  const what = waited.wanted === null ? "nothing happened" : WANTED[waited.wanted]
  const waitedMs = Math.round(waited.ms / 1000) * 1000
  return { words: `${what}, for ${showDuration(waitedMs)}`, waitedMs }
}

const WANTED: Readonly<Record<Wanted, string>> = {
  compartment: "its compartment was still closed",
  door: "its vehicle was still on the way to the door",
  loading: "its order was still not on board",
  order: "its order was still not ready",
  robot: "its robot had still not come",
  runner: "no runner had taken its task",
  pickup: "its vehicle was still on the way to the store",
  store: "its runner was still on the way to the store",
  walk: "its runner was still on the way to the robot",
}

const GROWTH_NAMED = 3

/** Large enough to be named alone. */
export function isTheMoment({ points, after }: Step): boolean {
  return points >= MOMENT_MIN && after.odds.value > HALF
}

/** What would have kept it, as a sentence. */
export function bestWords({ decisions, steps }: WhyLate, { clock }: Wording): string {
  const [step] = steps
  const [best] = decisions
  if (step === undefined || best === undefined) return "No decision was tried."
  if (best.last !== null) {
    const { moment, odds, asItWas } = best.last
    const unsure = odds.interval.high > HALF ? "; from a half it cannot be told" : ""
    return `Best: ${best.decision.words}, by ${clock(moment.atMs)}: ${percent(odds.value)} (${interval(odds)}) instead of ${percent(asItWas.value)}${unsure}.`
  }
  const earlier = decisions.find(({ before }) => before.helps)
  const at = clock(step.before.moment.atMs)
  if (earlier !== undefined) {
    const { odds, asItWas } = earlier.before
    return `Best: ${earlier.decision.words}, by ${at}: ${percent(odds.value)} (${interval(odds)}) instead of ${percent(asItWas.value)}. None of the decisions that were tried keeps it after that.`
  }
  return step.before.odds.value < HALF
    ? `Until ${at} it was likely to be kept. None of the decisions that were tried keeps it after that.`
    : "None of the decisions that were tried keeps it."
}

/** One decision: before the largest step, and after it. */
export function keptWords({ decision, before, after }: Kept): string {
  return `${decision.words}: before it ${comparedWords(before)}; after it ${comparedWords(after)}`
}

function comparedWords({ odds, asItWas, helps, saved, costs }: Compared): string {
  return helps
    ? `${percent(odds.value)} (${interval(odds)}) instead of ${percent(asItWas.value)}, ${saved} saved and ${costs} lost`
    : `${percent(odds.value)} instead of ${percent(asItWas.value)}, no difference beyond chance`
}

export function percent(value: number): string {
  return `${Math.round(value * 100)} %`
}

export function interval({ interval: { low, high } }: Share): string {
  return `${Math.round(low * 100)} to ${Math.round(high * 100)} %`
}

/** What happened at a moment, as the rest of a sentence: `its runner reached the store`, `a runner took the task of …OBrs`. */
export function momentWords({ turn }: Moment, of: Case, { nameOf, eventName }: Wording): string {
  const { input } = turn
  const group = groupOf(input.to)
  const isOwn = of.kind !== "promise" && idOf(group) === of.id
  const words = WORDS[`${roleOf(input)} ${input.event?.type ?? "start"}`]
  if (words !== undefined) return isOwn ? `its ${words}` : `the ${words} (${nameOf(group)})`
  const machine = turn.result.group.actors.get(input.to)?.machine ?? null
  const name = eventName(input.event?.type ?? "@start", machine)
  const what = name.startsWith("after ") ? `the end of "${name.slice("after ".length)}"` : name
  return `${what} of ${isOwn ? "its own" : "the"} ${roleOf(input).replaceAll("-", " ")}${isOwn ? "" : ` ${nameOf(group)}`}`
}

function roleOf({ to }: TurnInput): string {
  const part = partOf(to)
  return part.startsWith("open-link") ? "open-link" : part === idOf(groupOf(to)) ? kindOf(to) : part
}

/** By the part of a group and the event. */
const WORDS: Readonly<Record<string, string>> = {
  "reservation start": "reservation was booked",
  "reservation cancel.requested": "reservation was canceled",
  "reservation window.moved": "window was moved",
  "runner-task runner.assigned": "task was given to a runner",
  "runner-task runner.at_store": "runner reached the store",
  "runner-task order.not_ready": "order was not ready when the runner came",
  "runner-task order.ready": "order was ready",
  "runner-task order.in_hand": "runner took the order",
  "runner-task runner.at_unit": "runner reached the robot",
  "runner-task open_link.failed": "compartment did not open",
  "runner-task load.recorded": "order came on board",
  "runner-task payload.measured": "order was too heavy",
  "open-link call.failed": "open link failed",
  "open-link call.succeeded": "compartment opened",
  "bot bot.inbound": "robot said when it comes",
  "bot bot.eta_changed": "robot said another time",
  "bot bot.arrived": "robot arrived",
  "bot bot.ready": "robot was ready",
  "bot bot.secured": "robot was closed",
  "bot bot.departed": "robot left",
  "bot bot.aborted": "robot gave up",
  "delivery start": "delivery was booked",
  "delivery cancel.requested": "delivery was canceled",
  "delivery store.reached": "vehicle reached the store",
  "delivery order.loaded": "order was loaded",
  "delivery vehicle.changed": "run went to another vehicle",
  "vehicle store.reached": "vehicle reached a store",
  "vehicle store.left": "vehicle left a store",
  "vehicle customer.reached": "vehicle reached a door",
  "vehicle load.reported": "vehicle was loaded",
  "vehicle unload.reported": "vehicle was unloaded",
  "vehicle run.offered": "vehicle got another run",
  "vehicle vehicle.went_offline": "vehicle went offline",
  "vehicle vehicle.went_online": "vehicle came online",
  "courier-order start": "errand was begun",
  "courier-order payment.authorized": "errand was paid",
  "courier-order cancel.requested": "errand was canceled",
}
