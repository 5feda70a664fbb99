/**
 * The clock of an organization in the sandbox: it follows real time plus an offset, or stands still. It only goes forwards. Windows,
 * quotes, holds, retries and times of records follow it; leases, signatures, limits, keys and sessions stay real.
 */

import { Context, Effect } from "effect"
import type { Partner } from "../../model/caller.ts"
import { NEXT_TIMER, durationMs } from "../../model/values/clock.ts"
import type { AdvanceClockRequest } from "../../model/values/clock.ts"
import { Refused } from "../../model/values/errors.ts"
import { newUuid } from "../../model/ids.ts"
import { CLOCK_MOVE_MS_MAX, CLOCK_MOVE_TURNS_SHOWN_MAX } from "../../model/values/limits.ts"
import { DAY_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost } from "../../engine/services/host.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { inRealTime, instantOf, realNowMs } from "../../engine/services/organization-clock.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { ClockHost, lockOf } from "./moves.ts"
import type { ClockTimer } from "./moves.ts"
import { ClockRows, realClock, running, standing, stateOf } from "./rows.ts"
import type { ClockMove, ClockMoveTurn, ClockRow } from "./rows.ts"
import { notFound } from "../../engine/services/refusals.ts"

/** `behind`: it stood still for a time and runs again. */
export type ClockMode = "ahead" | "behind" | "frozen" | "real"

/** A clock as its organization reads it. */
export interface ClockView {
  readonly mode: ClockMode
  readonly nowMs: EpochMs
  /** What it is ahead of real time; negative when it is behind. */
  readonly offsetMs: number
  /** The real instant since which it stands still. */
  readonly frozenSinceMs: EpochMs | null
  readonly nextTimer: ClockTimer | null
  /** The move that is running. */
  readonly moveId: string | null
}

/** One end of a move. */
export type MoveEnd = Pick<ClockView, "mode" | "nowMs" | "offsetMs">

export interface MoveView {
  readonly move: ClockMove
  readonly before: MoveEnd
  /** Null while it runs. */
  readonly after: MoveEnd | null
  /** The first of what happened. */
  readonly turns: readonly ClockMoveTurn[]
}

/** Starts moves on this node. */
export class ClockMover extends Context.Tag("ClockMover")<
  ClockMover,
  {
    /** Begins the move, and waits for its end for a moment. */
    readonly begin: (moveId: string) => Effect.Effect<void>
  }
>() {}

export class SandboxClock extends service<SandboxClock>()("SandboxClock", () => ({
  read: (caller: Partner) => permitted(caller, read(caller)),
  freeze: (caller: Partner) => permitted(caller, freeze(caller)),
  resume: (caller: Partner) => permitted(caller, resume(caller)),
  /** The move, which may be still running. */
  advance: (caller: Partner, request: AdvanceClockRequest) => permitted(caller, advance(caller, request)),
  move: (caller: Partner, moveId: string) => permitted(caller, readMove(caller, moveId)),
  state,
})) {}

function permitted<A, E, R>(caller: Partner, effect: Effect.Effect<A, E, R>) {
  return Routine.zipRight(requirePermission(caller, "sandbox:manage"), inRealTime(effect))
}

/** The clock's state for what follows it; null: real time. */
const state = Routine.fn(function* (organizationId: string) {
  const row = yield* (yield* ClockRows).clock(organizationId)
  return row === null ? null : stateOf(row)
})

const read = Routine.fn(function* ({ organizationId }: Partner) {
  const rows = yield* ClockRows
  const host = yield* ClockHost
  const row = (yield* rows.clock(organizationId)) ?? realClock(organizationId)
  const nextTimer = yield* host.nextTimer(organizationId)
  const { standsSinceMs, moveId } = row
  const move = moveId === null ? null : yield* rows.move(moveId)
  const end = endAt(row, yield* realNowMs, move?.wasStanding ?? row.standsAtMs !== null)
  const frozenSinceMs = end.mode === "frozen" ? standsSinceMs : null
  return { ...end, frozenSinceMs, nextTimer, moveId } satisfies ClockView
})

const freeze = (caller: Partner) =>
  changed("freeze", caller, (row, realMs) =>
    row.standsAtMs === null ? standing(row, instantOf(stateOf(row), realMs), realMs) : row,
  )

/** It runs on from the instant at which it stood, so that nothing is due at once. */
const resume = (caller: Partner) =>
  changed("resume", caller, (row, realMs) =>
    row.standsAtMs === null ? row : running(row, row.standsAtMs, realMs),
  )

const changed = Routine.fn(function* (
  name: string,
  caller: Partner,
  change: (row: ClockRow, realMs: EpochMs) => ClockRow,
) {
  const host = yield* ActorHost
  yield* host.run({
    name: `${name} a clock`,
    locks: { key: lockOf(caller.organizationId) },
    body: () =>
      Routine.gen(function* () {
        const rows = yield* ClockRows
        const row = yield* restingClock(caller)
        const next = change(row, yield* realNowMs)
        if (next !== row) yield* rows.putClock(next)
      }),
  })
  return yield* read(caller)
})

