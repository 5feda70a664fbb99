/** Webhooks: the events that an endpoint may subscribe to. Each of the two APIs has its own events and endpoints. */

/** The APIs whose endpoints are managed and counted separately. */
export type WebhookArea = "direct_delivery" | "reservations"

/** Events of the Reservations API. */
export const EVENT_TYPES = [
  "reservation.status_changed",
  "reservation.handoff_updated",
  "reservation.exception",
] as const

export type ReservationEventType = (typeof EVENT_TYPES)[number]

/** Events of the Direct Delivery API. */
export const PICKUP_EVENT_TYPES = ["pickup_status.changed", "pickup.vehicle_location.changed"] as const

export type PickupEventType = (typeof PICKUP_EVENT_TYPES)[number]

/** The type of the event that an owner requests to test an endpoint. Endpoints cannot subscribe to it. */
export const TEST_EVENT_TYPE = "webhook.test"

/** States of a delivery of an event, as the machine names them. */
export const SENDING_STATES = ["sending", "queued", "waiting", "delivered", "dropped", "discarded"] as const

export type EventType = PickupEventType | ReservationEventType | typeof TEST_EVENT_TYPE

export function isEventType(text: string): text is ReservationEventType {
  return (EVENT_TYPES as readonly string[]).includes(text)
}
