/** Webhook rows: endpoints with their secrets, event bodies as frozen text, and which delivery carries which. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { EpochMs } from "../../model/time.ts"
import type { EventType } from "../../model/webhook.ts"
import type { Transaction } from "../host.ts"
import type { Purge } from "../retention/retention.ts"

export interface WebhookEndpoint {
  readonly webhookId: string
  readonly organizationId: string
  readonly environment: Environment
  readonly url: string
  readonly subscribedEvents: readonly EventType[]
  readonly isActive: boolean
  readonly secret: string
  readonly createdAtMs: EpochMs
  readonly updatedAtMs: EpochMs
}

/** One event, its body written once: every attempt of every delivery sends the same bytes. */
export interface WebhookBody {
  readonly eventId: string
  readonly eventType: EventType
  readonly reservationId: string
  readonly body: string
  readonly createdAtMs: EpochMs
}

export interface WebhookDeliveryRow {
  readonly deliveryId: string
  readonly webhookId: string
  readonly eventId: string
  readonly reservationId: string
}

export class WebhookStore extends Context.Tag("WebhookStore")<
  WebhookStore,
  {
    readonly insertEndpoint: (endpoint: WebhookEndpoint) => Effect.Effect<void, never, Transaction>
    readonly changeEndpoint: (
      webhookId: string,
      change: Partial<Omit<WebhookEndpoint, "webhookId">>,
    ) => Effect.Effect<void, never, Transaction>
    readonly endpoint: (webhookId: string) => Effect.Effect<WebhookEndpoint | null>
    /** Of one organization in one environment, in order of insertion, inactive ones included. */
    readonly endpoints: (scope: {
      readonly organizationId: string
      readonly environment: Environment
    }) => Effect.Effect<readonly WebhookEndpoint[]>
    readonly insertBody: (body: WebhookBody) => Effect.Effect<void, never, Transaction>
    readonly body: (eventId: string) => Effect.Effect<WebhookBody | null>
    readonly insertDelivery: (delivery: WebhookDeliveryRow) => Effect.Effect<void, never, Transaction>
    readonly delivery: (deliveryId: string) => Effect.Effect<WebhookDeliveryRow | null>
    /** Drops bodies of events that were written by then. Which delivery carried which event stays. */
    readonly purgeBodies: Purge
    readonly forgetDelivery: (deliveryId: string) => Effect.Effect<void, never, Transaction>
  }
>() {}
