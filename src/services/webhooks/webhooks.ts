/**
 * Webhooks: management of endpoints, the fan-out of one event to all of them, and the sending of one attempt.
 * Source: reservations contract, webhook management and events.
 */

import { Clock, Context, Effect, Layer } from "effect"
import type { Partner } from "../../model/caller.ts"
import { Refused } from "../../model/errors.ts"
import { newId, newSecret, newUuid } from "../../model/ids.ts"
import {
  WEBHOOK_ATTEMPTS_MAX,
  WEBHOOK_BACKOFF_MS,
  WEBHOOK_ENDPOINTS_MAX,
  WEBHOOK_LEASE_MS,
  WEBHOOK_TIMEOUT_MS,
} from "../../model/limits.ts"
import type { ChangeWebhookRequest, RegisterWebhookRequest } from "../../model/requests.ts"
import { isoMs } from "../../model/time.ts"
import type { CallResult } from "../../model/verbs.ts"
import type { EventType } from "../../model/webhook.ts"
import { idOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { Call } from "../../kernel/turn.ts"
import { ActorHost, Transaction } from "../host.ts"
import { OutboundHttp, failureOf, isAccepted } from "../outbound/outbound-http.ts"
import { UrlPolicy } from "../outbound/url-policy.ts"
import { requirePermission } from "../permissions.ts"
import { signWebhook } from "./signature.ts"
import { WebhookStore } from "./store.ts"
import type { WebhookEndpoint } from "./store.ts"

/** An endpoint as callers see it. The secret is whole once, and masked ever after. */
export type WebhookRecord = {
  readonly webhook_id: string
  readonly url: string
  readonly subscribed_events: readonly EventType[]
  readonly is_active: boolean
  readonly secret: string
  readonly created_at: string
  readonly updated_at: string
}

export class Webhooks extends Context.Tag("Webhooks")<
  Webhooks,
  {
    readonly register: (caller: Partner, request: RegisterWebhookRequest) => Effect.Effect<WebhookRecord, Refused>
    readonly list: (caller: Partner) => Effect.Effect<readonly WebhookRecord[], Refused>
    readonly change: (
      caller: Partner,
      webhookId: string,
      request: ChangeWebhookRequest,
    ) => Effect.Effect<WebhookRecord, Refused>
  }
>() {}

export const layerWebhooks = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const host = yield* ActorHost
    const store = yield* WebhookStore
    const urls = yield* UrlPolicy

    const checkUrl = Effect.fnUntraced(function* (url: string) {
      const verdict = yield* urls.check(url)
      if (verdict.type === "public") return
      if (verdict.type === "unavailable") return yield* new Refused({ code: "URL_VALIDATION_UNAVAILABLE" })
      return yield* new Refused({ code: "INVALID_WEBHOOK_URL", detail: verdict.detail })
    })

    return {
      register: Effect.fnUntraced(function* (caller, request) {
        yield* requirePermission(caller, "webhooks:manage")
        yield* requirePermission(caller, "reservations:read")
        yield* checkUrl(request.url)
        const nonce = yield* host.nonce
        const scope = scopeOf(caller)
        return yield* host.transact(
          { key: `webhooks/${scope.environment}/${scope.organizationId}` },
          Effect.gen(function* () {
            const known = yield* store.endpoints(scope)
            if (known.length >= WEBHOOK_ENDPOINTS_MAX) return yield* new Refused({ code: "WEBHOOK_LIMIT_REACHED" })
            const { nowMs } = yield* Transaction
            const endpoint: WebhookEndpoint = {
              webhookId: newId("webhook", nonce),
              ...scope,
              url: request.url,
              subscribedEvents: request.subscribed_events,
              isActive: request.is_active ?? true,
              secret: newSecret(nonce),
              createdAtMs: nowMs,
              updatedAtMs: nowMs,
            }
            yield* store.insertEndpoint(endpoint)
            return recordOf(endpoint, "whole")
          }),
        )
      }),

      list: Effect.fnUntraced(function* (caller) {
        yield* requirePermission(caller, "webhooks:manage")
        const endpoints = yield* store.endpoints(scopeOf(caller))
        return endpoints.map((endpoint) => recordOf(endpoint, "masked"))
      }),

      change: Effect.fnUntraced(function* (caller, webhookId, request) {
        yield* requirePermission(caller, "webhooks:manage")
        const current = yield* ownEndpoint(caller, webhookId).pipe(Effect.provideService(WebhookStore, store))
        yield* requireReading(caller, current, request)
        if (request.url !== undefined) yield* checkUrl(request.url)
        const nonce = yield* host.nonce
        return yield* host.transact(
          { key: `webhooks/${caller.environment}/${caller.organizationId}` },
          Effect.gen(function* () {
            const { nowMs } = yield* Transaction
            const changed = {
              ...(request.url === undefined ? {} : { url: request.url }),
              ...(request.subscribed_events === undefined ? {} : { subscribedEvents: request.subscribed_events }),
              ...(request.is_active === undefined ? {} : { isActive: request.is_active }),
              ...(request.rotate_secret === true ? { secret: newSecret(nonce) } : {}),
              updatedAtMs: nowMs,
            }
            yield* store.changeEndpoint(webhookId, changed)
            const after = yield* ownEndpoint(caller, webhookId).pipe(Effect.provideService(WebhookStore, store))
            return recordOf(after, request.rotate_secret === true ? "whole" : "masked")
          }),
        )
      }),
    } satisfies Webhooks["Type"]
  }),
)

/** What fan-out needs to know of an event; the body is its exact text. */
export interface OutgoingEvent {
  readonly eventId: string
  readonly eventType: EventType
  readonly organizationId: string
  readonly environment: Partner["environment"]
  readonly reservationId: string
  readonly body: () => Effect.Effect<string>
}

