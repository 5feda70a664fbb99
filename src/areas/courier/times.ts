/** The times of an errand: how long its order takes, and those of the booked run. */

import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { timesOf } from "../dispatch/assignment.ts"
import { metresBetween } from "../dispatch/geography.ts"
import { DeliveryRows } from "../direct-delivery/rows.ts"
import { Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { CourierRow } from "./rows.ts"
import { isOrderReported } from "./wording.ts"

/**
 * From now until the order can be collected. The kitchen needs no more lead time for a placed order, but its ready time counts,
 * and so does its slot where the kitchen does not wait for the vehicle.
 */
export function leadTimeOf(row: Pick<CourierRow, "details">, nowMs: EpochMs): number {
  const { kitchenStarts, leadTimeMs, pickupTime, readyAtMs } = row.details
  if (!isOrderReported(row)) return leadTimeMs
  const slotMs = kitchenStarts === "scheduled" ? pickupTime?.atMs : null
  return Math.max(nowMs, readyAtMs ?? nowMs, slotMs ?? nowMs) - nowMs
}

interface Moved {
  readonly deliveryId: string
  readonly storePlace: Place | null
  /** The drop-off. */
  readonly place: Place | null
  readonly readyByMs: EpochMs
}

/** They follow the order and the drop-off; nothing happens before the booking. */
export const moveTimes = Routine.fn(function* ({ deliveryId, storePlace, place, readyByMs }: Moved) {
  const deliveries = yield* DeliveryRows
  const { nowMs } = yield* Transaction
  const delivery = yield* deliveries.byId(deliveryId)
  if (delivery === null || storePlace === null || place === null) return
  const toCustomerM = metresBetween(storePlace, place)
  const times = timesOf({ readyByMs, setsOutAtMs: nowMs, toStoreM: 0, toCustomerM })
  yield* deliveries.change(deliveryId, { readyByMs, ...times, updatedAtMs: nowMs })
})
