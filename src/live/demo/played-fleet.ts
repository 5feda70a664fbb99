/**
 * The simulated fleet: synthetic vehicles of production drive their runs and report through the same service as real
 * vehicles. It keeps no state: a vehicle's next position is computed from its last fix, so a restarted process
 * continues from there, and a second node computes the same fix, which counts as a repeat.
 */

import { Cause, Clock, Effect, Fiber, Layer } from "effect"
import type { Operator } from "../../model/caller.ts"
import type { ActiveRun } from "../../areas/dispatch/active-runs.ts"
import { DeliveryOperations } from "../../areas/direct-delivery/delivery-operations.ts"
import { Vehicles } from "../../areas/dispatch/vehicles.ts"
import { everyMsAt, nextMove } from "../../areas/dispatch/driving.ts"
import { repeatedFailures } from "../../engine/services/repeated-failures.ts"

const DRIVER: Operator = { type: "operator", by: "ops", environment: "production" }

/** Runs until its scope ends; a report in flight is finished first. With a speed of null no vehicle drives. */
export function layerPlayedFleet(
  speed: number | null,
): Layer.Layer<never, never, DeliveryOperations | Vehicles> {
  if (speed === null) return Layer.empty
  return Layer.scopedDiscard(
    Effect.acquireRelease(Effect.forkDaemon(Effect.interruptible(playing(speed))), Fiber.interrupt),
  )
}

/** Runs until it is interrupted. A database outage is logged, and the next round tries again. */
function playing(speed: number): Effect.Effect<never, never, DeliveryOperations | Vehicles> {
  const everyMs = everyMsAt(speed)
  const inRounds = repeatedFailures("the simulated fleet")
  const round = inRounds(playOnce(speed), undefined)
  const untilNext = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    Effect.sleep(everyMs - (nowMs % everyMs)),
  )
  return Effect.forever(Effect.zipRight(untilNext, round))
}

/** One report of every vehicle that has a new position or status. A failure of one run does not stop the others. */
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
    else yield* (yield* DeliveryOperations).supervise(DRIVER, run.deliveryId, { status: move.status })
  })
}

/** Refusals are not logged: a person or another node reported first. */
function sayOf({ vehicleId, deliveryId }: ActiveRun) {
  return (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
    if (Cause.isInterruptedOnly(cause)) return Effect.void
    const says = Cause.isFailure(cause) && !Cause.isDie(cause) ? Effect.logDebug : Effect.logError
    return Effect.annotateLogs(says("a played vehicle could not report", cause), { vehicleId, deliveryId })
  }
}
