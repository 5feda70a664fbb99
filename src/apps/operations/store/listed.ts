/** Rows of the lists of operations, from what their statements find. */

import type { VehicleRow } from "../../../areas/dispatch/rows.ts"
import type { ListedDelivery, ListedEndpoint, ListedErrand, ListedReservation } from "../list-rows.ts"

/** A row of a statement, by the names of its columns. */
export type Found = Readonly<Record<string, unknown>>

/** Numbers of the database may be texts. */
const number = (value: unknown): number => Number(value)
const text = (value: unknown): string => String(value)
const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null)
const instantOrNull = (value: unknown): number | null => (value === null ? null : Number(value))

function placeIn(found: Found) {
  return {
    siteId: text(found["site_id"]),
    siteName: text(found["site_name"]),
    timezone: textOrNull(found["timezone"]),
    organizationId: text(found["organization_id"]),
    organizationName: textOrNull(found["organization_name"]),
  }
}

function timesIn(found: Found) {
  return { createdAtMs: number(found["created_at_ms"]), updatedAtMs: number(found["updated_at_ms"]) }
}

export function reservationIn(found: Found): ListedReservation {
  return {
    ...placeIn(found),
    ...timesIn(found),
    reservationId: text(found["reservation_id"]),
    orderNumber: text(found["order_number"]),
    status: found["status"] as ListedReservation["status"],
    retailerName: textOrNull(found["retailer_name"]),
    stallLabel: textOrNull(found["stall_label"]),
    botLabel: textOrNull(found["bot_label"]),
    startsAtMs: number(found["starts_at_ms"]),
    endsAtMs: number(found["ends_at_ms"]),
  }
}

export function deliveryIn(found: Found): ListedDelivery {
  return {
    ...placeIn(found),
    ...timesIn(found),
    deliveryId: text(found["delivery_id"]),
    externalDeliveryId: text(found["external_delivery_id"]),
    status: found["status"] as ListedDelivery["status"],
    vehicleId: text(found["vehicle_id"]),
    vehicleLabel: textOrNull(found["vehicle_label"]),
    deliveryEtaMs: number(found["delivery_eta_ms"]),
  }
}

export function errandIn(found: Found): ListedErrand {
  return {
    ...timesIn(found),
    deliveryId: text(found["delivery_id"]),
    orderNumber: textOrNull(found["order_number"]),
    phase: found["phase"] as ListedErrand["phase"],
    deliveryStatus: textOrNull(found["delivery_status"]) as ListedErrand["deliveryStatus"],
    paymentStatus: found["payment_status"] as ListedErrand["paymentStatus"],
    storeName: text(found["store_name"]),
    vehicleLabel: textOrNull(found["vehicle_label"]),
  }
}

export function endpointIn(found: Found): ListedEndpoint {
  return {
    ...timesIn(found),
    webhookId: text(found["webhook_id"]),
    area: found["area"] as ListedEndpoint["area"],
    state: found["state"] as ListedEndpoint["state"],
    organizationId: text(found["organization_id"]),
    organizationName: textOrNull(found["organization_name"]),
    siteId: textOrNull(found["site_id"]),
    siteName: textOrNull(found["site_name"]),
    url: text(found["url"]),
    subscribedEvents: found["subscribed_events"] as ListedEndpoint["subscribedEvents"],
    consecutiveFailures: number(found["consecutive_failures"]),
    disabledAtMs: instantOrNull(found["disabled_at_ms"]),
  }
}

export function vehicleIn(found: Found): VehicleRow {
  return {
    vehicleId: text(found["vehicle_id"]),
    fleetId: text(found["fleet_id"]),
    environment: found["environment"] as VehicleRow["environment"],
    label: text(found["label"]),
    isSynthetic: found["is_synthetic"] === true,
    isOnline: found["is_online"] === true,
  }
}