/**
 * Inside the command's transaction: writes the body once and starts one delivery per active endpoint that subscribes.
 * Without such an endpoint nothing is composed.
 */
export const fanOut = Effect.fnUntraced(function* (event: OutgoingEvent, nonce: string) {
  const store = yield* WebhookStore
  const transaction = yield* Transaction
  const endpoints = yield* store.endpoints({ organizationId: event.organizationId, environment: event.environment })
  const listening = endpoints.filter(
    (endpoint) => endpoint.isActive && endpoint.subscribedEvents.includes(event.eventType),
  )
  if (listening.length === 0) return
  const { eventId, eventType, reservationId } = event
  const body = yield* event.body()
  yield* store.insertBody({ eventId, eventType, reservationId, body, createdAtMs: transaction.nowMs })
  for (const { webhookId } of listening) {
    const deliveryId = newUuid(nonce, `${eventId} ${webhookId}`)
    yield* store.insertDelivery({ deliveryId, webhookId, eventId, reservationId })
    yield* transaction.turn({
      to: `webhook-delivery/${deliveryId}`,
      start: {
        machine: "webhook-delivery@1",
        input: {
          endpointId: webhookId,
          eventId,
          attemptsMax: WEBHOOK_ATTEMPTS_MAX,
          backoffMs: WEBHOOK_BACKOFF_MS,
          leaseMs: WEBHOOK_LEASE_MS,
        },
      },
      nonce: newUuid(nonce, deliveryId).replaceAll("-", ""),
    })
  }
})

/** One attempt: URL, secret and switch are read now; the body is the frozen one. */
export const sendWebhook = Effect.fnUntraced(function* (call: Call) {
  const store = yield* WebhookStore
  const urls = yield* UrlPolicy
  const http = yield* OutboundHttp
  const { attempt } = call
  const deliveryId = idOf(call.actor)
  const delivery = yield* store.delivery(deliveryId)
  const endpoint = delivery === null ? null : yield* store.endpoint(delivery.webhookId)
  const event = delivery === null ? null : yield* store.body(delivery.eventId)
  if (endpoint === null || event === null) return discarded(attempt, "forgotten")
  if (!endpoint.isActive) return discarded(attempt, "endpoint_inactive")
  const verdict = yield* urls.check(endpoint.url)
  if (verdict.type !== "public") {
    return failed(attempt, verdict.type === "refused" ? verdict.detail.toLowerCase() : "lookup_unavailable")
  }
  const atMs = yield* Clock.currentTimeMillis
  const answer = yield* http.post({
    url: endpoint.url,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "Curbline/1",
      "X-Service-Signature": signWebhook({ secret: endpoint.secret, body: event.body, atMs }),
      "X-Service-Delivery-Id": deliveryId,
      "X-Service-Event-Id": event.eventId,
      "X-Service-Event-Type": event.eventType,
    },
    body: event.body,
    timeoutMs: WEBHOOK_TIMEOUT_MS,
    addresses: verdict.addresses,
  })
  return isAccepted(answer) ? succeeded(attempt) : failed(attempt, failureOf(answer))
})

/** Drops the rows of a delivery whose group a host without recording folds away. */
export const forgetDelivery = Effect.fnUntraced(function* (group: GroupAddress) {
  const store = yield* WebhookStore
  yield* store.forgetDelivery(idOf(group))
})

/** Results of calls, in the words that machines take. */
export function succeeded(attempt: number): CallResult {
  return { type: "call.succeeded", attempt }
}

export function failed(attempt: number, reason: string): CallResult {
  return { type: "call.failed", attempt, reason }
}

export function discarded(attempt: number, reason: string): CallResult {
  return { type: "call.discarded", attempt, reason }
}

const ownEndpoint = Effect.fnUntraced(function* (caller: Partner, webhookId: string) {
  const store = yield* WebhookStore
  const endpoint = yield* store.endpoint(webhookId)
  const isOwn =
    endpoint !== null &&
    endpoint.organizationId === caller.organizationId &&
    endpoint.environment === caller.environment
  return isOwn ? endpoint : yield* new Refused({ code: "NOT_FOUND" })
})

/** Pointing events elsewhere, asking for others or switching on needs the right to read reservations. */
function requireReading(
  caller: Partner,
  current: WebhookEndpoint,
  request: ChangeWebhookRequest,
): Effect.Effect<void, Refused> {
  if (caller.permissions.includes("reservations:read")) return Effect.void
  const fields: string[] = []
  if (request.url !== undefined && request.url !== current.url) fields.push("url")
  if (request.subscribed_events !== undefined && !sameSet(request.subscribed_events, current.subscribedEvents)) {
    fields.push("subscribed_events")
  }
  if (request.is_active === true && !current.isActive) fields.push("is_active")
  if (fields.length === 0) return Effect.void
  const problems = fields.map((field) => ({ field, message: "needs reservations:read" }))
  return Effect.fail(new Refused({ code: "PERMISSION_DENIED", problems }))
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item) => other.includes(item))
}

function scopeOf(caller: Partner): Pick<WebhookEndpoint, "organizationId" | "environment"> {
  return { organizationId: caller.organizationId, environment: caller.environment }
}

function recordOf(endpoint: WebhookEndpoint, secret: "whole" | "masked"): WebhookRecord {
  return {
    webhook_id: endpoint.webhookId,
    url: endpoint.url,
    subscribed_events: endpoint.subscribedEvents,
    is_active: endpoint.isActive,
    secret: secret === "whole" ? endpoint.secret : `…${endpoint.secret.slice(-4)}`,
    created_at: isoMs(endpoint.createdAtMs),
    updated_at: isoMs(endpoint.updatedAtMs),
  }
}
