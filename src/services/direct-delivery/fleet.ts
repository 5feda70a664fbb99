/** Fleet: where the vehicles of a fleet stand, for decisions over them. */

import { Effect } from "effect"
import type { Place } from "../../model/place.ts"
import { DEPOT_DISTANCE_M } from "../../model/limits.ts"
import { metresBetween } from "./geography.ts"
import { VehicleRows } from "./rows.ts"
import type { VehicleRow } from "./rows.ts"

/** Its last position. Null for a sandbox vehicle and for one that has never reported a position: both start at the depot. */
export const lastPlace = Effect.fnUntraced(function* (vehicle: VehicleRow) {
  const vehicles = yield* VehicleRows
  const { vehicleId } = vehicle
  return startsAtDepot(vehicle) ? null : yield* vehicles.lastFix({ vehicleId })
})

/** True for a vehicle whose positions are ignored: a developer moves its runs by hand. */
export function startsAtDepot({ isSynthetic, environment }: VehicleRow): boolean {
  return isSynthetic && environment === "sandbox"
}

/** From a vehicle's last position to the store. Null is the depot. */
export function metresToStore(last: Place | null, store: Place): number {
  return last === null ? DEPOT_DISTANCE_M : metresBetween(last, store)
}
