/**
 * What always and never holds over random lives of a reservation's group and of a webhook delivery. Each
 * law has at least one planted bug that it must catch; the bugs run under a fixed seed, the laws under a
 * new one, which fast-check prints when a law breaks. Longer than 400 lines, so that each law stands beside
 * its bugs and what lives are made of.
 */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { assign, createMachine, emit } from "xstate"
import type { AnyStateMachine } from "xstate"
import { bot as botMachine } from "../../machines/bot.ts"
import type { MachineId } from "../../machines/index.ts"
import { openLink } from "../../machines/open-link.ts"
import { reservation } from "../../machines/reservation.ts"
import { runnerTask } from "../../machines/runner-task.ts"
import { webhookDelivery } from "../../machines/webhook-delivery.ts"
import { EngineFault } from "../../src/engine/kernel/faults.ts"
import { isGroupSettled, persistGroup, reviveGroup } from "../../src/engine/kernel/group.ts"
import type { Group, PersistedGroup } from "../../src/engine/kernel/group.ts"
import { takeTurn } from "../../src/engine/kernel/turn.ts"
import type { TurnResult } from "../../src/engine/kernel/turn.ts"
import { BOT_STATUSES } from "../../src/model/bot.ts"
import type { BotStatus } from "../../src/model/bot.ts"
import { EXCEPTION_CODES } from "../../src/model/handoff.ts"
import {
  OPEN_LINK_ATTEMPTS_MAX,
  WEBHOOK_ATTEMPTS_MAX,
  WEBHOOK_BACKOFF_MS,
  WEBHOOK_LEASE_MS,
  WINDOW_GRACE_MS,
} from "../../src/model/values/limits.ts"
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { publish, send } from "../../src/model/verbs.ts"
import {
  answer,
  BOOKED_AT_MS,
  book,
  bot,
  cancel,
  contextOf,
  deliver,
  lab,
  moveWindow,
  oversleep,
  program,
  runner,
  stateOf,
  unnumbered,
  wait,
} from "./group-under-test.ts"
import type { GroupUnderTest, Lab, Step } from "./group-under-test.ts"

/** Runs per law. A life has up to a hundred moves; a law takes about a second. */
const RUNS = 300

/** A planted bug must show within this many lives. */
const RUNS_TO_CATCH = 3_000

type Result = "succeeded" | "failed" | "discarded"

/** One move of a life: a step, the next step of the happy path, or a result of some call made so far, late ones too. */
type Move =
  | { readonly move: "step"; readonly step: Step }
  | { readonly move: "next" }
  | { readonly move: "result"; readonly back: number; readonly result: Result }

const pauseMs = fc.oneof(
  fc.constantFrom(0, 1, 5 * SECOND_MS, 8 * SECOND_MS, 15 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS),
  fc.nat({ max: 40 * MINUTE_MS }),
)
const instantMs = fc.integer({ min: BOOKED_AT_MS, max: BOOKED_AT_MS + DAY_MS })
const report = fc
  .record(
    {
      status: fc.constantFrom(...BOT_STATUSES),
      etaMs: fc.option(instantMs),
      occurredAtMs: instantMs,
      isWalked: fc.boolean(),
    },
    { requiredKeys: ["status"] },
  )
  .map(({ status, ...more }) => bot(status, more))
const runnerStep = fc.oneof(
  fc
    .constantFrom("runner.assigned", "runner.at_store", "order.ready", "order.in_hand", "order.given_up")
    .map((type) => runner(type, type === "runner.assigned" ? { runnerId: "run_1" } : {})),
  fc.constantFrom("runner.at_unit", "open_link.retried").map((type) => runner(type)),
  fc.boolean().map((isWalked) => runner("runner.at_unit", { isWalked })),
  fc.option(instantMs).map((readyEstimateAtMs) => runner("order.not_ready", { readyEstimateAtMs })),
  fc.constantFrom(null, "pho_1").map((photoId) => runner("load.recorded", { photoId })),
  fc
    .record({ weightKg: fc.option(fc.integer({ min: 1, max: 20 })), dimensionsCm: fc.constant(null) })
    .map((measure) => runner("payload.measured", { measure })),
)
const exceptionStep = fc
  .tuple(fc.constantFrom("exception.raised", "exception.cleared"), fc.constantFrom(...EXCEPTION_CODES))
  .map(([type, code]) => runner(type, { code }))
