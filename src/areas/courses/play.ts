/**
 * Plays a course within a move of the clock, one step at a time. What is known of a run is in its rows, and the row of a step is written
 * with the step's command: a node that takes over continues after the last step that was done, and does none twice.
 */

import { Effect, Either, Layer } from "effect"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { CoursePlayer, lockOf } from "../clock/moves.ts"
import type { CourseTurn } from "../clock/moves.ts"
import { ClockRows, stateOf } from "../clock/rows.ts"
import type { ClockMove } from "../clock/rows.ts"
import type { DirectDelivery } from "../direct-delivery/direct-delivery.ts"
import type { DeliveryRows, DeliverySites } from "../direct-delivery/rows.ts"
import type { VehicleRows } from "../dispatch/rows.ts"
import type { Runs } from "../dispatch/runs.ts"
import type { Vehicles } from "../dispatch/vehicles.ts"
import type { SmsConsent } from "../messages/consent.ts"
import type { InboundSms } from "../messages/inbound-sms.ts"
import type { Reservations } from "../reservations/reservations.ts"
import type { ReservationRows } from "../reservations/rows.ts"
import type { RunnerTasks } from "../reservations/runner-tasks.ts"
import type { SandboxWalk } from "../reservations/sandbox-walk.ts"
import { WebhookStore } from "../webhooks/store.ts"
import { withNote } from "../../engine/services/command-notes.ts"
import type { GroupJournals } from "../../engine/services/group-journals.ts"
import { ActorHost } from "../../engine/services/host.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { inTimeOf, realNowMs } from "../../engine/services/organization-clock.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import { command } from "./commands.ts"
import type { CourseCommand } from "./commands.ts"
import type { CourseMoment, CourseStep } from "./course.ts"
import { endMade } from "./made-subjects.ts"
import { CourseRows } from "./rows.ts"
import type { CourseRun, StepOutcome } from "./rows.ts"
import { isDone, isLastOf, isSo, subjectOf } from "./subject.ts"
import type { TrackingLinks } from "../direct-delivery/tracking-links.ts"

type Needs =
  | ActorHost
  | ClockRows
  | CourseRows
  | DeliveryRows
  | DeliverySites
  | DirectDelivery
  | GroupJournals
  | InboundSms
  | ReservationRows
  | Reservations
  | RunnerTasks
  | Runs
  | SandboxWalk
  | SmsConsent
  | TrackingLinks
  | VehicleRows
  | Vehicles
  | WebhookStore

export const layerCoursePlayer: Layer.Layer<CoursePlayer, never, Needs> = Layer.effect(
  CoursePlayer,
  Effect.map(Effect.context<Needs>(), (context): CoursePlayer["Type"] => ({
    play: (move) => provided(play(move), context),
    stop: (move) => provided(stop(move), context),
  })),
)

const OVER: CourseTurn = { type: "over" }
const PLAYED: CourseTurn = { type: "played" }

const play = Effect.fnUntraced(function* (move: ClockMove) {
  const run = yield* (yield* CourseRows).run(move.moveId)
  if (run?.status !== "running") return OVER
  const step = run.course.steps[run.step]
  if (step === undefined) {
    yield* close(move, run, "finished")
    return OVER
  }
  if (run.refusal !== null && !restores(step)) return yield* past(move, run, { outcome: "not_run" })
  return yield* playStep(move, run, step)
})

/** What must happen even after a refusal. Answers for receivers end with the run. */
function restores({ act }: CourseStep): boolean {
  return act.do === "vehicle.go_online"
}

/** A fault of a step ends the course like a refusal: tried again for ever, it would hold the organization's clock. */
const playStep = (move: ClockMove, run: CourseRun, step: CourseStep) =>
  Effect.catchAllDefect(tryStep(move, run, step), (fault) =>
    Effect.gen(function* () {
      yield* Effect.logError(`step ${run.step} of ${run.course.name} failed`, fault)
      const isNoted = (yield* (yield* CourseRows).run(run.moveId))?.number !== run.number
      return isNoted ? PLAYED : yield* past(move, run, refusal({ code: "INTERNAL_ERROR" }))
    }),
  )

