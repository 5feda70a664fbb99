/** Fleet: positions of the vehicles of a fleet, for decisions. */

import type { Place } from "../../model/place.ts"
import { DEPOT_DISTANCE_M } from "../../model/values/limits.ts"
import { metresBetween } from "./geography.ts"
import type { VehicleRow } from "./rows.ts"
import { VehicleRows } from "./rows.ts"
import { Routine } from "../../engine/services/routine.ts"

/** Its last position. Null for a sandbox vehicle and for one that has never reported: both start at the depot. */
export const lastPlace = Routine.fn(function* (vehicle: VehicleRow) {
  const vehicles = yield* VehicleRows
  const { vehicleId } = vehicle
  return startsAtDepot(vehicle) ? null : yield* vehicles.lastFix({ vehicleId })
})

/** True for a vehicle whose positions are ignored: a developer advances its runs by hand. */
export function startsAtDepot({ isSynthetic, environment }: VehicleRow): boolean {
  return isSynthetic && environment === "sandbox"
}

/** Distance from a vehicle's last position to the store. Null means the depot. */
export function metresToStore(last: Place | null, store: Place): number {
  return last === null ? DEPOT_DISTANCE_M : metresBetween(last, store)
}
