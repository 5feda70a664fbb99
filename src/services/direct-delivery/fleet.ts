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
  const moving = found.filter((vehicle) => !startsAtDepot(vehicle))
  const fixes = yield* vehicles.lastFixes(moving.map(({ vehicleId }) => vehicleId))
  return found.map(({ vehicleId, isOnline }): Candidate => {
    const metres = metresFrom(fixes.get(vehicleId) ?? null, store)
    return { vehicleId, isOnline, runs: runs.get(vehicleId) ?? 0, metres }
  })
})

/** From its last position; a sandbox's vehicle, and one that never told where it is, starts at the depot. */
export const metresToStore = Effect.fnUntraced(function* (vehicle: VehicleRow, store: Place) {
  const vehicles = yield* VehicleRows
  const { vehicleId } = vehicle
  return metresFrom(startsAtDepot(vehicle) ? null : yield* vehicles.lastFix({ vehicleId }), store)
})

function startsAtDepot({ isSynthetic, environment }: VehicleRow): boolean {
  return isSynthetic && environment === "sandbox"
}

function metresFrom(fix: Place | null, store: Place): number {
  return fix === null ? DEPOT_DISTANCE_M : metresBetween(fix, store)
}