const tryStep = Routine.fn(function* (move: ClockMove, run: CourseRun, step: CourseStep) {
  const { organizationId, subjectId: id, course } = run
  const { act } = step
  const subject = yield* Routine.either(subjectOf({ organizationId, kind: course.kind, id }))
  if (Either.isLeft(subject)) return yield* past(move, run, refusal(subject.left))
  if (isDone(act, subject.right)) return yield* past(move, run, { outcome: "skipped" })
  const dueMs = instantOf(run, step.at === null ? [] : [step.at])
  if (dueMs > move.atMs) return { type: "waits", untilMs: dueMs } satisfies CourseTurn
  const begun = step.at === null ? [] : [step.at]
  switch (act.do) {
    case "wait":
      return yield* waitFor(move, run, [...begun, act.until])
    case "expect": {
      if (yield* isSo(act.fact, subject.right, move.fromMs))
        return yield* past(move, run, { outcome: "as_expected" })
      const byMs = act.by === null ? move.atMs : instantOf(run, [...begun, act.by])
      if (byMs > move.atMs) return { type: "waits", untilMs: byMs } satisfies CourseTurn
      return yield* past(move, run, { outcome: "not_as_expected" })
    }
    case "webhook.answers":
      return yield* past(move, run, {
        outcome: "done",
        also: Routine.flatMap(WebhookStore, ({ setAnswer }) => setAnswer(id, act.status)),
      })
    default:
      return yield* playCommand(move, run, act)
  }
})

const waitFor = Routine.fn(function* (move: ClockMove, run: CourseRun, moments: readonly CourseMoment[]) {
  const untilMs = instantOf(run, moments)
  if (untilMs > move.atMs) return { type: "waits", untilMs } satisfies CourseTurn
  return yield* past(move, run, { outcome: "done" })
})

/** The organization's instant of the last moment; each counts from the one before, the first from the end of the step before. */
function instantOf({ baseMs, scenarioMs }: CourseRun, moments: readonly CourseMoment[]): EpochMs {
  let atMs = baseMs
  for (const moment of moments)
    atMs =
      "afterMs" in moment
        ? atMs + moment.afterMs
        : Math.max(atMs, baseMs + Math.max(0, moment.clockMs - scenarioMs))
  return atMs
}

const playCommand = Routine.fn(function* (move: ClockMove, run: CourseRun, act: CourseCommand) {
  const { moveId, organizationId, subjectId: id, course, number } = run
  const rows = yield* CourseRows
  const clock = yield* (yield* ClockRows).clock(organizationId)
  const ref = { organizationId, kind: course.kind, id }
  const noted = withNote(command(act, { ref, key: `${moveId}-${number}` }), {
    command: null,
    write: (result) => Routine.provideService(note(move, run, endOf(act, result)), CourseRows, rows),
  })
  const tried = yield* Routine.either(inTimeOf(clock === null ? null : stateOf(clock), noted))
  // A refusal before the transaction has no note.
  const isNoted = (yield* rows.run(moveId))?.number !== number
  if (Either.isLeft(tried) && !isNoted) return yield* past(move, run, refusal(tried.left))
  return PLAYED
})

/** What a step came to. */
interface StepEnd {
  readonly outcome: StepOutcome
  readonly code?: string
  /** False when the step has more commands. */
  readonly isLast?: boolean
}

function refusal({ code }: { readonly code: string }): StepEnd {
  return { outcome: "refused", code }
}

/** From the result of the command's transaction. */
function endOf(act: CourseCommand, result: unknown): StepEnd {
  const {
    type,
    code,
    record,
    unavailable_reason: reason,
  } = (result ?? {}) as {
    readonly type?: string
    readonly code?: string
    readonly record?: { readonly status?: DeliveryStatus }
    readonly unavailable_reason?: string | null
  }
  if (type === "refused" && code !== undefined) return refusal({ code })
  if (act.do === "delivery.quote") return { outcome: "done", code: reason ?? "AVAILABLE" }
  return { outcome: "done", isLast: isLastOf(act, record?.status ?? null) }
}

interface PastEnd extends StepEnd {
  readonly also?: Routine<void, never, Transaction | WebhookStore>
}

