/** Webhook rows: endpoints with their secrets, event bodies as frozen text, and which delivery carries which. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { EpochMs } from "../../model/time.ts"
import type { EventType, WebhookArea } from "../../model/webhook.ts"
import type { Transaction } from "../host.ts"
import type { Purge } from "../retention/retention.ts"

export interface WebhookEndpoint {
  readonly webhookId: string
  readonly organizationId: string
  readonly environment: Environment
  readonly area: WebhookArea
  /** Events of this site only; null for every site of the organization. */
  readonly siteId: string | null
  readonly url: string
  readonly subscribedEvents: readonly EventType[]
  readonly isActive: boolean
  readonly secret: string
  /** Projected from the endpoint's own actor, where failures are counted. */
  readonly consecutiveFailures: number
  readonly disabledAtMs: EpochMs | null
  readonly disabledReason: string | null
  readonly createdAtMs: EpochMs
  readonly updatedAtMs: EpochMs
}

/** One event, its body written once: every attempt of every delivery sends the same bytes. */
export interface WebhookBody {
  readonly eventId: string
  readonly eventType: EventType
  /** The reservation or delivery that it is about. */
  readonly subjectId: string
  readonly body: string
  readonly createdAtMs: EpochMs
}

export interface WebhookDeliveryRow {
  readonly deliveryId: string
  readonly webhookId: string
  readonly eventId: string
  readonly subjectId: string
  /** The delivery that this one sends again, under its id; null for a first one. */
  readonly redeliveryOf: string | null
  /** When that was asked for. */
  readonly redeliveredAtMs: EpochMs | null
}

/** What a delivery sends, and whom it reaches. */
export interface OutgoingWebhook {
  /** As the receiver is told it: of a redelivery that of the first. */
  readonly deliveryId: string
  readonly endpoint: WebhookEndpoint
  readonly body: WebhookBody
}

export class WebhookStore extends Context.Tag("WebhookStore")<
  WebhookStore,
  {
    readonly insertEndpoint: (endpoint: WebhookEndpoint) => Effect.Effect<void, never, Transaction>
    readonly changeEndpoint: (
      webhookId: string,
      change: Partial<Omit<WebhookEndpoint, "webhookId">>,
    ) => Effect.Effect<void, never, Transaction>
    readonly removeEndpoint: (webhookId: string) => Effect.Effect<void, never, Transaction>
    readonly endpoint: (webhookId: string) => Effect.Effect<WebhookEndpoint | null>
    /** Of one organization in one environment and API, in order of insertion, inactive ones included. */
    readonly endpoints: (scope: {
      readonly organizationId: string
      readonly environment: Environment
      readonly area: WebhookArea
    }) => Effect.Effect<readonly WebhookEndpoint[]>
    readonly insertBody: (body: WebhookBody) => Effect.Effect<void, never, Transaction>
    readonly body: (eventId: string) => Effect.Effect<WebhookBody | null>
    readonly insertDelivery: (delivery: WebhookDeliveryRow) => Effect.Effect<void, never, Transaction>
    readonly delivery: (deliveryId: string) => Effect.Effect<WebhookDeliveryRow | null>
    /** All that an attempt needs, as of one moment; null when a row of it is gone. */
    readonly outgoing: (deliveryId: string) => Effect.Effect<OutgoingWebhook | null>
    /** Drops bodies of events that were written by then. Which delivery carried which event stays. */
    readonly purgeBodies: Purge
    readonly forgetDelivery: (deliveryId: string) => Effect.Effect<void, never, Transaction>
  }
>() {}
