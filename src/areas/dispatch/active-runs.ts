/** Active runs of synthetic vehicles, as of one moment, for the code that drives them. */

import type { DeliveryStatus } from "../../model/delivery.ts"
import type { Environment } from "../../model/caller.ts"
import { PLAYED_VEHICLES_MAX } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { VehiclePhase } from "../../model/vehicle.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { FixRow } from "./rows.ts"
import { VehicleRows } from "./rows.ts"
import { Runs } from "./runs.ts"
import { runOf } from "./telemetry.ts"

export interface ActiveRun {
  readonly vehicleId: string
  readonly deliveryId: string
  readonly phase: VehiclePhase
  /** The delivery's status: a supervisor may have reported ahead of the vehicle. */
  readonly status: DeliveryStatus
  readonly store: Place
  readonly customer: Place
  readonly createdAtMs: EpochMs
  readonly readyByMs: EpochMs
  /** Since when the vehicle stands at the store, by its own report. */
  readonly atStoreSinceMs: EpochMs | null
  /** When the status last changed. */
  readonly movedAtMs: EpochMs
  /** True when the site's supervisor may be simulated too. */
  readonly hasSupervisor: boolean
  readonly lastFix: FixRow | null
}

/** The active run of every synthetic vehicle that is online and has one, by vehicle. */
export const activeRuns = Routine.fn(function* (environment: Environment) {
  const host = yield* ActorHost
  const vehicles = yield* VehicleRows
  const played = (yield* vehicles.synthetic(environment, PLAYED_VEHICLES_MAX)).filter(
    ({ isOnline }) => isOnline,
  )
  if (played.length === 0) return []
  const runs = yield* host.view(
    played.map(({ vehicleId }) => `vehicle/${vehicleId}`),
    Routine.forEach(played, ({ vehicleId }) => activeRun(vehicleId)),
  )
  return runs.filter((run) => run !== null)
})

const activeRun = Routine.fn(function* (vehicleId: string) {
  const runs = yield* Runs
  const vehicles = yield* VehicleRows
  const { group } = yield* Transaction
  const { phase, activeId, atStoreSinceMs } = runOf(yield* group(`vehicle/${vehicleId}`))
  const row = activeId === null ? null : yield* runs.byId(activeId)
  if (row === null) return null
  const { store, hasSupervisor } = yield* runs.pickup(row)
  if (store === null) return null
  const run: ActiveRun = {
    vehicleId,
    deliveryId: row.deliveryId,
    phase,
    status: row.status,
    store,
    customer: row.place,
    createdAtMs: row.createdAtMs,
    readyByMs: row.readyByMs,
    atStoreSinceMs,
    movedAtMs: row.updatedAtMs,
    hasSupervisor,
    lastFix: yield* vehicles.lastFix({ vehicleId }),
  }
  return run
})