const advance = Effect.fnUntraced(function* (caller: Partner, request: AdvanceClockRequest) {
  const moveId = newUuid(yield* (yield* ActorHost).nonce, "move of a clock")
  yield* beginMove(caller, {
    name: "begin the move of a clock",
    moveId,
    course: null,
    target: (fromMs) => targetOf(caller, request, fromMs),
  })
  return yield* readMove(caller, moveId)
})

export interface NewMove<R> {
  /** Of the command. */
  readonly name: string
  readonly moveId: string
  /** The name of its course, and the rows that belong to it. */
  readonly course: {
    readonly name: string
    readonly insert: (fromMs: EpochMs) => Routine<void, never, Transaction | R>
  } | null
  readonly target: (fromMs: EpochMs) => Routine<EpochMs, Refused, R>
}

/** Begins a move of the caller's clock on this node, and waits for its end for a moment. */
export const beginMove = Effect.fnUntraced(function* <R>(
  caller: Partner,
  { name, moveId, course, target }: NewMove<R>,
) {
  const { organizationId } = caller
  const host = yield* ActorHost
  const { node } = yield* ClockHost
  yield* host.run({
    name,
    locks: { key: lockOf(organizationId) },
    body: () =>
      Routine.gen(function* () {
        const rows = yield* ClockRows
        const clock = yield* restingClock(caller)
        const realMs = yield* realNowMs
        const fromMs = instantOf(stateOf(clock), realMs)
        const toMs = yield* target(fromMs)
        yield* rows.putClock({ ...standing(clock, fromMs, realMs), moveId })
        yield* rows.insertMove({
          moveId,
          organizationId,
          nodeId: node,
          status: "running",
          wasStanding: clock.standsAtMs !== null,
          beforeOffsetMs: clock.standsAtMs === null ? clock.offsetMs : fromMs - realMs,
          fromMs,
          toMs,
          atMs: fromMs,
          entries: 0,
          turns: 0,
          course: course?.name ?? null,
          startedAtMs: realMs,
          endedAtMs: null,
        })
        if (course !== null) yield* course.insert(fromMs)
        // For the audit log.
        return { moveId }
      }),
  })
  yield* (yield* ClockMover).begin(moveId)
})

/** The clock, unless a move is running. */
export const restingClock = Routine.fn(function* ({ organizationId }: Partner) {
  const rows = yield* ClockRows
  const row = (yield* rows.clock(organizationId)) ?? realClock(organizationId)
  return row.moveId === null
    ? row
    : yield* new Refused({ code: "CLOCK_IS_MOVING", detail: `move ${row.moveId}` })
})

const targetOf = Routine.fn(function* (
  { organizationId }: Partner,
  { by, to }: AdvanceClockRequest,
  fromMs: EpochMs,
) {
  if (by !== undefined) return fromMs + (durationMs(by) ?? 0)
  if (to === NEXT_TIMER) {
    const timer = yield* (yield* ClockHost).nextTimer(organizationId)
    if (timer === null)
      return yield* new Refused({ code: "INVALID_STATE", detail: "no timer of the organization is armed" })
    return yield* inReach(Math.max(timer.atMs, fromMs), fromMs)
  }
  return yield* inReach(to ?? fromMs, fromMs)
})

function inReach(toMs: EpochMs, fromMs: EpochMs): Routine<EpochMs, Refused> {
  const problem = (message: string) =>
    Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems: [{ field: "to", message }] }))
  if (toMs < fromMs) return problem(`must not be before the clock's ${new Date(fromMs).toISOString()}`)
  if (toMs - fromMs > CLOCK_MOVE_MS_MAX)
    return problem(`must be at most ${CLOCK_MOVE_MS_MAX / DAY_MS} days after the clock's now`)
  return Routine.succeed(toMs)
}

export const readMove = Routine.fn(function* ({ organizationId }: Partner, moveId: string) {
  const rows = yield* ClockRows
  const move = yield* rows.move(moveId)
  if (move?.organizationId !== organizationId) return yield* notFound("move", moveId)
  const { beforeOffsetMs, endedAtMs, fromMs, atMs, wasStanding } = move
  const turns = yield* rows.turns(moveId, CLOCK_MOVE_TURNS_SHOWN_MAX)
  const before = { mode: modeOf(wasStanding, beforeOffsetMs), nowMs: fromMs, offsetMs: beforeOffsetMs }
  if (endedAtMs === null) return { move, before, after: null, turns } satisfies MoveView
  const reachedMs = atMs - endedAtMs
  const offsetMs = wasStanding ? reachedMs : Math.max(reachedMs, beforeOffsetMs)
  const after = { mode: modeOf(wasStanding, offsetMs), nowMs: endedAtMs + offsetMs, offsetMs }
  return { move, before, after, turns } satisfies MoveView
})

function endAt(row: ClockRow, realMs: EpochMs, isStanding: boolean): MoveEnd {
  const nowMs = instantOf(stateOf(row), realMs)
  const offsetMs = nowMs - realMs
  return { mode: modeOf(isStanding, offsetMs), nowMs, offsetMs }
}

function modeOf(isStanding: boolean, offsetMs: number): ClockMode {
  if (isStanding) return "frozen"
  if (offsetMs === 0) return "real"
  return offsetMs > 0 ? "ahead" : "behind"
}
