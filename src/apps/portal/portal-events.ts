/** Events that were sent, as people of the organization read them: with the endpoint, and what the event says in short. */

import { PAGE_SIZE_MAX } from "../../model/values/limits.ts"
import { sentEvents } from "../../areas/webhooks/sent-events.ts"
import type { SentEvent } from "../../areas/webhooks/sent-events.ts"
import { WebhookStore } from "../../areas/webhooks/store.ts"
import { Routine } from "../../engine/services/routine.ts"

export interface PortalEvent extends SentEvent {
  /** Null when the endpoint was deleted. */
  readonly url: string | null
  /** The status that the event names; null for an event about something else. */
  readonly status: string | null
}

/** The newest that were sent for one thing, newest first. */
export const eventsAbout = Routine.fn(function* (subjectId: string) {
  const query = { of: { subjectId }, eventType: null, beforeNumber: null, limit: PAGE_SIZE_MAX }
  return yield* withEndpoints(yield* sentEvents(query))
})

/** In the same order. */
export const withEndpoints = Routine.fn(function* (events: readonly SentEvent[]) {
  const store = yield* WebhookStore
  const ids = [...new Set(events.map(({ webhookId }) => webhookId))]
  const endpoints = yield* Routine.forEach(ids, (id) => store.endpoint(id))
  const urls = new Map(ids.map((id, at) => [id, endpoints[at]?.url ?? null]))
  return events.map((event): PortalEvent => ({
    ...event,
    url: urls.get(event.webhookId) ?? null,
    status: statusIn(event.body),
  }))
})

/** In an event of a delivery, `status`; in one of a reservation its exception, its milestone or its status. */
function statusIn(body: string): string | null {
  const { data } = JSON.parse(body) as { readonly data?: EventData }
  const said = data?.reason_code ?? data?.milestone ?? data?.status ?? data?.reservation?.status
  return typeof said === "string" ? said : null
}

interface EventData {
  readonly status?: string
  readonly milestone?: string
  readonly reason_code?: string
  readonly reservation?: { readonly status?: string }
}
