/** Log of webhook deliveries with the ids of their errands: reads one table after the other; `./store` joins them. */

import { Effect, Layer } from "effect"
import { below, descending, either, ifGiven } from "../../engine/services/tables/conditions.ts"
import { batch } from "../../engine/services/host.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { deliveries } from "./rows.ts"
import { webhookBodies, webhookDeliveries } from "../webhooks/store.ts"
import type { WebhookDeliveryRow } from "../webhooks/store.ts"
import { WebhookLogRows } from "../webhooks/webhook-log.ts"
import type { LoggedDelivery } from "../webhooks/webhook-log.ts"

/** Cost of `newest`: linear in the deliveries of the endpoint. */
export const layerPlainWebhookLogRows: Layer.Layer<WebhookLogRows, never, Tables> = Layer.effect(
  WebhookLogRows,
  Effect.map(Tables, (tables): WebhookLogRows["Type"] => {
    const sendings = tables.of(webhookDeliveries)
    const bodies = tables.of(webhookBodies)
    const line = lineOver(tables)
    const newestFirst = { order: [descending("number")] } as const
    const lines = (found: Routine<readonly WebhookDeliveryRow[]>) =>
      Routine.map(
        Routine.flatMap(found, (rows) => Routine.forEach(rows, line)),
        (all) => all.filter((one) => one !== null),
      )
    return {
      newest: ({ webhookId, beforeNumber, limit }) =>
        Routine.map(
          lines(sendings.list({ webhookId, number: ifGiven(beforeNumber, below) }, newestFirst)),
          (all) => all.slice(0, limit),
        ),
      byId: (deliveryId) =>
        Routine.flatMap(sendings.get({ deliveryId }), (row) =>
          row === null ? Routine.succeed(null) : line(row),
        ),
      events: ({ of, eventType, beforeNumber, limit }) =>
        Routine.map(
          Routine.flatMap(
            sendings.list({ ...of, number: ifGiven(beforeNumber, below) }, newestFirst),
            (rows) =>
              Routine.forEach(rows, (row) => batch([line(row), bodies.get({ eventId: row.eventId })])),
          ),
          (all) =>
            all
              .flatMap(([one, body]) => (one === null || body === null ? [] : [{ ...one, body: body.body }]))
              .filter((one) => eventType === null || one.eventType === eventType)
              .slice(0, limit),
        ),
      sendings: (deliveryId) =>
        lines(sendings.list(either({ deliveryId }, { redeliveryOf: deliveryId }), newestFirst)),
    }
  }),
)

/** Null where the body has been purged. */
function lineOver(tables: Tables["Type"]): (row: WebhookDeliveryRow) => Routine<LoggedDelivery | null> {
  const bodies = tables.of(webhookBodies)
  const allDeliveries = tables.of(deliveries)
  return Routine.fn(function* ({ redeliveryOf, redeliveredAtMs, deliveryId: sendingId, ...row }) {
    const body = yield* bodies.get({ eventId: row.eventId })
    if (body === null) return null
    const delivery = yield* allDeliveries.get({ deliveryId: row.subjectId })
    return {
      ...row,
      sendingId,
      deliveryId: redeliveryOf ?? sendingId,
      eventType: body.eventType,
      externalDeliveryId: delivery?.externalDeliveryId ?? null,
      isRedelivery: redeliveryOf !== null,
      createdAtMs: redeliveredAtMs ?? body.createdAtMs,
    }
  })
}