const windowStep = fc
  .record({
    inMs: fc.nat({ max: DAY_MS }),
    widthMs: fc.integer({ min: 5 * MINUTE_MS, max: 120 * MINUTE_MS }),
  })
  .chain(({ inMs, widthMs }) =>
    fc
      .constantFrom(undefined, undefined, undefined, "WINDOW_TOO_FAR_OUT")
      .map((code) => moveWindow(BOOKED_AT_MS + inMs, BOOKED_AT_MS + inMs + widthMs, code)),
  )
const result = fc.constantFrom<Result>("failed", "failed", "succeeded", "discarded")

/** Ends (cancel, abort, an ending exception) are rare, so that lives grow long. */
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Move>({ move: "next" }) },
  { weight: 6, arbitrary: report.map(stepMove) },
  { weight: 6, arbitrary: runnerStep.map(stepMove) },
  { weight: 3, arbitrary: exceptionStep.map(stepMove) },
  { weight: 2, arbitrary: windowStep.map(stepMove) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("partner", "runner", "ops").map((by) => stepMove(cancel(by))),
  },
  { weight: 8, arbitrary: pauseMs.map((ms) => stepMove(wait(ms))) },
  { weight: 2, arbitrary: pauseMs.map((ms) => stepMove(oversleep(ms))) },
  {
    weight: 8,
    arbitrary: fc.record({ move: fc.constant<"result">("result"), back: fc.nat({ max: 3 }), result }),
  },
)
const life = fc.array(move, { size: "medium" })

function stepMove(step: Step): Move {
  return { move: "step", step }
}

/** Plays a life from booking on. */
function live(used: Lab, moves: readonly Move[]): GroupUnderTest {
  const under = book({ lab: used, payloadLimit: { maxWeightKg: 10, maxDimensionsCm: null } })
  for (const one of moves) {
    const step = stepOf(under, one)
    if (step !== null) under.take(step)
  }
  return under
}

/** Plays a life of one delivery. */
function liveDelivery(used: Lab, moves: readonly Move[]): GroupUnderTest {
  const under = deliver(used)
  for (const one of moves) {
    const step = stepOf(under, one)
    if (step !== null && step.do !== "command") under.take(step)
  }
  return under
}

function stepOf(under: GroupUnderTest, one: Move): Step | null {
  if (one.move === "step") return one.step
  if (one.move === "next") return nextStep(under)
  const asked = under.calls.at(-1 - one.back)
  return asked === undefined ? null : answer(asked.actor.split("/")[2] ?? "", one.result, asked.attempt)
}

function nextStep(under: GroupUnderTest): Step {
  switch (under.state("runner-task")) {
    case "open.queued":
      return runner("runner.assigned", { runnerId: "run_1" })
    case "open.assigned":
      return runner("runner.at_store")
    case "open.at_store":
    case "open.held":
      return runner("order.in_hand")
    case "open.retrieved":
      return runner("runner.at_unit")
    case "open.at_unit":
      return bot("READY_FOR_HANDOFF")
    case "open.handoff_ready":
      return runner("load.recorded", { photoId: "pho_1" })
    default:
      return bot("DEPARTED")
  }
}

/** A law holds for a life, or throws what broke it. `planted` are the bugs that it must catch. */
interface Law {
  readonly says: string
  readonly holds: (used: Lab, moves: readonly Move[]) => void
  readonly planted: { readonly [bug: string]: Lab }
}

let impurity = 0

