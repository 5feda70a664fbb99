/**
 * Webhooks: management of an organization's endpoints.
 * Source: reservations contract, webhook management.
 */

import { Context, Effect, Layer } from "effect"
import type { Partner } from "../../model/caller.ts"
import { Refused } from "../../model/errors.ts"
import { newId, newSecret } from "../../model/ids.ts"
import { WEBHOOK_ENDPOINTS_MAX } from "../../model/limits.ts"
import type { ChangeWebhookRequest, RegisterWebhookRequest } from "../../model/requests.ts"
import { isoMs } from "../../model/time.ts"
import type { ReservationEventType } from "../../model/webhook.ts"
import { ActorHost, Transaction } from "../../services/host.ts"
import { UrlPolicy } from "../../services/outbound/url-policy.ts"
import { requirePermission } from "../../services/permissions.ts"
import { WebhookStore } from "./store.ts"
import type { WebhookEndpoint } from "./store.ts"

/** An endpoint as callers see it. The whole secret is only in the answer that creates it, and masked in all others. */
export type WebhookRecord = {
  readonly webhook_id: string
  readonly url: string
  readonly subscribed_events: readonly ReservationEventType[]
  readonly is_active: boolean
  readonly secret: string
  readonly created_at: string
  readonly updated_at: string
}

export class Webhooks extends Context.Tag("Webhooks")<
  Webhooks,
  {
    readonly register: (
      caller: Partner,
      request: RegisterWebhookRequest,
    ) => Effect.Effect<WebhookRecord, Refused>
    readonly list: (caller: Partner) => Effect.Effect<readonly WebhookRecord[], Refused>
    readonly change: (
      caller: Partner,
      webhookId: string,
      request: ChangeWebhookRequest,
    ) => Effect.Effect<WebhookRecord, Refused>
  }
>() {}

type Needs = ActorHost | UrlPolicy | WebhookStore

export const layerWebhooks: Layer.Layer<Webhooks, never, Needs> = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return {
      register: (caller, request) => Effect.provide(register(caller, request), context),
      list: (caller) => Effect.provide(list(caller), context),
      change: (caller, webhookId, request) => Effect.provide(change({ caller, webhookId, request }), context),
    }
  }),
)

const register = Effect.fnUntraced(function* (caller: Partner, request: RegisterWebhookRequest) {
  yield* requirePermission(caller, "webhooks:manage")
  yield* requirePermission(caller, "reservations:read")
  yield* checkUrlText(request.url)
  // Checked before the look-up: a caller at its limit must not be asked to retry.
  yield* checkRoom(caller)
  yield* checkUrl(request.url)
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  return yield* host.transact({ key: lockOf(caller) }, insert({ caller, request, nonce }))
})

interface Registration {
  readonly caller: Partner
  readonly request: RegisterWebhookRequest
  readonly nonce: string
}

const insert = Effect.fnUntraced(function* ({ caller, request, nonce }: Registration) {
  const store = yield* WebhookStore
  const scope = scopeOf(caller)
  // Checked again under the lock: another command may have run in between.
  yield* checkRoom(caller)
  const { nowMs } = yield* Transaction
  const endpoint: WebhookEndpoint = {
    webhookId: newId("webhook", nonce),
    ...scope,
    siteId: null,
    url: request.url,
    subscribedEvents: request.subscribed_events,
    isActive: request.is_active ?? true,
    secret: newSecret(nonce),
    consecutiveFailures: 0,
    disabledAtMs: null,
    disabledReason: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
  yield* store.insertEndpoint(endpoint)
  return recordOf(endpoint, "whole")
})

const checkRoom = Effect.fnUntraced(function* (caller: Partner) {
  const store = yield* WebhookStore
  const known = yield* store.endpoints(scopeOf(caller))
  if (known.length >= WEBHOOK_ENDPOINTS_MAX) return yield* new Refused({ code: "WEBHOOK_LIMIT_REACHED" })
})

const list = Effect.fnUntraced(function* (caller: Partner) {
  yield* requirePermission(caller, "webhooks:manage")
  const store = yield* WebhookStore
  const endpoints = yield* store.endpoints(scopeOf(caller))
  return endpoints.map((endpoint) => recordOf(endpoint, "masked"))
})

interface Change {
  readonly caller: Partner
  readonly webhookId: string
  readonly request: ChangeWebhookRequest
}

/** The last write wins, and every sent field is written. */
const change = Effect.fnUntraced(function* ({ caller, webhookId, request }: Change) {
  yield* requirePermission(caller, "webhooks:manage")
  const current = yield* ownEndpoint(caller, webhookId)
  yield* requireReading(caller, current, request)
  if (request.url !== undefined) yield* checkUrl(request.url)
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  return yield* host.transact(
    { key: lockOf(caller) },
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const { nowMs } = yield* Transaction
      // Checked again on the row that is written: another change may have run in between.
      const before = yield* ownEndpoint(caller, webhookId)
      yield* requireReading(caller, before, request)
      if (changes(before, request)) {
        yield* store.changeEndpoint(webhookId, {
          ...(request.url === undefined ? {} : { url: request.url }),
          ...(request.subscribed_events === undefined ? {} : { subscribedEvents: request.subscribed_events }),
          ...(request.is_active === undefined ? {} : { isActive: request.is_active }),
          ...(request.rotate_secret === true ? { secret: newSecret(nonce) } : {}),
          updatedAtMs: nowMs,
        })
      }
      const after = yield* ownEndpoint(caller, webhookId)
      return recordOf(after, request.rotate_secret === true ? "whole" : "masked")
    }),
  )
})

