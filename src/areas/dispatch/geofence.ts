/**
 * Geofences: what a position means for the active run. A fix becomes a turn only when it crosses one. The rules are
 * ours (src/DECISIONS.md §30).
 */

import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { APPROACH_M, ARRIVAL_RADIUS_M, DEPARTURE_RADIUS_M } from "../../model/values/limits.ts"
import type { LoadReport, VehiclePhase } from "../../model/vehicle.ts"

/** One fix and the vehicle's active run. Metres. */
export interface Sighting {
  readonly phase: VehiclePhase
  /** The delivery's status: a supervisor may have reported ahead of the vehicle. */
  readonly status: DeliveryStatus
  readonly storeM: number
  readonly customerM: number
  /** By how much the distance to the store has shrunk within the last minute. */
  readonly approachedM: number
  readonly load: LoadReport | null
}

export type Crossing =
  | "customer.reached"
  | "load.reported"
  | "store.approached"
  | "store.left"
  | "store.reached"
  | "unload.reported"

/** The next crossing of the fix, or null. Called again after each: one fix may have several crossings. */
export function crossingOf(sighting: Sighting): Crossing | null {
  const { phase, storeM, customerM, approachedM, load } = sighting
  switch (phase) {
    case "idle":
      return null
    case "assigned":
    case "approaching":
      if (load === "loaded") return "load.reported"
      if (isPastStore(sighting) && customerM <= ARRIVAL_RADIUS_M) return "customer.reached"
      if (storeM <= ARRIVAL_RADIUS_M) return "store.reached"
      return phase === "assigned" && approachedM >= APPROACH_M ? "store.approached" : null
    case "at_store":
    case "waiting":
      if (load === "loaded") return "load.reported"
      return storeM > DEPARTURE_RADIUS_M ? "store.left" : null
    case "loaded":
      if (storeM > DEPARTURE_RADIUS_M) return "store.left"
      // When store and customer are neighbours, the vehicle never leaves the store's area.
      return customerM <= ARRIVAL_RADIUS_M && customerM <= storeM ? "customer.reached" : null
    case "leaving":
      if (customerM <= ARRIVAL_RADIUS_M) return "customer.reached"
      return load === "unloaded" ? "unload.reported" : null
    case "at_customer":
      return load === "unloaded" ? "unload.reported" : null
  }
}

/** The way to the store may pass the customer: reaching the customer counts only once the order can be on board. */
function isPastStore({ status }: Sighting): boolean {
  return rankOf(status) >= rankOf("WAITING_FOR_LOAD")
}
