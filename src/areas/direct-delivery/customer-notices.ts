/**
 * Notices to customers by SMS: the order will come, is on its way, has arrived, each with the link of the tracking page.
 * Written in the transaction of the change. Source: direct delivery contract, sandbox (customer SMS is suppressed there);
 * the choice of statuses is ours (src/DECISIONS.md §54).
 */

import type { DeliveryStatus } from "../../model/delivery.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import { estimatesFor } from "../dispatch/estimates.ts"
import { MessageNotices } from "../messages/notices.ts"
import type { Look } from "./record.ts"
import { DeliverySites, isForRetailer } from "./rows.ts"
import type { NewDelivery } from "./rows.ts"
import { trackingUrlOf } from "./tracking-links.ts"
import { Routine } from "../../engine/services/routine.ts"

/** Writes the customer's message at the row's status, if there is one; `nonce` is that of the command or turn. */
export const textCustomer = Routine.fn(function* <R>(
  row: NewDelivery,
  look: Routine<Look, never, R>,
  nonce: string,
) {
  if (!isForRetailer(row) || !isTextedAt(row.status)) return
  const notices = yield* MessageNotices
  const { deliveryId: subjectId, environment, organizationId, customer } = row
  const text = Routine.flatMap(look, (now) => textOf(row, now))
  yield* notices.textCustomer({ environment, organizationId, to: customer.phone, text, subjectId }, nonce)
})

const textOf = Routine.fn(function* (row: NewDelivery, look: Look) {
  const { store, links, nowMs } = look
  const { deliveryAtMs } = estimatesFor({ ...row, ...look, storePlace: store, dropoffPlace: row.place })
  const notice = noticeAt(row.status, Math.max(1, Math.ceil((deliveryAtMs - nowMs) / MINUTE_MS)))
  const site = yield* (yield* DeliverySites).byId(row.siteId)
  const link = trackingUrlOf(row, links, { endedAtMs: null, nowMs })
  return `${site?.name ?? "Curbline"}: ${notice?.says ?? ""} ${link ?? ""}${notice?.after ?? ""}`
})

/** True when the customer gets a message at this status. */
export function isTextedAt(status: DeliveryStatus): boolean {
  return noticeAt(status, 1) !== null
}

interface Notice {
  readonly says: string
  /** Stands behind the link. */
  readonly after: string
}

/** Minutes instead of a clock time: the reader may be in another time zone than the store. */
function noticeAt(status: DeliveryStatus, minutes: number): Notice | null {
  switch (status) {
    case "SCHEDULED":
      return {
        says: `an autonomous vehicle will bring your order in about ${minutes} min. Follow it:`,
        after: " Reply STOP to end texts, HELP for help.",
      }
    case "EN_ROUTE_TO_CUSTOMER":
      return { says: `your order is on its way to you, about ${minutes} min. Follow it:`, after: "" }
    case "ARRIVED_AT_CUSTOMER":
      return { says: "your order is here. Please meet the vehicle outside. How:", after: "" }
    default:
      return null
  }
}
