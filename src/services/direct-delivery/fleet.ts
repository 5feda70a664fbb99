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

/** Its last position. Null for a sandbox's vehicle and one that never told where it is: they start at the depot. */
export const lastPlace = Effect.fnUntraced(function* (vehicle: VehicleRow) {
  const vehicles = yield* VehicleRows
  const { vehicleId } = vehicle
  return startsAtDepot(vehicle) ? null : yield* vehicles.lastFix({ vehicleId })
})

function startsAtDepot({ isSynthetic, environment }: VehicleRow): boolean {
  return isSynthetic && environment === "sandbox"
}

function metresFrom(fix: Place | null, store: Place): number {
  return fix === null ? DEPOT_DISTANCE_M : metresBetween(fix, store)
}
