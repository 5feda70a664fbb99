/** Webhook rows over their declared tables. */

import { Effect, Layer } from "effect"
import { purgeOf } from "../../services/tables/purge.ts"
import { SealedTables } from "../../services/tables/tables.ts"
import { WebhookStore, webhookBodies, webhookDeliveries, webhookEndpoints } from "./store.ts"

type Store = WebhookStore["Type"]

/** `outgoing`: the query that reads a delivery with its endpoint and body. */
export function webhookStoreOver(tables: SealedTables["Type"], outgoing: Store["outgoing"]): Store {
  const endpoints = tables.of(webhookEndpoints)
  const bodies = tables.of(webhookBodies)
  const deliveries = tables.of(webhookDeliveries)
  return {
    outgoing,
    insertEndpoint: endpoints.insert,
    changeEndpoint: (webhookId, change) => endpoints.update({ webhookId }, change),
    endpoint: (webhookId) => endpoints.get({ webhookId }),
    removeEndpoint: (webhookId) => endpoints.delete({ webhookId }),
    endpoints: ({ organizationId, environment, area }) =>
      endpoints.list({ environment, organizationId, area }, { order: ["number"] }),
    insertBody: bodies.insert,
    body: (eventId) => bodies.get({ eventId }),
    insertDelivery: deliveries.insert,
    delivery: (deliveryId) => deliveries.get({ deliveryId }),
    purgeBodies: purgeOf(webhookBodies, bodies),
    forgetDelivery: Effect.fnUntraced(function* (deliveryId) {
      const delivery = yield* deliveries.get({ deliveryId })
      if (delivery === null) return
      const { eventId } = delivery
      yield* deliveries.delete({ deliveryId })
      if ((yield* deliveries.first({ eventId })) === null) yield* bodies.delete({ eventId })
    }),
  }
}

/** Reads one table after the other; `./store` uses a join. */
export function plainOutgoing(tables: SealedTables["Type"]): Store["outgoing"] {
  const endpoints = tables.of(webhookEndpoints)
  const bodies = tables.of(webhookBodies)
  const deliveries = tables.of(webhookDeliveries)
  return Effect.fnUntraced(function* (id) {
    const delivery = yield* deliveries.get({ deliveryId: id })
    if (delivery === null) return null
    const endpoint = yield* endpoints.get({ webhookId: delivery.webhookId })
    const body = yield* bodies.get({ eventId: delivery.eventId })
    if (endpoint === null || body === null) return null
    return { deliveryId: delivery.redeliveryOf ?? delivery.deliveryId, endpoint, body }
  })
}

export const layerPlainWebhookStore: Layer.Layer<WebhookStore, never, SealedTables> = Layer.effect(
  WebhookStore,
  Effect.map(SealedTables, (tables) => webhookStoreOver(tables, plainOutgoing(tables))),
)