const laws: readonly Law[] = [
  {
    says: "a reservation never leaves completed or canceled",
    holds: (used, moves) => {
      for (const { before, result: after } of live(used, moves).turns) {
        const was = before === null ? "" : stateOf(before, "")
        if (was === "completed" || was === "canceled") same("the reservation", stateOf(after.group, ""), was)
      }
    },
    planted: {
      "a completed reservation can be canceled": rewritten("reservation@1", reservation, [
        ["states", "completed", "on", "cancel.requested"],
        { target: "canceled", actions: "note who canceled" },
      ]),
    },
  },
  {
    says: "someone canceled exactly where the reservation is canceled",
    holds: (used, moves) => {
      for (const { result: after } of live(used, moves).turns) {
        const isNamed = contextOf(after.group, "")["canceledBy"] !== null
        same("canceledBy is set", isNamed, stateOf(after.group, "") === "canceled")
      }
    },
    planted: {
      // Not a plain function: that would be a side effect, which the kernel refuses to run.
      "the canceler is not recorded": planted(
        "reservation@1",
        reservation.provide({ actions: { "note who canceled": assign({}) } }),
      ),
      "a completed window counts as canceled": rewritten("reservation@1", reservation, [
        ["states", "completed", "entry"],
        [{ type: "announce the status", params: { status: "completed" } }, "note who canceled"],
      ]),
    },
  },
  {
    says: "the time of published events strictly increases",
    holds: (used, moves) => {
      let lastUs = 0
      for (const { occurredUs } of live(used, moves).emissions) {
        if (occurredUs <= lastUs) throw new Error(`${occurredUs} µs after ${lastUs} µs`)
        lastUs = occurredUs
      }
    },
    planted: {
      "a turn forgets the time of the one before": turning((after) => ({
        ...after,
        group: { ...after.group, occurredUs: 0 },
      })),
    },
  },
  {
    says: "each change of status is published exactly once, with the status before it",
    holds: (used, moves) => {
      let published: string | null = null
      for (const { result: after } of live(used, moves).turns) {
        for (const { event, extras, actors } of after.emissions) {
          if (event !== "reservation.status_changed") continue
          const now = statusOf({ address: after.group.address, actors })
          same("the status before", extras["previous_status"], published)
          if (now === published) throw new Error(`${now} was published twice`)
          published = now
        }
        same("the status published last", published, statusOf(after.group))
      }
    },
    planted: {
      "the arrival is not published": rewritten("reservation@1", reservation, [
        ["states", "open", "states", "confirmed", "on", "bot.arrived"],
        "arrived",
      ]),
      "the status before is always confirmed": planted(
        "reservation@1",
        reservation.provide({
          actions: {
            "announce the status": emit(
              publish("reservation.status_changed", { previous_status: "confirmed" }),
            ),
          },
        }),
      ),
      "a canceled reservation tells every cancel": rewritten("reservation@1", reservation, [
        ["states", "canceled", "on", "cancel.requested"],
        { actions: { type: "announce the status", params: { status: "canceled" } } },
      ]),
    },
  },
  {
    says: "the open link is called only for an open handoff, never after it opened, and a few times per attempt id",
    holds: (used, moves) => {
      const attemptByActor = new Map<string, number>()
      for (const { before, result: after } of live(used, moves).turns) {
        for (const { actor, attempt } of after.calls) {
          same("the reservation is open", stateOf(after.group, "")?.startsWith("open"), true)
          same("the task", stateOf(after.group, "runner-task"), "open.handoff_ready")
          const opened = before !== null && contextOf(before, "runner-task")["openLink"] === "opened"
          same("it had opened", opened, false)
          same("the attempt", attempt, (attemptByActor.get(actor) ?? 0) + 1)
          if (attempt > OPEN_LINK_ATTEMPTS_MAX) throw new Error(`attempt ${attempt} of ${actor}`)
          attemptByActor.set(actor, attempt)
        }
      }
    },
    planted: {
      "the end of the task drops nothing": planted(
        "runner-task@1",
        runnerTask.provide({ actions: { "drop the open link": assign({}) } }),
      ),
      "attempts are never used up": planted(
        "open-link@2",
        openLink.provide({
          guards: { "attempts are used up": () => false, "it fails the last attempt": () => false },
        }),
      ),
      "the runner may try again whenever": planted(
        "runner-task@1",
        runnerTask.provide({ guards: { "the last open link failed": () => true } }),
      ),
    },
  },
  {
    says: "after window end and grace every group is completed or canceled, and at rest",
    holds: (used, moves) => {
      const under = live(used, moves)
      const endsAtMs = under.context("")["endsAtMs"] as number
      under.take(wait(Math.max(0, endsAtMs + WINDOW_GRACE_MS - under.nowMs)))
      const state = under.state("")
      if (state !== "completed" && state !== "canceled") throw new Error(`the reservation is ${state}`)
      same("the group is settled", isGroupSettled(under.group), true)
    },
    planted: {
      "the clock of the window is ten days late": planted(
        "reservation@1",
        reservation.provide({ delays: { "window and grace": 10 * DAY_MS } }),
      ),
      "a moved window keeps its old clock": rewritten("reservation@1", reservation, [
        ["states", "open", "states", "confirmed", "on", "window.moved", 2],
        { actions: ["move the window", "tell the runner task the window"] },
      ]),
      "the parts are not told of the end": planted(
        "reservation@1",
        reservation.provide({ actions: { "tell the parts that it ended": assign({}) } }),
      ),
    },
  },
  {
    says: "the bot's status never goes back, and ABORTED comes before SECURED or not at all",
    holds: (used, moves) => {
      let was: BotStatus | null = null
      for (const { result: after } of live(used, moves).turns) {
        const now = contextOf(after.group, "bot")["status"] as BotStatus | null
        if (now !== was && !mayFollow(was, now)) throw new Error(`${now} after ${was}`)
        was = now
      }
    },
    planted: {
      "a ready bot may arrive again": rewritten("bot@1", botMachine, [
        ["states", "underway", "states", "ready", "on", "bot.arrived"],
        { target: "arrived", actions: "take the report" },
      ]),
      "a secured bot may abort": rewritten("bot@1", botMachine, [
        ["states", "underway", "states", "secured", "on", "bot.aborted"],
        { target: "aborted", actions: "take the report" },
      ]),
    },
  },
  {
    says: "a refusal leaves the group as it was, is journalled, and tells and asks nothing",
    holds: (used, moves) => {
      for (const { before, result: after } of live(used, moves).turns) {
        if (after.outcome.type !== "refused" || before === null) continue
        same("the group", JSON.stringify(unnumbered(after.group)), JSON.stringify(unnumbered(before)))
        same("the revision", after.group.revision, before.revision + 1)
        const { emissions, calls, messages, armed } = after
        same("consequences", emissions.length + calls.length + messages.length + armed.length, 0)
      }
    },
    planted: {
      "a refusal disarms the clocks": turning((after) =>
        after.outcome.type === "refused" ? { ...after, group: { ...after.group, timers: new Map() } } : after,
      ),
    },
  },
  {
    says: "the same inputs give the same entries and hashes",
    holds: (used, moves) => sameJournal(live(used, moves), live(used, moves)),
    planted: {
      "an action counts outside its context": planted(
        "runner-task@1",
        runnerTask.provide({
          actions: { "note the start": assign(() => ({ startedAtMs: (impurity += 1), flags: [] })) },
        }),
      ),
    },
  },
  {
    says: "a group stopped and restored between any two turns gives the same entries and hashes",
    holds: (used, moves) => sameJournal(live(used, moves), live(restoring(used), moves)),
    planted: {
      "an exception is set aside, and history leads back": rewritten(
        "runner-task@1",
        runnerTask,
        [["states", "open", "on", "exception.raised"], "aside"],
        [["states", "open", "states", "before"], { type: "history" }],
        [["states", "aside"], { on: { "exception.cleared": "#runner-task.open.before" } }],
      ),
    },
  },
  {
    says: "no life breaks the engine",
    holds: (used, moves) => void live(used, moves),
    planted: {
      "the wrong open link is dropped": planted(
        "runner-task@1",
        runnerTask.provide({
          actions: { "drop the open link": emit(send("./open-link-0", { type: "open_link.dropped" })) },
        }),
      ),
    },
  },
  {
    says: "no webhook leaves after the eighth attempt, nor after the delivery ended, and every delivery ends",
    holds: (used, moves) => {
      const under = liveDelivery(used, moves)
      const worstMs = WEBHOOK_BACKOFF_MS.reduce((sum, ms) => sum + ms + WEBHOOK_LEASE_MS, WEBHOOK_LEASE_MS)
      under.take(wait(worstMs))
      same("the delivery has ended", isGroupSettled(under.group), true)
      under.turns.forEach(({ before, result: after }, at) => {
        if (after.calls.length === 0) return
        const was = before === null ? "not started" : (stateOf(before, "") ?? "")
        if (!["not started", "waiting"].includes(was)) throw new Error(`turn ${at} calls, though ${was}`)
      })
      same(
        "attempts",
        under.calls.map(({ attempt }) => attempt).join(),
        under.calls.map((_, at) => at + 1).join(),
      )
      if (under.calls.length > WEBHOOK_ATTEMPTS_MAX) throw new Error(`${under.calls.length} attempts`)
    },
    planted: {
      "there are nine attempts": planted(
        "webhook-delivery@2",
        webhookDelivery.provide({
          guards: {
            "attempts are used up": ({ context }) => context.attempt > context.attemptsMax,
            "it fails the last attempt": ({ context, event }) =>
              event.attempt === context.attempt && context.attempt > context.attemptsMax,
          },
        }),
      ),
      "a failed attempt is repeated at once": rewritten("webhook-delivery@2", webhookDelivery, [
        ["states", "sending", "on", "call.failed"],
        { target: "sending", reenter: true },
      ]),
    },
  },
]

