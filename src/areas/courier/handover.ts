/**
 * The data of an errand for people at the curb and at the door, in the words of its sources. It contains personal data,
 * so it is only for operations; ninety days after the errand's end its fields read `removed`.
 */

import type { CourierItem } from "../../model/requests/courier-requests.ts"
import type { CourierState } from "../../model/courier.ts"
import { isoMs } from "../../model/values/time.ts"
import type { Errand } from "./errand.ts"

/** Times are RFC 3339 in UTC, phone numbers E.164. */
export interface HandoverRecord {
  readonly delivery_id: string
  readonly state: CourierState
  readonly store: {
    readonly name: string
    readonly street: string
    readonly city: string
    readonly zip: string
  }
  /** The slot to select at checkout and the ready time of the order, if they are known. */
  readonly pickup_time: string | null
  readonly ready_at: string | null
  readonly order_number: string | null
  readonly pickup_code: string | null
  readonly items: readonly CourierItem[]
  readonly check_in: {
    readonly method: string | null
    readonly url: string | null
    readonly phone: string | null
    readonly instructions: string | null
  }
  readonly requirements: readonly string[]
  readonly requirements_notes: string | null
  readonly dropoff: {
    readonly street: string
    readonly unit: string | null
    readonly city: string
    readonly zip: string
    readonly notes: string | null
  }
  readonly customer: {
    readonly first_name: string
    readonly last_name: string
    readonly phone: string | null
    readonly email: string | null
  } | null
  /** In order of arrival. */
  readonly notes: readonly string[]
  readonly cancel_reason: string | null
}

export function handoverOf({ row, state }: Errand): HandoverRecord {
  const { details } = row
  const { storeAddress, dropoffAddress, customer, contact, order, checkIn } = details
  return {
    delivery_id: row.deliveryId,
    state,
    store: {
      name: details.retailerName,
      street: storeAddress.street,
      city: storeAddress.city,
      zip: storeAddress.zip,
    },
    pickup_time: details.pickupTime?.select ?? null,
    ready_at: details.readyAtMs === null ? null : isoMs(details.readyAtMs),
    order_number: order?.orderNumber ?? null,
    pickup_code: order?.pickupCode ?? null,
    items: order?.items ?? [],
    check_in: {
      method: details.checkInMethod,
      url: checkIn?.url ?? null,
      phone: checkIn?.phone ?? null,
      instructions: checkIn?.instructions ?? null,
    },
    requirements: details.requirementsSeen,
    requirements_notes: details.requirementsNotes,
    dropoff: {
      street: dropoffAddress.street,
      unit: dropoffAddress.unit ?? null,
      city: dropoffAddress.city,
      zip: dropoffAddress.zip,
      notes: details.dropoffNotes,
    },
    customer:
      customer === null
        ? null
        : {
            first_name: customer.firstName,
            last_name: customer.lastName,
            phone: contact?.phone ?? null,
            email: contact?.email ?? null,
          },
    notes: details.notes,
    cancel_reason: details.cancelReason,
  }
}
