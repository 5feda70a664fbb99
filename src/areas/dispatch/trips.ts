/**
 * Trips of two orders: which orders a vehicle may collect together, and what that means for times. The rules are ours
 * (src/DECISIONS.md §308). A vehicle still has one active and one queued run: the queued one is loaded after the other and
 * delivered after it, without a way back to the store.
 */

import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { Place } from "../../model/place.ts"
import {
  LOADING_MS,
  TRIP_DOORS_M_MAX,
  TRIP_READY_APART_MS_MAX,
  TRIP_WAIT_MS,
  UNLOADING_MS,
} from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { driveMs, metresBetween, upToMinute } from "./geography.ts"

/** An order, as far as trips depend on it. */
export interface TripOrder {
  /** Where it is collected; null when that is not known. */
  readonly store: Place | null
  readonly customer: Place
  readonly readyByMs: EpochMs
}

/** The order that would be loaded first, with the times that its customer was promised. */
export interface FirstOfTrip extends TripOrder {
  readonly status: DeliveryStatus
  readonly pickupEtaMs: EpochMs
  readonly deliveryEtaMs: EpochMs
}

/** How much later the first order of a trip may arrive: the wait for the second one, and its load. Quotes contain it. */
export const TRIP_ALLOWANCE_MS = TRIP_WAIT_MS + LOADING_MS

/**
 * Whether two orders go on one trip while the first has not left the store: they come from one store, are ready at about the same
 * time, their doors are near, and the promise of the first allows for the second.
 */
export function areOneTrip(first: FirstOfTrip, second: TripOrder): boolean {
  if (first.store === null || second.store === null || rankOf(first.status) > rankOf("LOADED")) return false
  const onTheWayMs = driveMs(metresBetween(first.store, first.customer))
  return (
    metresBetween(first.store, second.store) === 0 &&
    metresBetween(first.customer, second.customer) <= TRIP_DOORS_M_MAX &&
    Math.abs(second.readyByMs - first.readyByMs) <= TRIP_READY_APART_MS_MAX &&
    first.pickupEtaMs + LOADING_MS + TRIP_ALLOWANCE_MS + onTheWayMs <= first.deliveryEtaMs
  )
}

/**
 * Whether a vehicle can be given another order for the trip of its active run: that is not on board yet, and still arrives as
 * promised. `loadedAtMs`: when the first is expected to be on board.
 */
export function takesOnTrip(first: FirstOfTrip, second: TripOrder, loadedAtMs: EpochMs): boolean {
  if (first.store === null || rankOf(first.status) >= rankOf("LOADED") || !areOneTrip(first, second))
    return false
  const leavesAtMs = Math.max(loadedAtMs, second.readyByMs) + LOADING_MS
  const arrivesAtMs = leavesAtMs + driveMs(metresBetween(first.store, first.customer))
  return second.readyByMs <= loadedAtMs + TRIP_WAIT_MS && upToMinute(arrivesAtMs) <= first.deliveryEtaMs
}

/** From a place, such as the store, to the end of the stop at the first door of a trip. */
export function byFirstDoorMs(from: Place, firstDoor: Place): number {
  return driveMs(metresBetween(from, firstDoor)) + UNLOADING_MS
}
