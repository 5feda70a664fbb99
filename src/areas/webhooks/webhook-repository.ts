/** Webhook rows over their declared tables. */

import { Effect, Layer } from "effect"
import { above, among, descending } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { SealedTables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import {
  WebhookStore,
  receiverAnswers,
  sandboxEvents,
  webhookBodies,
  webhookDeliveries,
  webhookEndpoints,
} from "./store.ts"

type Store = WebhookStore["Type"]

/** Statements that a host may tune. `outgoing` reads a delivery with its endpoint and body. */
export type WebhookStatements = Pick<Store, "keepEvent" | "outgoing">

export function webhookStoreOver(tables: SealedTables["Type"], tuned: WebhookStatements): Store {
  const endpoints = tables.of(webhookEndpoints)
  const bodies = tables.of(webhookBodies)
  const deliveries = tables.of(webhookDeliveries)
  const answers = tables.of(receiverAnswers)
  const events = tables.of(sandboxEvents)
  return {
    ...tuned,
    answerFor: (subjectId) => Routine.map(answers.get({ subjectId }), (row) => row?.status ?? null),
    setAnswer: (subjectId, status) =>
      status === null ? answers.delete({ subjectId }) : answers.upsert({ subjectId, status }),
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
    forgetDelivery: Routine.fn(function* (deliveryId) {
      const delivery = yield* deliveries.get({ deliveryId })
      if (delivery === null) return
      const { eventId } = delivery
      yield* deliveries.delete({ deliveryId })
      if ((yield* deliveries.first({ eventId })) === null) yield* bodies.delete({ eventId })
    }),
    forgetEvents: (subjectId) => events.delete({ subjectId }),
    keptEvents: ({ organizationId, areas, after, limit }) =>
      events.list(
        { organizationId, area: among(...areas), number: above(after) },
        { order: ["number"], limit },
      ),
    lastEvent: (organizationId) =>
      Routine.map(events.first({ organizationId }, [descending("number")]), (last) => last?.number ?? 0),
    purgeEvents: purgeOf(sandboxEvents, events),
  }
}

/** Reads one table after the other; `./store` uses a join. */
export function plainOutgoing(tables: SealedTables["Type"]): Store["outgoing"] {
  const endpoints = tables.of(webhookEndpoints)
  const bodies = tables.of(webhookBodies)
  const deliveries = tables.of(webhookDeliveries)
  return Routine.fn(function* (id) {
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
  Effect.map(SealedTables, (tables) =>
    webhookStoreOver(tables, {
      outgoing: plainOutgoing(tables),
      keepEvent: tables.of(sandboxEvents).insert,
    }),
  ),
)
