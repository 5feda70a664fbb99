/**
 * Estimates: when a run picks up and arrives, as far as its vehicle and its status tell by now. Pure. The times that were
 * quoted stay what they are in the row. Source: direct delivery contract, delivery; the pace is that of assignment.
 */

import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { LOADING_MS } from "../../model/limits.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/time.ts"
import { driveMs, metresBetween, upToMinute } from "./geography.ts"

export interface EstimateFacts {
  readonly status: DeliveryStatus
  /** As quoted or booked. */
  readonly pickupEtaMs: EpochMs
  readonly deliveryEtaMs: EpochMs
  readonly readyByMs: EpochMs
  readonly completedAtMs: EpochMs | null
  readonly storePlace: Place
  readonly dropoffPlace: Place
  /** Where the vehicle was last on this run; null before its first fix. */
  readonly fix: Place | null
  readonly nowMs: EpochMs
}

/** Full minutes; a run that ended keeps what is known of it. */
export function estimatesFor(facts: EstimateFacts): {
  readonly pickupAtMs: EpochMs
  readonly deliveryAtMs: EpochMs
} {
  const { status, pickupEtaMs, deliveryEtaMs, completedAtMs } = facts
  if (status === "CANCELLED" || status === "COMPLETED") {
    return { pickupAtMs: pickupEtaMs, deliveryAtMs: completedAtMs ?? deliveryEtaMs }
  }
  if (rankOf(status) >= rankOf("LOADED")) {
    return { pickupAtMs: pickupEtaMs, deliveryAtMs: upToMinute(arrivalOf(facts)) }
  }
  const pickupAtMs = upToMinute(pickupOf(facts))
  const { storePlace, dropoffPlace } = facts
  const onTheWayMs = driveMs(metresBetween(storePlace, dropoffPlace))
  return { pickupAtMs, deliveryAtMs: upToMinute(pickupAtMs + LOADING_MS + onTheWayMs) }
}

/** Not before the order is ready, nor before the vehicle can be there. */
function pickupOf({ status, pickupEtaMs, readyByMs, storePlace, fix, nowMs }: EstimateFacts): EpochMs {
  if (rankOf(status) >= rankOf("ARRIVED_AT_STORE")) return Math.max(readyByMs, nowMs)
  if (fix === null) return Math.max(pickupEtaMs, nowMs)
  return Math.max(readyByMs, nowMs + driveMs(metresBetween(fix, storePlace)))
}

function arrivalOf({ status, storePlace, dropoffPlace, fix, nowMs }: EstimateFacts): EpochMs {
  if (status === "ARRIVED_AT_CUSTOMER") return nowMs
  return nowMs + driveMs(metresBetween(fix ?? storePlace, dropoffPlace))
}