describe.each(laws.map((law) => [law.says, law] as const))("%s", (says, { holds, planted: bugs }) => {
  test("in every life", () => {
    fc.assert(
      fc.property(life, (moves) => holds(lab, moves)),
      { numRuns: RUNS },
    )
  })

  test.each(Object.keys(bugs))("and catches the planted bug: %s", (bug) => {
    const used = bugs[bug] ?? lab
    const found = fc.check(
      fc.property(life, (moves) => holds(used, moves)),
      { numRuns: RUNS_TO_CATCH, seed: 20_260_302, endOnFailure: true },
    )
    expect(found.failed).toBe(true)
    // A bug that breaks the engine would be caught by any law; it must break this one.
    expect(found.errorInstance instanceof EngineFault).toBe(says === "no life breaks the engine")
  })
})

/** A lab whose program has one machine changed. */
function planted(id: MachineId, machine: AnyStateMachine): Lab {
  return { ...lab, program: { ...program, machines: { ...program.machines, [id]: machine } } }
}

type Path = readonly (string | number)[]

/** A lab in which parts of one machine's table are other than written. */
function rewritten(
  id: MachineId,
  machine: AnyStateMachine,
  ...parts: readonly (readonly [Path, unknown])[]
): Lab {
  const config = parts.reduce<unknown>((table, [path, value]) => replaced(table, path, value), machine.config)
  return planted(id, createMachine(config as never, machine.implementations as never))
}