/** A request with the current values changes nothing, not even `updated_at`. */
function changes(current: WebhookEndpoint, request: ChangeWebhookRequest): boolean {
  const { url, subscribed_events, is_active, rotate_secret } = request
  return (
    rotate_secret === true ||
    (url !== undefined && url !== current.url) ||
    (is_active !== undefined && is_active !== current.isActive) ||
    // The order is part of the record.
    (subscribed_events !== undefined && subscribed_events.join() !== current.subscribedEvents.join())
  )
}

const checkUrlText = Effect.fnUntraced(function* (url: string) {
  const urls = yield* UrlPolicy
  const detail = urls.checkText(url)
  if (detail !== null) return yield* new Refused({ code: "INVALID_WEBHOOK_URL", detail })
})

/** Refuses URLs to which no webhook may be sent. */
export const checkUrl = Effect.fnUntraced(function* (url: string) {
  const urls = yield* UrlPolicy
  const verdict = yield* urls.check(url)
  if (verdict.type === "public") return
  if (verdict.type === "unavailable") return yield* new Refused({ code: "URL_VALIDATION_UNAVAILABLE" })
  return yield* new Refused({ code: "INVALID_WEBHOOK_URL", detail: verdict.detail })
})

const ownEndpoint = Effect.fnUntraced(function* (caller: Partner, webhookId: string) {
  const store = yield* WebhookStore
  const endpoint = yield* store.endpoint(webhookId)
  const isOwn =
    endpoint !== null &&
    endpoint.area === "reservations" &&
    endpoint.organizationId === caller.organizationId &&
    endpoint.environment === caller.environment
  return isOwn ? endpoint : yield* new Refused({ code: "NOT_FOUND" })
})

/** A change of URL or events, or enabling, requires the permission to read reservations. */
function requireReading(
  caller: Partner,
  current: WebhookEndpoint,
  request: ChangeWebhookRequest,
): Effect.Effect<void, Refused> {
  if (caller.permissions.includes("reservations:read")) return Effect.void
  const fields: string[] = []
  if (request.url !== undefined && request.url !== current.url) fields.push("url")
  if (
    request.subscribed_events !== undefined &&
    !sameSet(request.subscribed_events, current.subscribedEvents)
  ) {
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

/** Commands on the endpoints of an organization run one at a time. */
function lockOf(caller: Partner): string {
  return `webhooks/${caller.environment}/${caller.organizationId}`
}

function scopeOf(caller: Partner): Pick<WebhookEndpoint, "area" | "organizationId" | "environment"> {
  return { area: "reservations", organizationId: caller.organizationId, environment: caller.environment }
}

function recordOf(endpoint: WebhookEndpoint, secret: "whole" | "masked"): WebhookRecord {
  return {
    webhook_id: endpoint.webhookId,
    url: endpoint.url,
    // The request's schema allows an endpoint of this API to subscribe only to events of this API.
    subscribed_events: endpoint.subscribedEvents as readonly ReservationEventType[],
    is_active: endpoint.isActive,
    secret: secret === "whole" ? endpoint.secret : `…${endpoint.secret.slice(-4)}`,
    created_at: isoMs(endpoint.createdAtMs),
    updated_at: isoMs(endpoint.updatedAtMs),
  }
}
