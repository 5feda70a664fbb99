/** The log of webhook deliveries: what became of each event on its way to an endpoint. Bodies are not part of it. */

import { Context, Effect, Layer } from "effect"
import type { Partner } from "../../model/caller.ts"
import { PAGE_SIZE } from "../../model/limits.ts"
import type { EpochMs } from "../../model/time.ts"
import type { EventType } from "../../model/webhook.ts"
import { ActorHost } from "../host.ts"
import { WebhookStore } from "../webhooks/store.ts"
import { notFound } from "./refusals.ts"
import type { Refused } from "../../model/errors.ts"

/** One delivery, as rows know it. */
export interface LoggedDelivery {
  readonly deliveryId: string
  readonly eventId: string
  readonly eventType: EventType
  readonly reservationId: string
  readonly createdAtMs: EpochMs
}

/** Reads what fan-out has written. */
export class WebhookLogRows extends Context.Tag("WebhookLogRows")<
  WebhookLogRows,
  {
    /** Of one endpoint, newest first. */
    readonly newest: (webhookId: string, limit: number) => Effect.Effect<readonly LoggedDelivery[]>
  }
>() {}

/** A delivery with what its machine says; `state` null where its group has been folded away. */
export interface DeliveryLine extends LoggedDelivery {
  readonly state: "delivered" | "discarded" | "dropped" | "sending" | "waiting" | null
  readonly attempts: number
}

export class WebhookLog extends Context.Tag("WebhookLog")<
  WebhookLog,
  {
    /** The newest of one endpoint of the caller's. */
    readonly of: (caller: Partner, webhookId: string) => Effect.Effect<readonly DeliveryLine[], Refused>
  }
>() {}

type Needs = ActorHost | WebhookLogRows | WebhookStore

export const layerWebhookLog: Layer.Layer<WebhookLog, never, Needs> = Layer.effect(
  WebhookLog,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return { of: (caller, webhookId) => Effect.provide(logOf(caller, webhookId), context) }
  }),
)

const logOf = Effect.fnUntraced(function* (caller: Partner, webhookId: string) {
  const store = yield* WebhookStore
  const endpoint = yield* store.endpoint(webhookId)
  const isOwn =
    endpoint?.organizationId === caller.organizationId && endpoint.environment === caller.environment
  if (!isOwn) return yield* notFound()
  const rows = yield* WebhookLogRows
  return yield* Effect.forEach(yield* rows.newest(webhookId, PAGE_SIZE), lineOf)
})

const lineOf = Effect.fnUntraced(function* (delivery: LoggedDelivery) {
  const host = yield* ActorHost
  const address = `webhook-delivery/${delivery.deliveryId}` as const
  const snapshot = (yield* host.read(address))?.actors.get(address)?.snapshot
  const { attempt = 0 } = (snapshot?.context ?? {}) as { readonly attempt?: number }
  const state = (snapshot?.value ?? null) as DeliveryLine["state"]
  return { ...delivery, state, attempts: attempt } satisfies DeliveryLine
})
