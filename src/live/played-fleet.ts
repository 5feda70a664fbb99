/**
 * The played fleet: synthetic vehicles of production drive the runs that they are given, and report as real ones do, through
 * the same service. Nothing is kept here: where a vehicle is next follows from its last fix, so a restart goes on where it
 * was seen last, and a second node makes up the same fix, which is a repeat.
 */

import { Cause, Clock, Effect, Fiber, Layer } from "effect"
import type { Operator } from "../model/caller.ts"
import type { ActiveRun } from "../services/direct-delivery/active-runs.ts"
import { Vehicles } from "../services/direct-delivery/vehicles.ts"
import { everyMsAt, nextMove } from "../simulation/driving.ts"

const DRIVER: Operator = { type: "operator", by: "ops", environment: "production" }

/** Plays until its scope ends; a report under way is finished first. At a speed of null nothing is played. */
export function layerPlayedFleet(speed: number | null): Layer.Layer<never, never, Vehicles> {
  if (speed === null) return Layer.empty
  return Layer.scopedDiscard(
    Effect.acquireRelease(Effect.forkDaemon(Effect.interruptible(playing(speed))), Fiber.interrupt),
  )
}

/** Goes on until it is interrupted. A database that is away for a while is said in the log, and asked again. */
function playing(speed: number): Effect.Effect<never, never, Vehicles> {
  const everyMs = everyMsAt(speed)
  const round = Effect.catchAllCause(playOnce(speed), (cause) =>
    Effect.logError("the played fleet stands still", cause),
  )
  const untilNext = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    Effect.sleep(everyMs - (nowMs % everyMs)),
  )
  return Effect.forever(Effect.zipRight(untilNext, round))
}

/** One report of every vehicle that has something to say. What is wrong with one run stops no other. */
export const playOnce = Effect.fnUntraced(function* (speed: number) {
  const vehicles = yield* Vehicles
  const clockMs = yield* Clock.currentTimeMillis
  const nowMs = clockMs - (clockMs % everyMsAt(speed))
  const runs = yield* vehicles.activeRuns(DRIVER)
  yield* Effect.forEach(runs, (run) => Effect.catchAllCause(playRun(run, { nowMs, speed }), sayOf(run)), {
    discard: true,
  })
})

function playRun(run: ActiveRun, pace: Parameters<typeof nextMove>[1]) {
  return Effect.gen(function* () {
    const vehicles = yield* Vehicles
    const move = nextMove(run, pace)
    if (move === null) return
    if (move.type === "fix") yield* vehicles.report(DRIVER, run.vehicleId, [move.fix])
    else yield* vehicles.supervise(DRIVER, run.deliveryId, { status: move.status })
  })
}

/** Refusals are not logged: a person or another node was first. */
function sayOf({ vehicleId, deliveryId }: ActiveRun) {
  return (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
    if (Cause.isInterruptedOnly(cause)) return Effect.void
    const says = Cause.isFailure(cause) && !Cause.isDie(cause) ? Effect.logDebug : Effect.logError
    return Effect.annotateLogs(says("a played vehicle could not report", cause), { vehicleId, deliveryId })
  }
}
