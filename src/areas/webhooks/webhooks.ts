/**
 * Webhooks: management of an organization's endpoints, the same for both APIs. What their contracts say differently is in
 * `webhook-policy.ts`.
 */

import type { Partner } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { newId, newSecret } from "../../model/ids.ts"
import { ENDPOINT_FAILURES_MAX, WEBHOOK_ENDPOINTS_MAX } from "../../model/values/limits.ts"
import type { ChangeWebhookRequest, RegisterWebhookRequest } from "../../model/requests/requests.ts"
import type { EventType, WebhookArea } from "../../model/webhook.ts"
import { ask, currentRoot, start } from "../../engine/services/actors.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { UrlPolicy } from "../../engine/services/outbound/url-policy.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { WebhookStore } from "./store.ts"
import type { WebhookEndpoint } from "./store.ts"
import { DIRECT_DELIVERY, RESERVATIONS } from "./webhook-policy.ts"
import type { EndpointChange, WebhookPolicy } from "./webhook-policy.ts"

export type WebhookRecord = ReturnType<typeof RESERVATIONS.show>

/** Endpoints of the Reservations API, which cannot be deleted. Without the permission, every command is refused. */
export class Webhooks extends service<Webhooks>()("Webhooks", () => {
  const { register, list, change } = management(RESERVATIONS)
  return {
    register: (caller: Partner, { subscribed_events: events, ...rest }: RegisterWebhookRequest) =>
      register(caller, { ...rest, events }),
    list,
    change: (caller: Partner, id: string, { subscribed_events: events, ...rest }: ChangeWebhookRequest) =>
      change(caller, id, { ...rest, events }),
  }
}) {}

export type PickupWebhookRecord = ReturnType<typeof DIRECT_DELIVERY.show>

/** Endpoints of the Direct Delivery API, each of one site or of all. */
export class PickupWebhooks extends service<PickupWebhooks>()("PickupWebhooks", () =>
  management(DIRECT_DELIVERY),
) {}

interface Registration {
  readonly url: string
  readonly events: readonly EventType[]
  readonly is_active?: boolean | undefined
  /** Binds the endpoint to a site, which has been checked; otherwise it gets events of every site. */
  readonly site_id?: string | null | undefined
}

/** The endpoints of an organization in one API. */
function management<Shown>(policy: WebhookPolicy<Shown>) {
  const whole = (endpoint: WebhookEndpoint) => policy.show(endpoint, endpoint.secret)
  const masked = (endpoint: WebhookEndpoint) => policy.show(endpoint, `…${endpoint.secret.slice(-4)}`)
  return {
    register: (caller: Partner, request: Registration) =>
      Routine.map(register(policy, caller, request), whole),
    list: (caller: Partner) => Routine.map(list(policy, caller), (endpoints) => endpoints.map(masked)),
    read: (caller: Partner, webhookId: string) =>
      Routine.map(ownEndpoint(caller, webhookId, policy.area), masked),
    change: (caller: Partner, webhookId: string, change: EndpointChange) =>
      Routine.map(
        changeEndpoint(policy, { caller, webhookId, change }),
        change.rotate_secret === true ? whole : masked,
      ),
    remove: (caller: Partner, webhookId: string) => remove(policy, caller, webhookId),
  }
}

type Policy = WebhookPolicy<unknown>

const register = Routine.fn(function* (policy: Policy, caller: Partner, request: Registration) {
  for (const permission of policy.registrationNeeds) yield* requirePermission(caller, permission)
  const { url } = request
  yield* checkUrlText(url)
  if (policy.checksLimitFirst) yield* checkRoom(policy, caller)
  yield* checkUrl(caller, url)
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  return yield* host.run({
    name: "register a webhook",
    locks: { key: lockOf(policy, caller) },
    body: Routine.fn(function* () {
      const store = yield* WebhookStore
      const { nowMs } = yield* Transaction
      yield* checkRoom(policy, caller)
      const webhookId = newId("webhook", nonce)
      const endpoint: WebhookEndpoint = {
        ...scopeOf(policy, caller),
        webhookId,
        siteId: request.site_id ?? null,
        url,
        subscribedEvents: request.events,
        isActive: request.is_active ?? true,
        secret: newSecret(nonce),
        consecutiveFailures: 0,
        disabledAtMs: null,
        disabledReason: null,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      }
      yield* store.insertEndpoint(endpoint)
      if (policy.attempts.isCounted === true) {
        const { environment, organizationId } = caller
        const input = { failuresMax: ENDPOINT_FAILURES_MAX }
        const to = groupOf(webhookId)
        yield* start("webhook-endpoint@1", { to, input, environment, organizationId, nonce })
      }
      return endpoint
    }),
  })
})

const checkRoom = Routine.fn(function* (policy: Policy, caller: Partner) {
  const store = yield* WebhookStore
  const known = yield* store.endpoints(scopeOf(policy, caller))
  if (known.length >= WEBHOOK_ENDPOINTS_MAX) return yield* new Refused({ code: "WEBHOOK_LIMIT_REACHED" })
})

const list = Routine.fn(function* (policy: Policy, caller: Partner) {
  yield* requirePermission(caller, "webhooks:manage")
  const store = yield* WebhookStore
  return yield* store.endpoints(scopeOf(policy, caller))
})

