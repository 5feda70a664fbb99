/** Moves of organizations' clocks on this node: it begins them, and takes over those of nodes that have stopped. */

import { Effect, Fiber, FiberSet, Layer, Schedule } from "effect"
import { ClockHost, runMove, takeOver } from "../../areas/clock/moves.ts"
import type { CoursePlayer } from "../../areas/clock/moves.ts"
import type { ClockRows } from "../../areas/clock/rows.ts"
import { ClockMover } from "../../areas/clock/sandbox-clock.ts"
import { CLOCK_MOVE_WAIT_MS_MAX } from "../../model/values/limits.ts"
import type { ActorHost } from "../../engine/services/host.ts"
import { inRealTime } from "../../engine/services/organization-clock.ts"
import { Database } from "../../engine/store/database.ts"
import { NodeRows } from "../../engine/store/node-rows.ts"
import { CLOCK_MOVE_PAUSE_MS, NODE_BEAT_MS } from "../configuration/bounds.ts"
import type { LiveHost } from "./live-host.ts"
import { repeatedFailures } from "../../engine/services/repeated-failures.ts"

export function layerClockHost<R>(
  running: Effect.Effect<LiveHost, never, R>,
): Layer.Layer<ClockHost, never, R> {
  return Layer.effect(
    ClockHost,
    Effect.map(running, (host) => ({
      node: host.node,
      entries: (organizationId, at) => host.entriesOf(organizationId, at),
      take: (groups) => host.takeEntries(groups),
      nextTimer: (organizationId) => host.nextTimer(organizationId),
      pause: hostPause(CLOCK_MOVE_PAUSE_MS),
    })),
  )
}

type Needs = ActorHost | ClockHost | ClockRows | CoursePlayer | Database

/** Without `wakesUp` the process moves no clocks: it leaves them to the node that it belongs to. */
export function layerClockMover(wakesUp: boolean): Layer.Layer<ClockMover, never, Needs> {
  return Layer.scoped(
    ClockMover,
    Effect.gen(function* () {
      const context = yield* Effect.context<Needs>()
      const fibers = yield* FiberSet.make<void>()
      const move = (moveId: string): Effect.Effect<void> =>
        repeatedFailures(`the move ${moveId} of a clock`)(Effect.as(runMove(moveId), "ended"), "failed").pipe(
          Effect.repeat({ schedule: Schedule.spaced(NODE_BEAT_MS), until: (result) => result === "ended" }),
          Effect.provide(context),
          inRealTime,
          Effect.interruptible,
        )
      const begin = (moveId: string): Effect.Effect<Fiber.RuntimeFiber<void>> =>
        FiberSet.run(fibers, move(moveId))
      const left = Effect.gen(function* () {
        const running = new Set((yield* new NodeRows(yield* Database).all).map(({ nodeId }) => nodeId))
        const taken = yield* takeOver((node) => !running.has(node))
        yield* Effect.forEach(taken, begin, { discard: true })
      })
      const inRounds = repeatedFailures("the look for moves of clocks")
      const looking = inRounds(left, undefined).pipe(
        Effect.zipRight(Effect.sleep(NODE_BEAT_MS)),
        Effect.forever,
        Effect.provide(context),
      )
      if (wakesUp)
        yield* Effect.acquireRelease(Effect.forkDaemon(Effect.interruptible(looking)), Fiber.interrupt)
      return {
        begin: (moveId) =>
          Effect.flatMap(begin(moveId), (fiber) =>
            Effect.raceFirst(Effect.exit(Fiber.join(fiber)), hostPause(CLOCK_MOVE_WAIT_MS_MAX)),
          ),
      }
    }),
  )
}

/** A pause on the process's own timer: tests move the clock of the service. */
function hostPause(ms: number): Effect.Effect<void> {
  return Effect.async((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })
}
