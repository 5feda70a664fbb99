/** The log of webhook deliveries over SQL. */

import { desc, eq } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { WebhookLogRows } from "../services/portal/webhook-log.ts"
import { Database } from "./database.ts"
import { webhookBodies, webhookDeliveries } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

export const layerWebhookLogRows: Layer.Layer<WebhookLogRows, never, Database> = Layer.effect(
  WebhookLogRows,
  Effect.map(Database, (database): WebhookLogRows["Type"] => {
    const { read } = sqlOver(database)
    return {
      newest: (webhookId, limit) =>
        read("reading the log of an endpoint", (orm) =>
          orm
            .select({
              deliveryId: webhookDeliveries.deliveryId,
              eventId: webhookDeliveries.eventId,
              eventType: webhookBodies.eventType,
              reservationId: webhookDeliveries.subjectId,
              createdAtMs: webhookBodies.createdAtMs,
            })
            .from(webhookDeliveries)
            .innerJoin(webhookBodies, eq(webhookBodies.eventId, webhookDeliveries.eventId))
            .where(eq(webhookDeliveries.webhookId, webhookId))
            .orderBy(desc(webhookBodies.createdAtMs), desc(webhookDeliveries.eventId))
            .limit(limit),
        ),
    }
  }),
)
