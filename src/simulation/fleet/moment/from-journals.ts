/** When a case of the live service became inevitable, from journals: learns a model from before the case, and asks it about the case. */

import type { MomentAnswer } from "../../../model/requests/moment-answer.ts"
import type { Place } from "../../../model/place.ts"
import { wallClockAt } from "../../../model/values/local-time.ts"
import { DAY_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { groupOf, idOf } from "../../../model/address.ts"
import type { GroupAddress } from "../../../model/address.ts"
import type { DispatchPolicy } from "../../../model/vehicle-pool.ts"
import type { Group } from "../../../engine/kernel/group.ts"
import type { EntryBody } from "../../../engine/kernel/journal.ts"
import type { Program } from "../../../engine/kernel/program.ts"
import { takeTurn } from "../../../engine/kernel/turn.ts"
import type { Observations } from "../fit/observations.ts"
import type { TermsById } from "../forecast/drawn-fleet.ts"
import { learn, runnersOf } from "../forecast/from-journals.ts"
import { readPromised } from "../forecast/promised-model.ts"
import { inputOf } from "../../replay.ts"
import type { ReplayedTurn } from "../../replay.ts"
import type { Case } from "./case-watch.ts"
import { answerOf } from "./moment-answer.ts"
import type { Wording } from "./moment-words.ts"
import { whyLate } from "./moment.ts"
import type { NoMoment } from "./moment.ts"

/** A reservation or a delivery, not a promise of a day. */
export type OneCase = Exclude<Case, { readonly kind: "promise" }>

/** What is known of a case and its site beside their journals, and the bounds of the computation. Plain data, copied between threads. */
export interface MomentOrder {
  readonly of: OneCase
  /** Of the site. */
  readonly name: string
  readonly timeZone: string
  readonly place: Place | null
  /** How vehicles are chosen. */
  readonly dispatchPolicy: DispatchPolicy
  /** The first booking of the past. */
  readonly historyFromMs: EpochMs
  /** When the case began. */
  readonly beganMs: EpochMs
  /** When it was decided. */
  readonly decidedMs: EpochMs
  readonly seed: number
  /** At most so many from each moment. */
  readonly futures: number
  /** Fewer where the 95 % interval is at most this wide, as a share. */
  readonly width: number
  readonly turnsMax: number
}

export type MomentFound =
  | { readonly type: "made"; readonly answer: MomentAnswer }
  | { readonly type: "too little history"; readonly reservations: number }

export interface CaseJournals {
  /** From before the case began. */
  readonly past: Observations
  /** Of all groups that are open while the case is, from their starts on, in the order of the journal. */
  readonly turns: readonly ReplayedTurn[]
  readonly terms: TermsById
  /** Names of events, as `Wording` has them. */
  readonly eventName: Wording["eventName"]
  /** Called after each future. */
  readonly onDone: () => void
}

/** Throws when a learned model cannot be read. */
export function momentFromJournals(
  order: MomentOrder,
  { past, turns, terms, eventName, onDone }: CaseJournals,
): MomentFound {
  const { of, name, beganMs, decidedMs, seed, futures, width, turnsMax } = order
  const learned = learn(past, { ...order, atMs: beganMs, fromMs: order.historyFromMs })
  if (typeof learned === "number") return { type: "too little history", reservations: learned }
  const { model: whole, problems } = readPromised(learned.text, name)
  if (whole === null) throw new Error(`the learned model has problems: ${JSON.stringify(problems)}`)
  // Which phones were paired then is not kept.
  const { model } = runnersOf({ pairedRunners: 0 }, learned, whole)
  const found = whyLate({
    turns,
    of,
    model: { ...model, policy: { ...model.policy, vehicle_dispatch: order.dispatchPolicy } },
    terms,
    fromMs: beganMs,
    untilMs: decidedMs + 1,
    futures,
    width,
    seed,
    turnsMax,
    onDone,
  })
  const drawnFrom = `${learned.reservations} reservations and ${learned.runs} deliveries of the site before it`
  return { type: "made", answer: answerOf(found, { ...answerOptions(order, eventName), turns, drawnFrom }) }
}

/** The answer for a case that is not late. */
export function answerWithout(
  found: NoMoment,
  order: Pick<MomentOrder, "beganMs" | "decidedMs" | "of" | "seed" | "timeZone">,
  eventName: Wording["eventName"],
): MomentAnswer {
  return answerOf(found, { ...answerOptions(order, eventName), turns: [], drawnFrom: "" })
}

function answerOptions(
  { of, beganMs, decidedMs, timeZone, seed }: Parameters<typeof answerWithout>[1],
  eventName: Wording["eventName"],
) {
  const isLong = decidedMs - beganMs >= DAY_MS
  const nameOf = (group: GroupAddress): string => `…${idOf(group).slice(-4)}`
  const clock = (atMs: EpochMs): string =>
    new Date(wallClockAt(atMs, timeZone))
      .toISOString()
      .slice(isLong ? 5 : 11, 19)
      .replace("T", " ")
  const asked = `${of.kind === "reservation" ? "Reservation" : "Delivery"} ${nameOf(`${of.kind}/${of.id}`)}`
  return { of, asked, wording: { eventName, clock, nameOf }, timeZone, seed }
}

/** An entry of a journal in its place. */
export interface PlacedText {
  readonly instantMs: EpochMs
  /** Numbers entries; causes come before their effects. */
  readonly position: number
  readonly text: string
}

/**
 * Takes entries again, in the order of time: clocks of organizations of the sandbox may differ. Throws EngineFault when the program does
 * not have a machine of theirs, and Error when a group's first entries are missing.
 */
export function turnsOf(program: Program, entries: readonly PlacedText[]): readonly ReplayedTurn[] {
  const groups = new Map<GroupAddress, Group>()
  const inOrder = entries.toSorted((a, b) => a.instantMs - b.instantMs || a.position - b.position)
  return inOrder.map(({ text }, at) => {
    const input = inputOf(JSON.parse(text) as EntryBody)
    const address = groupOf(input.to)
    const result = takeTurn(program, groups.get(address) ?? null, input)
    if (result === null) throw new Error(`an entry of ${address} cannot be taken again`)
    if (result.hasGroup) groups.set(address, result.group)
    return { run: 1, s: at + 1, input, result }
  })
}
