/**
 * Notices to customers by SMS: the order will come, is on its way, has arrived. Written in the transaction of the
 * change. Source: direct delivery contract, sandbox (customer SMS is suppressed there); the choice of statuses is ours
 * (src/DECISIONS.md §57).
 */

import { Effect } from "effect"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { MINUTE_MS } from "../../model/time.ts"
import { Transaction } from "../../services/host.ts"
import { MessageNotices } from "../messages/notices.ts"
import { DeliverySites, isForRetailer } from "./rows.ts"
import type { NewDelivery } from "./rows.ts"

/** Writes the customer's message at this status, if there is one; `nonce` is that of the command or turn. */
export const textCustomer = Effect.fnUntraced(function* (
  row: NewDelivery,
  status: DeliveryStatus,
  nonce: string,
) {
  if (!isForRetailer(row)) return
  const { nowMs } = yield* Transaction
  const notice = noticeAt(status, Math.max(1, Math.ceil((row.deliveryEtaMs - nowMs) / MINUTE_MS)))
  if (notice === null) return
  const notices = yield* MessageNotices
  const site = yield* (yield* DeliverySites).byId(row.siteId)
  const { deliveryId: subjectId, environment, organizationId, customer } = row
  const text = `${site?.name ?? "Curbline"}: ${notice}`
  yield* notices.textCustomer({ environment, organizationId, to: customer.phone, text, subjectId }, nonce)
})

/** True when the customer gets a message at this status. */
export function isTextedAt(status: DeliveryStatus): boolean {
  return noticeAt(status, 1) !== null
}

/** Minutes instead of a clock time: the reader may be in another time zone than the store. */
function noticeAt(status: DeliveryStatus, minutes: number): string | null {
  switch (status) {
    case "SCHEDULED":
      return `an autonomous vehicle will bring your order in about ${minutes} min. Reply STOP to end texts, HELP for help.`
    case "EN_ROUTE_TO_CUSTOMER":
      return "your order is on its way to you."
    case "ARRIVED_AT_CUSTOMER":
      return "your order is here. Please meet the vehicle outside."
    default:
      return null
  }
}
