/**
 * A delivery's stay at the store for analytics: from the vehicle's arrival to the load, or to an earlier cancellation.
 * Source: direct delivery contract, analytics.
 */

import type { DeliveryStatus } from "../../model/delivery.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { beginStay, endStay } from "../analytics/stays.ts"
import type { DeliveryRow } from "./rows.ts"
import { Routine } from "../../engine/services/routine.ts"

/** Whether a stay begins or ends with a status. */
export function movesStay(status: DeliveryStatus): boolean {
  return begins(status) || ends(status)
}

function begins(status: DeliveryStatus): boolean {
  return status === "ARRIVED_AT_STORE"
}

function ends(status: DeliveryStatus): boolean {
  return status === "LOADED" || status === "CANCELLED"
}

/** `told` are the statuses that a turn announces: a turn may pass through several, so a stay may begin and end at one instant. */
export const noteStay = Routine.fn(function* (
  { deliveryId, environment, siteId }: DeliveryRow,
  told: readonly DeliveryStatus[],
  atMs: EpochMs,
) {
  const group = `delivery/${deliveryId}`
  if (told.some(begins)) {
    yield* beginStay({ group, environment, at: { siteId }, stallId: null, source: "delivery", atMs })
  }
  if (told.some(ends)) yield* endStay({ group, environment }, atMs)
})