/** A copy of a nested literal with the value at a path replaced. */
function replaced(table: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (Array.isArray(table)) return table.map((item, at) => (at === key ? replaced(item, rest, value) : item))
  const object = table as { readonly [key: string]: unknown }
  return { ...object, [key]: replaced(object[key], rest, value) }
}

/** A lab whose turns end otherwise. */
function turning(change: (after: TurnResult) => TurnResult): Lab {
  return {
    ...lab,
    turn: (used, before, input) => {
      const after = takeTurn(used, before, input)
      return after === null ? null : change(after)
    },
  }
}

/** A lab that keeps the group as JSON text and revives it before every turn. */
function restoring(used: Lab): Lab {
  return {
    ...used,
    turn: (code, before, input) => {
      const text = before === null ? null : JSON.stringify(persistGroup(before))
      return used.turn(
        code,
        text === null ? null : reviveGroup(code, JSON.parse(text) as PersistedGroup),
        input,
      )
    },
  }
}

function sameJournal(one: GroupUnderTest, other: GroupUnderTest): void {
  same("turns", other.turns.length, one.turns.length)
  one.turns.forEach(({ result: first }, at) => {
    same(`the text of entry ${at}`, other.turns[at]?.result.entry?.text, first.entry?.text)
    same(`the hash of entry ${at}`, other.turns[at]?.result.entry?.hash, first.entry?.hash)
  })
}

function same(what: string, found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${what}: found ${String(found)}, wanted ${String(wanted)}`)
}

/** The word of the contract for a reservation's state. */
function statusOf(group: Pick<Group, "address" | "actors">): string {
  return (stateOf(group, "") ?? "").replace("open.", "")
}

function mayFollow(was: BotStatus | null, now: BotStatus | null): boolean {
  if (was === null) return true
  if (now === null || was === "ABORTED") return false
  if (now === "ABORTED") return BOT_STATUSES.indexOf(was) < BOT_STATUSES.indexOf("SECURED")
  return BOT_STATUSES.indexOf(now) > BOT_STATUSES.indexOf(was)
}
