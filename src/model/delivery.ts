/**
 * Delivery: one order on its way from a store to a customer by a vehicle.
 * Source: direct delivery contract, states and transitions.
 */

/** In order; a status never goes back. `CANCELLED` is outside the order and ends the delivery. */
export const DELIVERY_STATUSES = [
  "SCHEDULED",
  "ASSIGNED",
  "EN_ROUTE_TO_STORE",
  "ARRIVED_AT_STORE",
  "WAITING_FOR_LOAD",
  "LOADED",
  "EN_ROUTE_TO_CUSTOMER",
  "ARRIVED_AT_CUSTOMER",
  "COMPLETED",
  "CANCELLED",
] as const

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/**
 * The event that reports each later status. A delivery starts in `SCHEDULED`, and `CANCELLED` has a request of its own.
 */
export const DELIVERY_EVENT_BY_STATUS = {
  ASSIGNED: "vehicle.assigned",
  EN_ROUTE_TO_STORE: "store.approached",
  ARRIVED_AT_STORE: "store.reached",
  WAITING_FOR_LOAD: "load.awaited",
  LOADED: "order.loaded",
  EN_ROUTE_TO_CUSTOMER: "store.left",
  ARRIVED_AT_CUSTOMER: "customer.reached",
  COMPLETED: "order.unloaded",
} as const satisfies Partial<Record<DeliveryStatus, string>>

/** A status that a report may name. */
export type ReportedStatus = keyof typeof DELIVERY_EVENT_BY_STATUS

/** The position of a status in the order, from 0; `CANCELLED` comes last. */
export function rankOf(status: DeliveryStatus): number {
  return DELIVERY_STATUSES.indexOf(status)
}

/** The statuses that a delivery has yet to reach, in order; none after the end. */
export function statusesAfter(status: DeliveryStatus): readonly DeliveryStatus[] {
  return isFinal(status) ? [] : DELIVERY_STATUSES.slice(rankOf(status) + 1, rankOf("COMPLETED") + 1)
}

/** True when no status follows. */
export function isFinal(status: DeliveryStatus): boolean {
  return status === "COMPLETED" || status === "CANCELLED"
}

/** Why no delivery can be made from a quote. Source: direct delivery contract, quote. */
export const UNAVAILABLE_REASONS = [
  "OUT_OF_SERVICE_AREA",
  "CUSTOMER_OPTED_OUT",
  "NO_DRIVERS_ONLINE",
  "NO_CAPACITY",
] as const

export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number]
