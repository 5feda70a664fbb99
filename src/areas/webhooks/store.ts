/** Webhook rows: endpoints with their secrets, event bodies as frozen text, and the event of each delivery. */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { EventType, WebhookArea } from "../../model/webhook.ts"
import { KEEP_SANDBOX_EVENTS_MS, KEEP_WEBHOOK_BODIES_MS } from "../../model/values/limits.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Purge } from "../../engine/services/retention/retention.ts"
import {
  boolean,
  choice,
  epochMs,
  integer,
  json,
  sealed,
  serial,
  text,
} from "../../engine/services/tables/columns.ts"
import { notNull } from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { NewRowOf, RowOf } from "../../engine/services/tables/table.ts"
import type { Routine } from "../../engine/services/routine.ts"

export const webhookEndpoints = table("webhook_endpoints", {
  one: "an endpoint",
  many: "endpoints",
  columns: {
    webhookId: text(),
    number: serial().hidden(),
    organizationId: text(),
    environment: choice<Environment>(),
    area: choice<WebhookArea>(),
    /** Only events of this site; null for every site of the organization. */
    siteId: text().nullable(),
    url: text(),
    subscribedEvents: json<readonly EventType[]>(),
    isActive: boolean(),
    secret: sealed(text()),
    /** Projected from the endpoint's own actor, which counts failures. */
    consecutiveFailures: integer(),
    disabledAtMs: epochMs().nullable(),
    disabledReason: text().nullable(),
    createdAtMs: epochMs(),
    updatedAtMs: epochMs(),
  },
  key: ["webhookId"],
  indexes: [{ name: "webhook_endpoints_scope", by: ["environment", "organizationId", "number"] }],
  isReadOnce: true,
})

export type WebhookEndpoint = RowOf<typeof webhookEndpoints>

/** Events; each body is written once, so that every attempt of every delivery sends the same bytes. */
export const webhookBodies = table("webhook_bodies", {
  one: "a body",
  many: "bodies",
  columns: {
    eventId: text(),
    eventType: choice<EventType>(),
    /** The reservation or delivery of the event. The column is named after the first kind of subject. */
    subjectId: text().named("reservation_id"),
    body: text(),
    createdAtMs: epochMs(),
    /** See `keptFromMs` of `engine/services/organization-clock.ts`. */
    keptFromMs: epochMs().nullable().default(null).hidden(),
  },
  key: ["eventId"],
  retention: { from: "createdAtMs", realFrom: "keptFromMs", keepMs: KEEP_WEBHOOK_BODIES_MS },
  indexes: [
    { name: "webhook_bodies_oldest", by: ["createdAtMs"] },
    { name: "webhook_bodies_kept", by: ["keptFromMs"], where: { keptFromMs: notNull } },
  ],
})

export type WebhookBody = RowOf<typeof webhookBodies>

export const webhookDeliveries = table("webhook_deliveries", {
  one: "a delivery",
  many: "deliveries",
  columns: {
    deliveryId: text(),
    webhookId: text(),
    eventId: text(),
    subjectId: text().named("reservation_id"),
    /** Grows in the order in which they were made. */
    number: serial(),
    /** The delivery that this one sends again, under its id; null for a first delivery. */
    redeliveryOf: text().nullable(),
    /** When the redelivery was requested. */
    redeliveredAtMs: epochMs().nullable(),
  },
  key: ["deliveryId"],
  indexes: [
    { name: "webhook_deliveries_event", by: ["eventId"] },
    { name: "webhook_deliveries_log", by: ["webhookId", "number"] },
    { name: "webhook_deliveries_subject", by: ["subjectId", "number"] },
    { name: "webhook_deliveries_again", by: ["redeliveryOf"], where: { redeliveryOf: notNull } },
  ],
})

export type WebhookDeliveryRow = RowOf<typeof webhookDeliveries>
export type NewWebhookDelivery = NewRowOf<typeof webhookDeliveries>

/**
 * Answers of the sandbox in place of an organization's receivers: while a row exists, attempts about this delivery or reservation do
 * not leave (src/DECISIONS.md §219).
 */
