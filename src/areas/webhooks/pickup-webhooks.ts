/**
 * Pickup webhooks: management of an organization's endpoints in the Direct Delivery API.
 * Source: direct delivery contract, webhook registration; management beyond registration is ours (src/DECISIONS.md §32).
 */

import { Context, Effect, Layer } from "effect"
import type { Partner } from "../../model/caller.ts"
import type {
  ChangePickupWebhookRequest,
  RegisterPickupWebhookRequest,
} from "../../model/delivery-requests.ts"
import { Refused } from "../../model/errors.ts"
import { newId, newSecret } from "../../model/ids.ts"
import { ENDPOINT_FAILURES_MAX, WEBHOOK_ENDPOINTS_MAX } from "../../model/limits.ts"
import { isoMs } from "../../model/time.ts"
import { ask, currentRoot, start } from "../../services/actors.ts"
import { ActorHost, Transaction } from "../../services/host.ts"
import type { UrlPolicy } from "../../services/outbound/url-policy.ts"
import { requirePermission } from "../../services/permissions.ts"
import { WebhookStore } from "./store.ts"
import type { WebhookEndpoint } from "./store.ts"
import { checkUrl } from "./webhooks.ts"

/** An endpoint as callers see it. The whole secret is only in the answer that creates it, and masked in all others. */
export type PickupWebhookRecord = {
  readonly webhook_id: string
  /** The only site whose events it gets; null for all of the organization's. */
  readonly retailer_id: string | null
  readonly url: string
  readonly events: readonly string[]
  readonly is_active: boolean
  readonly secret: string
  readonly consecutive_failures: number
  readonly disabled_at: string | null
  readonly disabled_reason: string | null
  readonly created_at: string
  readonly updated_at: string
}

export class PickupWebhooks extends Context.Tag("PickupWebhooks")<
  PickupWebhooks,
  {
    /** `siteId` binds it to one site; null means every site of the organization. The site has been checked. */
    readonly register: (
      caller: Partner,
      siteId: string | null,
      request: RegisterPickupWebhookRequest,
    ) => Effect.Effect<PickupWebhookRecord, Refused>
    readonly list: (caller: Partner) => Effect.Effect<readonly PickupWebhookRecord[], Refused>
    readonly read: (caller: Partner, webhookId: string) => Effect.Effect<PickupWebhookRecord, Refused>
    readonly change: (
      caller: Partner,
      webhookId: string,
      request: ChangePickupWebhookRequest,
    ) => Effect.Effect<PickupWebhookRecord, Refused>
    readonly remove: (caller: Partner, webhookId: string) => Effect.Effect<void, Refused>
  }
>() {}

type Needs = ActorHost | UrlPolicy | WebhookStore

export const layerPickupWebhooks: Layer.Layer<PickupWebhooks, never, Needs> = Layer.effect(
  PickupWebhooks,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    const provide = <A, E>(effect: Effect.Effect<A, E, Needs>): Effect.Effect<A, E> =>
      Effect.provide(effect, context)
    return {
      register: (caller, siteId, request) => provide(register({ caller, siteId, request })),
      list: (caller) => provide(list(caller)),
      read: (caller, id) =>
        provide(Effect.map(ownPickupEndpoint(caller, id), (found) => recordOf(found, "masked"))),
      change: (caller, webhookId, request) => provide(change({ caller, webhookId, request })),
      remove: (caller, id) => provide(remove(caller, id)),
    }
  }),
)

interface Registration {
  readonly caller: Partner
  readonly siteId: string | null
  readonly request: RegisterPickupWebhookRequest
}

const register = Effect.fnUntraced(function* ({ caller, siteId, request }: Registration) {
  yield* requirePermission(caller, "webhooks:manage")
  yield* checkUrl(request.url)
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  const webhookId = newId("webhook", nonce)
  return yield* host.transact(
    { key: lockOf(caller) },
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const { nowMs } = yield* Transaction
      const known = yield* store.endpoints(scopeOf(caller))
      if (known.length >= WEBHOOK_ENDPOINTS_MAX) return yield* new Refused({ code: "WEBHOOK_LIMIT_REACHED" })
      const endpoint: WebhookEndpoint = {
        ...scopeOf(caller),
        webhookId,
        siteId,
        url: request.url,
        subscribedEvents: request.events,
        isActive: true,
        secret: newSecret(nonce),
        consecutiveFailures: 0,
        disabledAtMs: null,
        disabledReason: null,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      }
      yield* store.insertEndpoint(endpoint)
      const input = { failuresMax: ENDPOINT_FAILURES_MAX }
      const { environment } = caller
      yield* start("webhook-endpoint@1", { to: groupOf(webhookId), input, environment, nonce })
      return recordOf(endpoint, "whole")
    }),
  )
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
  readonly request: ChangePickupWebhookRequest
}

