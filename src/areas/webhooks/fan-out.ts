/** Fan-out: one event becomes one frozen body and a delivery for every subscribed endpoint, in the same transaction. */

import { idOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import { newUuid } from "../../model/ids.ts"
import type { EventType, WebhookArea } from "../../model/webhook.ts"
import type { Cause } from "../../engine/kernel/group.ts"
import { start } from "../../engine/services/actors.ts"
import { Transaction } from "../../engine/services/host.ts"
import { keptFromMs, realNowMs } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"
import { WebhookStore } from "./store.ts"
import type { NewWebhookDelivery, WebhookEndpoint } from "./store.ts"
import { POLICIES } from "./webhook-policy.ts"

/** The data of an event that fan-out needs. Its id and its body, the exact text, are made only for an event that is kept. */
export interface OutgoingEvent {
  readonly eventId: () => string
  readonly eventType: EventType
  readonly organizationId: string
  readonly environment: Environment
  readonly area: WebhookArea
  /** The site of the event; null if endpoints are never bound to a site. */
  readonly siteId: string | null
  readonly subjectId: string
  readonly body: (eventId: string) => Routine<string>
  /** The step that published it; null if no turn did. */
  readonly cause: Cause | null
}

/** False when no event of an environment is sent or kept, so that none has to be made. */
export function areEventsMade(environment: Environment, endpoints: readonly WebhookEndpoint[]): boolean {
  return endpoints.length > 0 || isKept(environment)
}

/** The sandbox keeps each event for developers without an endpoint. */
function isKept(environment: Environment): boolean {
  return environment === "sandbox"
}

/**
 * Inside the command's transaction: writes the body once and starts one delivery for every active subscribed endpoint.
 * In production no body is composed without one.
 */
export const fanOut = Routine.fn(function* (event: OutgoingEvent, nonce: string) {
  const { organizationId, environment, area } = event
  const store = yield* WebhookStore
  const endpoints = yield* store.endpoints({ organizationId, environment, area })
  if (areEventsMade(environment, endpoints)) yield* fanOutTo(endpoints, event, nonce)
})

/** The same when the endpoints of its organization, environment and API are known. */
export const fanOutTo = Routine.fn(function* (
  endpoints: readonly WebhookEndpoint[],
  event: OutgoingEvent,
  nonce: string,
) {
  const listening = endpoints.filter((endpoint) => listensTo(endpoint, event))
  const { eventType, subjectId, organizationId, environment, area } = event
  if (listening.length === 0 && !isKept(environment)) return
  const store = yield* WebhookStore
  const eventId = event.eventId()
  const body = yield* event.body(eventId)
  if (isKept(environment)) {
    const createdAtMs = yield* realNowMs
    yield* store.keepEvent({ eventId, eventType, subjectId, organizationId, area, body, createdAtMs })
  }
  if (listening.length === 0) return
  const { nowMs: createdAtMs } = yield* Transaction
  const times = { createdAtMs, keptFromMs: yield* keptFromMs }
  yield* store.insertBody({ eventId, eventType, subjectId, body, ...times })
  for (const { webhookId } of listening) {
    const deliveryId = newUuid(nonce, `${eventId} ${webhookId}`)
    const row = { deliveryId, webhookId, eventId, subjectId, redeliveryOf: null, redeliveredAtMs: null }
    yield* startSending(row, { ...event, nonce })
  }
})

/** True when an endpoint of the event's organization and API gets it. */
export function listensTo(
  { isActive, siteId, subscribedEvents }: WebhookEndpoint,
  event: Pick<OutgoingEvent, "eventType" | "siteId">,
): boolean {
  return (
    isActive && subscribedEvents.includes(event.eventType) && (siteId === null || siteId === event.siteId)
  )
}

interface Nonce {
  readonly nonce: string
}

/** Starts one delivery, inside the transaction that caused it. Its body has been written. */
export const startSending = Routine.fn(function* (
  row: NewWebhookDelivery,
  {
    area,
    environment,
    organizationId,
    nonce,
    cause,
  }: Pick<OutgoingEvent, "area" | "cause" | "environment" | "organizationId"> & Nonce,
) {
  const store = yield* WebhookStore
  const { deliveryId, webhookId, eventId } = row
  yield* store.insertDelivery(row)
  yield* start("webhook-delivery@2", {
    to: `webhook-delivery/${deliveryId}`,
    input: { endpointId: webhookId, eventId, ...POLICIES[area].attempts },
    environment,
    organizationId,
    nonce: newUuid(nonce, deliveryId).replaceAll("-", ""),
    ...(cause === null ? {} : { cause }),
  })
})

/** Deletes the sandbox's events about a reservation or delivery whose group an unrecorded run folds. */
export const forgetEvents = Routine.fn(function* (group: GroupAddress) {
  const store = yield* WebhookStore
  yield* store.forgetEvents(idOf(group))
})

/** Deletes the rows of a delivery whose group an unrecorded run folds. */
export const forgetDelivery = Routine.fn(function* (group: GroupAddress) {
  const store = yield* WebhookStore
  yield* store.forgetDelivery(idOf(group))
})
