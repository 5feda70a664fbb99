/** Fleet: the vehicles that may take a run of a site, as facts. */

import { Effect } from "effect"
import type { Place } from "../../model/place.ts"
import { DEPOT_DISTANCE_M } from "../../model/limits.ts"
import type { Candidate } from "./assignment.ts"
import { metresBetween } from "./geography.ts"
import { DeliveryRows, VehicleRows } from "./rows.ts"
import type { VehicleRow } from "./rows.ts"

/** Every vehicle of the fleet with its open runs and its way to the store. */
export const candidatesFor = Effect.fnUntraced(function* (fleetId: string, store: Place) {
  const rows = yield* DeliveryRows
  const vehicles = yield* VehicleRows
  const runs = yield* rows.runs(fleetId)
  const found = yield* vehicles.ofFleet(fleetId)
  return yield* Effect.forEach(found, (vehicle) =>
    Effect.map(metresToStore(vehicle, store), (metres): Candidate => ({
      vehicleId: vehicle.vehicleId,
      isOnline: vehicle.isOnline,
      runs: runs.get(vehicle.vehicleId) ?? 0,
      metres,
    })),
  )
})

/** From its last position; a sandbox's vehicle, and one that never told where it is, starts at the depot. */
export const metresToStore = Effect.fnUntraced(function* (vehicle: VehicleRow, store: Place) {
  if (vehicle.isSynthetic && vehicle.environment === "sandbox") return DEPOT_DISTANCE_M
  const vehicles = yield* VehicleRows
  const fix = yield* vehicles.lastFix({ vehicleId: vehicle.vehicleId })
  return fix === null ? DEPOT_DISTANCE_M : metresBetween(fix, store)
})