/** Enabling a disabled endpoint resets its failure count; an enabled one keeps its count. */
const change = Effect.fnUntraced(function* ({ caller, webhookId, request }: Change) {
  yield* ownPickupEndpoint(caller, webhookId)
  if (request.url !== undefined) yield* checkUrl(request.url)
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  return yield* host.transact(
    { key: lockOf(caller), groups: [groupOf(webhookId)] },
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const { nowMs } = yield* Transaction
      yield* ownPickupEndpoint(caller, webhookId)
      yield* store.changeEndpoint(webhookId, {
        ...(request.url === undefined ? {} : { url: request.url }),
        ...(request.events === undefined ? {} : { subscribedEvents: request.events }),
        ...(request.rotate_secret === true ? { secret: newSecret(nonce) } : {}),
        updatedAtMs: nowMs,
      })
      if (request.is_active !== undefined) {
        const type = request.is_active ? "endpoint.switched_on" : "endpoint.switched_off"
        yield* ask("webhook-endpoint", { to: groupOf(webhookId), event: { type }, nonce })
        // The answer needs the row before the turn's observer writes it.
        const { context } = yield* currentRoot("webhook-endpoint", groupOf(webhookId))
        yield* store.changeEndpoint(webhookId, {
          consecutiveFailures: context.consecutiveFailures,
          isActive: request.is_active,
          ...(request.is_active ? { disabledAtMs: null, disabledReason: null } : {}),
        })
      }
      const after = yield* ownPickupEndpoint(caller, webhookId)
      return recordOf(after, request.rotate_secret === true ? "whole" : "masked")
    }),
  )
})

const remove = Effect.fnUntraced(function* (caller: Partner, webhookId: string) {
  yield* ownPickupEndpoint(caller, webhookId)
  const host = yield* ActorHost
  yield* host.transact(
    { key: lockOf(caller), groups: [groupOf(webhookId)] },
    Effect.gen(function* () {
      const store = yield* WebhookStore
      yield* ownPickupEndpoint(caller, webhookId)
      const event = { type: "endpoint.removed" } as const
      yield* ask("webhook-endpoint", { to: groupOf(webhookId), event, nonce: yield* host.nonce })
      yield* store.removeEndpoint(webhookId)
    }),
  )
})

/** The caller's own endpoint of this API, or `NOT_FOUND`. */
export const ownPickupEndpoint = Effect.fnUntraced(function* (caller: Partner, webhookId: string) {
  yield* requirePermission(caller, "webhooks:manage")
  const store = yield* WebhookStore
  const endpoint = yield* store.endpoint(webhookId)
  const isOwn =
    endpoint !== null &&
    endpoint.area === "direct_delivery" &&
    endpoint.organizationId === caller.organizationId &&
    endpoint.environment === caller.environment
  return isOwn ? endpoint : yield* new Refused({ code: "NOT_FOUND" })
})

/** Commands on the endpoints of an organization run one at a time. */
function lockOf(caller: Partner): string {
  return `pickup-webhooks/${caller.environment}/${caller.organizationId}`
}

function groupOf(webhookId: string): string {
  return `webhook-endpoint/${webhookId}`
}

function scopeOf(caller: Partner): Pick<WebhookEndpoint, "area" | "organizationId" | "environment"> {
  return {
    area: "direct_delivery",
    organizationId: caller.organizationId,
    environment: caller.environment,
  }
}

function recordOf(endpoint: WebhookEndpoint, secret: "whole" | "masked"): PickupWebhookRecord {
  return {
    webhook_id: endpoint.webhookId,
    retailer_id: endpoint.siteId,
    url: endpoint.url,
    events: endpoint.subscribedEvents,
    is_active: endpoint.isActive,
    secret: secret === "whole" ? endpoint.secret : `…${endpoint.secret.slice(-4)}`,
    consecutive_failures: endpoint.consecutiveFailures,
    disabled_at: isoMs(endpoint.disabledAtMs),
    disabled_reason: endpoint.disabledReason,
    created_at: isoMs(endpoint.createdAtMs),
    updated_at: isoMs(endpoint.updatedAtMs),
  }
}
