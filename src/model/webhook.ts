/** Webhooks: the events that an endpoint may subscribe to, and the permissions around them. */

export const EVENT_TYPES = [
  "reservation.status_changed",
  "reservation.handoff_updated",
  "reservation.exception",
] as const

export type EventType = (typeof EVENT_TYPES)[number]

export function isEventType(text: string): text is EventType {
  return (EVENT_TYPES as readonly string[]).includes(text)
}