export const receiverAnswers = table("receiver_answers", {
  one: "an answer for receivers",
  many: "answers for receivers",
  columns: { subjectId: text(), status: integer() },
  key: ["subjectId"],
})

/**
 * Events of the sandbox, whether or not an endpoint gets them, for developers who have no public URL. The numbers of an
 * organization's events grow in the order of their commits, so a reader that continues after a number misses none.
 */
export const sandboxEvents = table("sandbox_events", {
  one: "an event of the sandbox",
  many: "events of the sandbox",
  columns: {
    eventId: text(),
    number: serial(),
    organizationId: text(),
    area: choice<WebhookArea>(),
    eventType: choice<EventType>(),
    subjectId: text(),
    /** The bytes that endpoints get. */
    body: text(),
    /** In real time, also when the organization has moved its clock. */
    createdAtMs: epochMs(),
  },
  key: ["eventId"],
  retention: { from: "createdAtMs", keepMs: KEEP_SANDBOX_EVENTS_MS },
  indexes: [
    { name: "sandbox_events_order", by: ["organizationId", "number"] },
    { name: "sandbox_events_oldest", by: ["createdAtMs"] },
  ],
})

export type SandboxEvent = RowOf<typeof sandboxEvents>
export type NewSandboxEvent = NewRowOf<typeof sandboxEvents>

/** The content and the receiver of a delivery. */
export interface OutgoingWebhook {
  /** The id for the receiver: a redelivery has that of the first delivery. */
  readonly deliveryId: string
  readonly endpoint: WebhookEndpoint
  readonly body: WebhookBody
}

export class WebhookStore extends Context.Tag("WebhookStore")<
  WebhookStore,
  {
    readonly insertEndpoint: (endpoint: WebhookEndpoint) => Routine<void, never, Transaction>
    readonly changeEndpoint: (
      webhookId: string,
      change: Partial<Omit<WebhookEndpoint, "webhookId">>,
    ) => Routine<void, never, Transaction>
    readonly removeEndpoint: (webhookId: string) => Routine<void, never, Transaction>
    readonly endpoint: (webhookId: string) => Routine<WebhookEndpoint | null>
    /** Of one organization in one environment and API, in order of insertion, including inactive ones. */
    readonly endpoints: (scope: {
      readonly organizationId: string
      readonly environment: Environment
      readonly area: WebhookArea
    }) => Routine<readonly WebhookEndpoint[]>
    readonly insertBody: (body: NewRowOf<typeof webhookBodies>) => Routine<void, never, Transaction>
    readonly body: (eventId: string) => Routine<WebhookBody | null>
    readonly insertDelivery: (delivery: NewWebhookDelivery) => Routine<void, never, Transaction>
    readonly delivery: (deliveryId: string) => Routine<WebhookDeliveryRow | null>
    /** All data that an attempt needs, as of one moment; null when a row of it is gone. */
    readonly outgoing: (deliveryId: string) => Routine<OutgoingWebhook | null>
    /** The status that the sandbox answers for the receivers of events about this; null: they answer for themselves. */
    readonly answerFor: (subjectId: string) => Routine<number | null>
    readonly setAnswer: (subjectId: string, status: number | null) => Routine<void, never, Transaction>
    /** Deletes bodies of events that were written by then. The deliveries of an event stay. */
    readonly purgeBodies: Purge
    readonly forgetDelivery: (deliveryId: string) => Routine<void, never, Transaction>
    readonly keepEvent: (event: NewSandboxEvent) => Routine<void, never, Transaction>
    /** Deletes the sandbox's events about it; without an index, for runs in memory. */
    readonly forgetEvents: (subjectId: string) => Routine<void, never, Transaction>
    /** Events of these APIs behind a number, in order. */
    readonly keptEvents: (scope: {
      readonly organizationId: string
      readonly areas: readonly WebhookArea[]
      readonly after: number
      readonly limit: number
    }) => Routine<readonly SandboxEvent[]>
    /** The number of the organization's last event; 0 without one. */
    readonly lastEvent: (organizationId: string) => Routine<number>
    readonly purgeEvents: Purge
  }
>() {}
