/**
 * What the two contracts say differently about webhooks. `webhooks.ts`, `fan-out.ts` and `send.ts` serve both, each
 * with the policy of the endpoint's API. Source: reservations contract, webhook management and delivery of events; direct
 * delivery contract, webhook registration and events. Management beyond its registration is ours (src/DECISIONS.md §32).
 */

import type { Partner, Permission } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import {
  CALL_RESENDS_MAX,
  PICKUP_WEBHOOK_ATTEMPTS_MAX,
  PICKUP_WEBHOOK_BACKOFF_MS,
  WEBHOOK_ATTEMPTS_MAX,
  WEBHOOK_BACKOFF_MS,
  WEBHOOK_LEASE_MS,
} from "../../model/values/limits.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { EventType, WebhookArea } from "../../model/webhook.ts"
import type { Start } from "../../../machines/contracts.ts"
import { signBody, signWebhook } from "./signature.ts"
import type { WebhookBody, WebhookEndpoint } from "./store.ts"
import { Routine } from "../../engine/services/routine.ts"

/** A change of an endpoint. Absent fields stay. */
export interface EndpointChange {
  readonly url?: string | undefined
  readonly events?: readonly EventType[] | undefined
  readonly is_active?: boolean | undefined
  readonly rotate_secret?: boolean | undefined
}

/** One contract's rules. `Shown`: an endpoint as its callers see it. */
export interface WebhookPolicy<Shown> {
  readonly area: WebhookArea
  /** Name of the lock under which commands of an organization run one at a time. Nodes of earlier versions use it too. */
  readonly lock: string
  readonly registrationNeeds: readonly Permission[]
  /** True when the limit of endpoints is checked before the URL is looked up: a caller at its limit is not asked to retry. */
  readonly checksLimitFirst: boolean
  /** Refuses a change for which the caller lacks a further permission. */
  readonly permit: (
    caller: Partner,
    current: WebhookEndpoint,
    change: EndpointChange,
  ) => Routine<void, Refused>
  /** False when a request changes nothing, not even `updated_at`. */
  readonly isChange: (current: WebhookEndpoint, change: EndpointChange) => boolean
  /** The schedule of attempts. With `isCounted`, an actor of the endpoint counts failures and disables the endpoint. */
  readonly attempts: Omit<Start<"webhook-delivery@2">["input"], "endpointId" | "eventId">
  /** Headers of an attempt, in addition to those of both contracts. */
  readonly headers: (
    secret: string,
    event: WebhookBody,
    atMs: EpochMs,
  ) => Readonly<Record<`X-Service-${string}`, string>>
  /** `secret` is whole only in the answer that creates it, and masked in all others. */
  readonly show: (endpoint: WebhookEndpoint, secret: string) => Shown
}

export const RESERVATIONS = {
  area: "reservations",
  lock: "webhooks",
  registrationNeeds: ["webhooks:manage", "reservations:read"],
  checksLimitFirst: true,
  permit: requireReading,
  isChange: (current, { url, events, is_active, rotate_secret }) =>
    rotate_secret === true ||
    (url !== undefined && url !== current.url) ||
    (is_active !== undefined && is_active !== current.isActive) ||
    // The order is part of the record.
    (events !== undefined && events.join() !== current.subscribedEvents.join()),
  attempts: {
    attemptsMax: WEBHOOK_ATTEMPTS_MAX,
    backoffMs: WEBHOOK_BACKOFF_MS,
    leaseMs: WEBHOOK_LEASE_MS,
    resendsMax: CALL_RESENDS_MAX,
  },
  headers: (secret, { body, eventId, eventType }, atMs) => ({
    "X-Service-Signature": signWebhook({ secret, body, atMs }),
    "X-Service-Event-Id": eventId,
    "X-Service-Event-Type": eventType,
  }),
  show: (endpoint, secret) => ({
    webhook_id: endpoint.webhookId,
    url: endpoint.url,
    subscribed_events: endpoint.subscribedEvents,
    is_active: endpoint.isActive,
    secret,
    created_at: isoMs(endpoint.createdAtMs),
    updated_at: isoMs(endpoint.updatedAtMs),
  }),
} satisfies WebhookPolicy<object>

export const DIRECT_DELIVERY = {
  area: "direct_delivery",
  lock: "pickup-webhooks",
  registrationNeeds: ["webhooks:manage"],
  checksLimitFirst: false,
  permit: () => Routine.void,
  isChange: () => true,
  attempts: {
    attemptsMax: PICKUP_WEBHOOK_ATTEMPTS_MAX,
    backoffMs: PICKUP_WEBHOOK_BACKOFF_MS,
    leaseMs: WEBHOOK_LEASE_MS,
    resendsMax: CALL_RESENDS_MAX,
    isCounted: true,
  },
  headers: (secret, { body, eventType }) => ({
    "X-Service-Signature": signBody({ secret, body }),
    "X-Service-Event": eventType,
  }),
  show: (endpoint, secret) => ({
    webhook_id: endpoint.webhookId,
    /** The only site whose events it gets; null for all of the organization's. */
    retailer_id: endpoint.siteId,
    url: endpoint.url,
    events: endpoint.subscribedEvents,
    is_active: endpoint.isActive,
    secret,
    consecutive_failures: endpoint.consecutiveFailures,
    disabled_at: isoMs(endpoint.disabledAtMs),
    disabled_reason: endpoint.disabledReason,
    created_at: isoMs(endpoint.createdAtMs),
    updated_at: isoMs(endpoint.updatedAtMs),
  }),
} satisfies WebhookPolicy<object>

export const POLICIES: Readonly<Record<WebhookArea, WebhookPolicy<unknown>>> = {
  reservations: RESERVATIONS,
  direct_delivery: DIRECT_DELIVERY,
}

/** A change of URL or events, or enabling, requires the permission to read reservations. */
function requireReading(
  caller: Partner,
  current: WebhookEndpoint,
  { url, events, is_active }: EndpointChange,
): Routine<void, Refused> {
  if (caller.permissions.includes("reservations:read")) return Routine.void
  const fields: string[] = []
  if (url !== undefined && url !== current.url) fields.push("url")
  if (events !== undefined && !sameSet(events, current.subscribedEvents)) fields.push("subscribed_events")
  if (is_active === true && !current.isActive) fields.push("is_active")
  if (fields.length === 0) return Routine.void
  const problems = fields.map((field) => ({ field, message: "needs reservations:read" }))
  return Routine.fail(new Refused({ code: "PERMISSION_DENIED", problems }))
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item) => other.includes(item))
}