/** Goes past a step that has no command of its own. */
const past = Routine.fn(function* (move: ClockMove, run: CourseRun, { also, ...end }: PastEnd) {
  yield* (yield* ActorHost).run({
    name: "take a step of a course",
    locks: { key: lockOf(run.organizationId) },
    body: () =>
      Routine.gen(function* () {
        if (!(yield* isOurs(move))) return
        if (also !== undefined) yield* also
        yield* note(move, run, end)
      }),
  })
  return PLAYED
})

/** False when the move has ended, and when another node has taken it over. */
const isOurs = Routine.fn(function* ({ moveId, nodeId }: ClockMove) {
  const current = yield* (yield* ClockRows).move(moveId)
  return current?.status === "running" && current.nodeId === nodeId
})

/** The step's row. A second one with the same number fails the transaction, so a step that two nodes play happens once. */
const note = Routine.fn(function* (move: ClockMove, run: CourseRun, end: StepEnd) {
  const { outcome, code = null, isLast = true } = end
  const { moveId, step, number } = run
  const rows = yield* CourseRows
  const takenAtMs = yield* realNowMs
  yield* rows.insertStep({ moveId, number, step, atMs: move.atMs, outcome, code, takenAtMs })
  yield* rows.changeRun(moveId, {
    number: number + 1,
    ...(isLast ? { step: step + 1, ...timesAfter(move, run, outcome) } : {}),
    ...(outcome === "refused" && run.refusal === null ? { refusal: code } : {}),
  })
})

/** A step that is skipped takes none of the scenario's time. */
function timesAfter(
  { atMs }: ClockMove,
  { baseMs, scenarioMs, course, step }: CourseRun,
  outcome: StepOutcome,
) {
  const at = course.steps[step]?.at ?? null
  const passedMs = scenarioMs + (atMs - baseMs)
  const isSkipped = outcome === "skipped" || outcome === "not_run"
  const planned = at !== null && "clockMs" in at ? Math.max(scenarioMs, at.clockMs) : scenarioMs
  return { baseMs: atMs, scenarioMs: isSkipped ? planned : Math.max(planned, passedMs) }
}

const stop = Effect.fnUntraced(function* (move: ClockMove) {
  const rows = yield* CourseRows
  for (;;) {
    const run = yield* rows.run(move.moveId)
    if (run?.status !== "running" || !(yield* isOurs(move))) return
    const step = run.course.steps[run.step]
    if (step === undefined) return yield* close(move, run, "stopped")
    if (restores(step)) yield* playStep(move, run, { ...step, at: null })
    else yield* past(move, run, { outcome: "not_run" })
  }
})

/** What a run that has come to its end ends as. */
const endingOf = Routine.fn(function* ({ moveId, refusal: code }: CourseRun) {
  if (code !== null) return { status: "failed" } as const
  const steps = yield* (yield* CourseRows).steps(moveId)
  const isAsExpected = steps.every(({ outcome }) => outcome !== "not_as_expected")
  return isAsExpected
    ? ({ status: "finished" } as const)
    : ({ status: "failed", refusal: "EXPECTATION_NOT_MET" } as const)
})

/** From here on the organization's receivers answer for themselves. */
const close = Routine.fn(function* (move: ClockMove, run: CourseRun, status: "finished" | "stopped") {
  const { moveId, organizationId, subjectId: id, course, isMade } = run
  const ending = status === "stopped" ? { status } : yield* endingOf(run)
  const change = (body: Routine<void, never, CourseRows | Transaction | WebhookStore>) =>
    Routine.flatMap(ActorHost, (host) =>
      host.run({
        name: "end a course",
        locks: { key: lockOf(organizationId) },
        body: () =>
          Routine.gen(function* () {
            if (!(yield* isOurs(move))) return
            yield* (yield* WebhookStore).setAnswer(id, null)
            yield* body
          }),
      }),
    )
  if (isMade) {
    yield* change(Routine.void)
    yield* endMade({ ref: { organizationId, kind: course.kind, id }, key: moveId })
  }
  yield* change(Routine.flatMap(CourseRows, ({ changeRun }) => changeRun(moveId, ending)))
})
