/**
 * A move of an organization's clock: due entries in the order of their due times, each at its own instant. Calls leave for real, and the
 * clock goes on only when their results are in or timed out, so that retries meet the answers that they would have met. The state of a
 * move is in its rows, so another node continues it when its node stops.
 */

import { Context, Effect } from "effect"
import type { GroupAddress } from "../../model/address.ts"
import { CLOCK_MOVE_ENTRIES_MAX, CLOCK_MOVE_QUEUE_MS_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"
import { ClockRows, realClock, running, standing } from "./rows.ts"
import type { ClockMove } from "./rows.ts"

/** The entries of an organization at one instant of its clock. */
export interface ClockEntries {
  readonly due: readonly GroupAddress[]
  /** True while results of calls are outstanding. */
  readonly waits: boolean
  /** When the next entry is due; null for never. */
  readonly nextMs: EpochMs | null
}

/** A timer on an organization's clock. */
export interface ClockTimer {
  readonly atMs: EpochMs
  readonly group: GroupAddress
  readonly name: string
}

/** A host whose groups live on clocks of organizations. */
export class ClockHost extends Context.Tag("ClockHost")<
  ClockHost,
  {
    /** The id of this node. */
    readonly node: string
    readonly entries: (
      organizationId: string,
      at: { readonly atMs: EpochMs; readonly countsQueued: boolean },
    ) => Effect.Effect<ClockEntries>
    /** Takes what is due in these groups; returns how many entries that were. */
    readonly take: (groups: readonly GroupAddress[]) => Effect.Effect<number>
    readonly nextTimer: (organizationId: string) => Routine<ClockTimer | null>
    /** A short real pause. */
    readonly pause: Effect.Effect<void>
  }
>() {}

/** What a course does at an instant at which nothing is due. */
export type CourseTurn =
  | { readonly type: "over" }
  /** It has done something, after which more may be due. */
  | { readonly type: "played" }
  /** Its next step is at this later instant, or at the next entry before it. */
  | { readonly type: "waits"; readonly untilMs: EpochMs }

/** Plays the courses of moves that have one; the area of courses implements it. */
export class CoursePlayer extends Context.Tag("CoursePlayer")<
  CoursePlayer,
  {
    readonly play: (move: ClockMove) => Effect.Effect<CourseTurn>
    /** Ends the course of a move that is about to stop. */
    readonly stop: (move: ClockMove) => Effect.Effect<void>
  }
>() {}

/** Commands on one clock run one at a time. */
export function lockOf(organizationId: string): string {
  return `clock/${organizationId}`
}

interface Progress {
  readonly entries: number
  /** Since when the move waits at its instant, in real time; null while it does not. */
  readonly waitsSinceMs: EpochMs | null
}

/** Runs a move of this node to its end. Ends early when another node has taken it over. */
export const runMove = Effect.fnUntraced(function* (moveId: string) {
  const rows = yield* ClockRows
  const { node } = yield* ClockHost
  let progress: Progress | null = null
  for (;;) {
    const move: ClockMove | null = yield* rows.move(moveId)
    if (move === null || move.status !== "running" || move.nodeId !== node) return
    progress = yield* step(move, progress ?? { entries: move.entries, waitsSinceMs: null })
  }
})

const step = Effect.fnUntraced(function* (move: ClockMove, { entries, waitsSinceMs }: Progress) {
  const host = yield* ClockHost
  const realMs = yield* realNowMs
  const countsQueued = waitsSinceMs === null || realMs - waitsSinceMs < CLOCK_MOVE_QUEUE_MS_MAX
  const { due, waits, nextMs } = yield* host.entries(move.organizationId, { atMs: move.atMs, countsQueued })
  if (due.length > 0 && entries < CLOCK_MOVE_ENTRIES_MAX) {
    const taken = yield* host.take(due)
    // Another transaction holds the groups.
    if (taken === 0) yield* host.pause
    return { entries: entries + taken, waitsSinceMs: null }
  }
  if (waits) {
    yield* host.pause
    return { entries, waitsSinceMs: waitsSinceMs ?? realMs }
  }
  const resting = { entries, waitsSinceMs: null }
  if (due.length > 0) {
    if (move.course !== null) yield* (yield* CoursePlayer).stop(move)
    yield* end(move, { entries, status: "stopped", atMs: move.atMs })
    return resting
  }
  const isDueBy = (untilMs: EpochMs): boolean => nextMs !== null && nextMs <= untilMs
  if (move.course === null) {
    if (nextMs !== null && isDueBy(move.toMs)) yield* goOn(move, entries, nextMs)
    else yield* end(move, { entries, status: "finished", atMs: move.toMs })
    return resting
  }
  const turn = yield* (yield* CoursePlayer).play(move)
  if (turn.type === "waits")
    yield* goOn(move, entries, nextMs !== null && isDueBy(turn.untilMs) ? nextMs : turn.untilMs)
  if (turn.type === "over") yield* end(move, { entries, status: "finished", atMs: move.atMs })
  return resting
})

/** Sets the clock to the next instant. */
const goOn = Routine.fn(function* (move: ClockMove, entries: number, atMs: EpochMs) {
  const rows = yield* ClockRows
  const { moveId, organizationId } = move
  yield* changing("move a clock", move, (realMs) =>
    Routine.gen(function* () {
      const clock = (yield* rows.clock(organizationId)) ?? realClock(organizationId)
      yield* rows.putClock(standing(clock, atMs, realMs))
      yield* rows.changeMove(moveId, { atMs, entries, toMs: Math.max(atMs, move.toMs) })
    }),
  )
})

interface Ending extends Pick<ClockMove, "atMs" | "entries" | "status"> {}

/** A clock that ran goes on from there; one that stood still stands there. It never loses what real time has gained. */
const end = Routine.fn(function* (move: ClockMove, { atMs, entries, status }: Ending) {
  const rows = yield* ClockRows
  const { moveId, organizationId, wasStanding, beforeOffsetMs } = move
  yield* changing("end the move of a clock", move, (realMs) =>
    Routine.gen(function* () {
      const clock = (yield* rows.clock(organizationId)) ?? realClock(organizationId)
      const ended = wasStanding
        ? standing(clock, atMs, realMs)
        : running(clock, Math.max(atMs, realMs + beforeOffsetMs), realMs)
      yield* rows.putClock({ ...ended, moveId: null })
      yield* rows.changeMove(moveId, { atMs, entries, status, endedAtMs: realMs })
    }),
  )
})

/** Changes a running move, unless another node has taken it over. */
const changing = Routine.fn(function* <A, R>(
  name: string,
  { moveId, nodeId, organizationId }: ClockMove,
  body: (realMs: EpochMs) => Routine<A, never, R>,
) {
  const host = yield* ActorHost
  const rows = yield* ClockRows
  yield* host.run({
    name,
    locks: { key: lockOf(organizationId) },
    body: () =>
      Routine.gen(function* () {
        const current = yield* rows.move(moveId)
        if (current?.status !== "running" || current.nodeId !== nodeId) return
        yield* body(yield* realNowMs)
      }),
  })
})

/** Takes over the moves of nodes that have stopped; returns their ids. */
export const takeOver = Routine.fn(function* (isGone: (node: string) => boolean) {
  const rows = yield* ClockRows
  const host = yield* ActorHost
  const { node } = yield* ClockHost
  const left = (yield* rows.runningMoves).filter(({ nodeId }) => isGone(nodeId))
  return yield* Routine.forEach(left, (move) =>
    Routine.as(
      host.run({
        name: "take over the move of a clock",
        locks: { key: lockOf(move.organizationId) },
        body: () =>
          Routine.gen(function* () {
            const current = yield* rows.move(move.moveId)
            if (current?.status !== "running" || current.nodeId !== move.nodeId) return
            yield* rows.changeMove(move.moveId, { nodeId: node })
          }),
      }),
      move.moveId,
    ),
  )
})
