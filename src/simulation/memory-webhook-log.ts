/** The log of webhook deliveries in memory, over the tables that fan-out writes. */

import { Effect, Layer } from "effect"
import type { DeliveryRow } from "../services/direct-delivery/rows.ts"
import type { WebhookBody, WebhookDeliveryRow } from "../services/webhooks/store.ts"
import { WebhookLogRows } from "../services/webhooks/webhook-log.ts"
import type { LoggedDelivery } from "../services/webhooks/webhook-log.ts"
import type { MemoryStore } from "./memory-store.ts"

/** Cost of each query: linear in the webhook deliveries of the run. */
export function layerMemoryWebhookLogRows(store: MemoryStore): Layer.Layer<WebhookLogRows> {
  const sendings = store.table<WebhookDeliveryRow>("webhook-deliveries")
  const bodies = store.table<WebhookBody>("webhook-bodies")
  const deliveries = store.table<DeliveryRow>("deliveries")
  const logged = (row: WebhookDeliveryRow, number: number): readonly LoggedDelivery[] => {
    const body = bodies.get(row.eventId)
    if (body === null) return []
    const { redeliveryOf, redeliveredAtMs, ...more } = row
    return [
      {
        ...more,
        number,
        sendingId: row.deliveryId,
        deliveryId: redeliveryOf ?? row.deliveryId,
        eventType: body.eventType,
        externalDeliveryId: deliveries.get(row.subjectId)?.externalDeliveryId ?? null,
        isRedelivery: redeliveryOf !== null,
        createdAtMs: redeliveredAtMs ?? body.createdAtMs,
      },
    ]
  }
  const newestFirst = (): readonly LoggedDelivery[] => sendings.all().flatMap(logged).toReversed()
  return Layer.succeed(WebhookLogRows, {
    newest: ({ webhookId, beforeNumber, limit }) =>
      Effect.sync(() =>
        newestFirst()
          .filter(
            (one) => one.webhookId === webhookId && (beforeNumber === null || one.number < beforeNumber),
          )
          .slice(0, limit),
      ),
    byId: (id) => Effect.sync(() => newestFirst().find(({ sendingId }) => sendingId === id) ?? null),
    sendings: (id) => Effect.sync(() => newestFirst().filter(({ deliveryId }) => deliveryId === id)),
  })
}