interface Change {
  readonly caller: Partner
  readonly webhookId: string
  readonly change: EndpointChange
}

/** The last write wins, and every sent field is written. */
const changeEndpoint = Routine.fn(function* (policy: Policy, { caller, webhookId, change }: Change) {
  const permitted = Routine.tap(ownEndpoint(caller, webhookId, policy.area), (current) =>
    policy.permit(caller, current, change),
  )
  const { url: known } = yield* permitted
  // A URL that stays was checked when it came; every send checks it again.
  if (change.url !== undefined && change.url !== known) yield* checkUrl(caller, change.url)
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  return yield* host.run({
    name: "change a webhook",
    locks: locksOf(policy, caller, webhookId),
    body: Routine.fn(function* () {
      const store = yield* WebhookStore
      const { nowMs } = yield* Transaction
      // Checked again on the row that is written: another change may have run in between.
      const before = yield* permitted
      if (!policy.isChange(before, change)) return before
      const { url, events, is_active: isActive } = change
      const isSwitched = isActive !== undefined && policy.attempts.isCounted === true
      yield* store.changeEndpoint(webhookId, {
        ...(url === undefined ? {} : { url }),
        ...(events === undefined ? {} : { subscribedEvents: events }),
        ...(isActive === undefined ? {} : { isActive }),
        ...(isSwitched ? yield* switched(webhookId, isActive, nonce) : {}),
        ...(change.rotate_secret === true ? { secret: newSecret(nonce) } : {}),
        updatedAtMs: nowMs,
      })
      return yield* ownEndpoint(caller, webhookId, policy.area)
    }),
  })
})

/**
 * Enabling a disabled endpoint resets its failure count; an enabled one keeps its count. The answer needs the columns
 * before the turn's observer writes them.
 */
export const switched = Routine.fn(function* (webhookId: string, isActive: boolean, nonce: string) {
  const type = isActive ? "endpoint.switched_on" : "endpoint.switched_off"
  yield* ask("webhook-endpoint", { to: groupOf(webhookId), event: { type }, nonce })
  const { context } = yield* currentRoot("webhook-endpoint", groupOf(webhookId))
  const { consecutiveFailures } = context
  return { consecutiveFailures, ...(isActive ? { disabledAtMs: null, disabledReason: null } : {}) }
})

const remove = Routine.fn(function* (policy: Policy, caller: Partner, webhookId: string) {
  yield* ownEndpoint(caller, webhookId, policy.area)
  const host = yield* ActorHost
  yield* host.run({
    name: "remove a webhook",
    locks: locksOf(policy, caller, webhookId),
    body: Routine.fn(function* () {
      const store = yield* WebhookStore
      yield* ownEndpoint(caller, webhookId, policy.area)
      if (policy.attempts.isCounted === true) {
        const event = { type: "endpoint.removed" } as const
        yield* ask("webhook-endpoint", { to: groupOf(webhookId), event, nonce: yield* host.nonce })
      }
      yield* store.removeEndpoint(webhookId)
    }),
  })
})

const checkUrlText = Routine.fn(function* (url: string) {
  const urls = yield* UrlPolicy
  const detail = urls.checkText(url)
  if (detail !== null) return yield* new Refused({ code: "INVALID_WEBHOOK_URL", detail })
})

/** Refuses URLs to which no webhook may be sent. */
const checkUrl = Routine.fn(function* (caller: Partner, url: string) {
  const urls = yield* UrlPolicy
  const verdict = yield* Routine.suspend(() => urls.check(url, caller))
  if (verdict.type === "public") return
  if (verdict.type === "unavailable") return yield* new Refused({ code: "URL_VALIDATION_UNAVAILABLE" })
  return yield* new Refused({ code: "INVALID_WEBHOOK_URL", detail: verdict.detail })
})

/** The caller's own endpoint, of one API or of either, or `NOT_FOUND`. */
export const ownEndpoint = Routine.fn(function* (caller: Partner, webhookId: string, area?: WebhookArea) {
  yield* requirePermission(caller, "webhooks:manage")
  const store = yield* WebhookStore
  const endpoint = yield* store.endpoint(webhookId)
  const isOwn =
    endpoint !== null &&
    (area === undefined || endpoint.area === area) &&
    endpoint.organizationId === caller.organizationId &&
    endpoint.environment === caller.environment
  return isOwn ? endpoint : yield* new Refused({ code: "NOT_FOUND" })
})

type Owner = Pick<Partner, "environment" | "organizationId">

/** Commands on the endpoints of an organization run one at a time. */
function lockOf({ lock }: Policy, { environment, organizationId }: Owner): string {
  return `${lock}/${environment}/${organizationId}`
}

export function locksOf(policy: Policy, owner: Owner, webhookId: string) {
  const groups = policy.attempts.isCounted === true ? [groupOf(webhookId)] : []
  return { key: lockOf(policy, owner), groups }
}

function groupOf(webhookId: string): `webhook-endpoint/${string}` {
  return `webhook-endpoint/${webhookId}`
}

function scopeOf(
  { area }: Policy,
  { organizationId, environment }: Partner,
): Pick<WebhookEndpoint, "area" | "organizationId" | "environment"> {
  return { area, organizationId, environment }
}
