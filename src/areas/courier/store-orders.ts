/**
 * Orders of stores: one order is one delivery. A number belongs to the delivery that it was booked for until that delivery ends
 * or has another number, or for half a day, because stores use numbers again.
 */

import { STORE_ORDERS_KEPT_MS } from "../../model/values/limits.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"
import { refusal } from "./envelopes.ts"
import type { Errand } from "./errand.ts"
import { CourierRows } from "./rows.ts"
import type { CourierRow } from "./rows.ts"

export function storeOrderOf(storeId: string, number: string): string {
  return `${storeId} ${plainNumber(number)}`
}

/** `#12 a` and `12A` are one number, `12-3` and `123` are two: only between digits a separator counts. */
function plainNumber(number: string): string {
  const plain = number
    .normalize("NFKC")
    .toUpperCase()
    .replace(/(?<=\p{N})[^\p{L}\p{N}]+(?=\p{N})/gu, "-")
    .replace(/[^\p{L}\p{N}-]+|(?<!\p{N})-|-(?!\p{N})/gu, "")
  return plain === "" ? number : plain
}

/** The caller holds the lock of the fleet. */
export const isOfAnotherErrand = Routine.fn(function* ({ row, order }: Errand, number: string) {
  const { deliveryId } = row
  // Only a booking takes a number. An unpaid report must not show which numbers are booked.
  if (order.storeId === null || !order.isAuthorized) return false
  const rows = yield* CourierRows
  const nowMs = yield* realNowMs
  const booked = yield* rows.storeOrder(storeOrderOf(order.storeId, number))
  if (booked === null || booked.deliveryId === deliveryId) return false
  if (nowMs >= booked.atMs + STORE_ORDERS_KEPT_MS) return false
  const other = yield* rows.byId(booked.deliveryId)
  return other !== null && isBooked(other) && hasNow(other, number)
})

/** Until its delivery ends: the store may use the number again then. */
function isBooked({ phase, endedAtMs }: CourierRow): boolean {
  return phase === "capturing" || (phase === "booked" && endedAtMs === null)
}

/** An update may have given it another number. */
function hasNow({ details }: CourierRow, number: string): boolean {
  const present = details.order?.orderNumber ?? null
  return present !== null && plainNumber(present) === plainNumber(number)
}

/** The caller holds the lock of the fleet. */
export const noteStoreOrder = Routine.fn(function* ({ row, order }: Errand, number: string) {
  if (order.storeId === null) return
  const rows = yield* CourierRows
  const nowMs = yield* realNowMs
  yield* rows.putStoreOrder({
    storeOrder: storeOrderOf(order.storeId, number),
    deliveryId: row.deliveryId,
    atMs: nowMs,
  })
})

/** It says nothing of the other delivery, which may be of another user. */
export function orderRefusal(tool: "confirm_delivery" | "update_delivery", { row, state }: Errand) {
  const { deliveryId } = row
  const again = `Compare the number with the store's confirmation, then call ${tool} with delivery_id ${deliveryId} again with the right one`
  return refusal({
    code: "invalid_request",
    field: tool === "confirm_delivery" ? "order_number" : "order.order_number",
    message: "this order of the store is booked for another delivery already",
    deliveryId,
    state,
    nextStep:
      tool === "confirm_delivery"
        ? `${again}; if this number is right, call cancel_delivery, which releases the fee.`
        : `${again}; the delivery keeps its number until then.`,
  })
}
