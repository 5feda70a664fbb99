/** Active runs of synthetic vehicles, as of one moment, for the code that drives them. */

import { rankOf } from "../../model/delivery.ts"
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
import { goOnOneTrip } from "./queue.ts"
import { Runs } from "./runs.ts"
import type { Run } from "./runs.ts"
import { isCarrying, runOf } from "./telemetry.ts"

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
  /** The next order, if it goes on the same trip. Known from the load of the active one on. */
  readonly second: SecondOrder | null
}

/** The second order of a trip, which is loaded after the first. */
export type SecondOrder = Pick<Run, "createdAtMs" | "deliveryId" | "readyByMs" | "status">

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
  const { phase, activeId, queuedIds, atStoreSinceMs } = runOf(yield* group(`vehicle/${vehicleId}`))
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
    second: yield* secondOf(row, { phase, nextId: queuedIds[0] }),
  }
  return run
})

/** The second order of a vehicle's trip, or null. */
export const secondOrder = Routine.fn(function* (vehicleId: string) {
  const host = yield* ActorHost
  const address = `vehicle/${vehicleId}`
  const found = Routine.gen(function* () {
    const runs = yield* Runs
    const { group } = yield* Transaction
    const { phase, activeId, queuedIds } = runOf(yield* group(address))
    const first = activeId === null ? null : yield* runs.byId(activeId)
    return first === null ? null : yield* secondOf(first, { phase, nextId: queuedIds[0] })
  })
  return yield* host.view([address], found)
})

/** The next order of a vehicle goes on the same trip if it is on board already, or is to be loaded before the vehicle leaves. */
const secondOf = Routine.fn(function* (
  first: Run,
  { phase, nextId }: { readonly phase: VehiclePhase; readonly nextId: string | undefined },
) {
  if (nextId === undefined || !isCarrying(phase)) return null
  const runs = yield* Runs
  const next = yield* runs.byId(nextId)
  if (next === null) return null
  const isOnBoard = rankOf(next.status) >= rankOf("LOADED")
  if (!isOnBoard && (phase !== "loaded" || !(yield* goOnOneTrip(first, next)))) return null
  const { deliveryId, createdAtMs, readyByMs, status } = next
  return { deliveryId, createdAtMs, readyByMs, status } satisfies SecondOrder
})
