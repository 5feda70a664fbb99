/** The log of webhook deliveries over SQL. */

import { and, desc, eq, lt, or, sql } from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import { Effect, Layer } from "effect"
import {
  webhookBodies as declaredBodies,
  webhookDeliveries as declaredDeliveries,
} from "../../webhooks/store.ts"
import { WebhookLogRows } from "../../webhooks/webhook-log.ts"
import { Database } from "../../../engine/store/database.ts"
import type { Orm } from "../../../engine/store/database.ts"
import { deliveries as declaredErrands } from "../rows.ts"
import { declaredTable } from "../../../engine/store/declared-table.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { Routine } from "../../../engine/services/routine.ts"

const deliveries = declaredTable(declaredErrands)
const webhookBodies = declaredTable(declaredBodies)
const webhookDeliveries = declaredTable(declaredDeliveries)

export const layerWebhookLogRows: Layer.Layer<WebhookLogRows, never, Database> = Layer.effect(
  WebhookLogRows,
  Effect.map(Database, (database): WebhookLogRows["Type"] => {
    const { read } = sqlOver(database)
    return {
      newest: ({ webhookId, beforeNumber, limit }) =>
        read("reading the log of an endpoint", (orm) =>
          logged(
            orm,
            and(
              eq(webhookDeliveries.webhookId, webhookId),
              beforeNumber === null ? undefined : lt(webhookDeliveries.number, beforeNumber),
            ),
          ).limit(limit),
        ),
      byId: (sendingId) =>
        Routine.map(
          read("reading a line of the log", (orm) =>
            logged(orm, eq(webhookDeliveries.deliveryId, sendingId)),
          ),
          ([row]) => row ?? null,
        ),
      events: ({ of, eventType, beforeNumber, limit }) =>
        read("reading events of the log", (orm) =>
          loggedWithBody(
            orm,
            and(
              "subjectId" in of
                ? eq(webhookDeliveries.subjectId, of.subjectId)
                : eq(webhookDeliveries.webhookId, of.webhookId),
              eventType === null ? undefined : eq(webhookBodies.eventType, eventType),
              beforeNumber === null ? undefined : lt(webhookDeliveries.number, beforeNumber),
            ),
          ).limit(limit),
        ),
      sendings: (deliveryId) =>
        read("reading the sendings of a delivery", (orm) =>
          logged(
            orm,
            or(eq(webhookDeliveries.deliveryId, deliveryId), eq(webhookDeliveries.redeliveryOf, deliveryId)),
          ),
        ),
    }
  }),
)

const LINE = {
  sendingId: webhookDeliveries.deliveryId,
  deliveryId: sql<string>`coalesce(${webhookDeliveries.redeliveryOf}, ${webhookDeliveries.deliveryId})`,
  webhookId: webhookDeliveries.webhookId,
  eventId: webhookDeliveries.eventId,
  eventType: webhookBodies.eventType,
  subjectId: webhookDeliveries.subjectId,
  externalDeliveryId: deliveries.externalDeliveryId,
  isRedelivery: sql<boolean>`${webhookDeliveries.redeliveryOf} is not null`,
  createdAtMs: sql`coalesce(${webhookDeliveries.redeliveredAtMs}, ${webhookBodies.createdAtMs})`.mapWith(
    Number,
  ),
  number: webhookDeliveries.number,
}

/** Newest first. */
function logged(orm: Orm, condition: SQL | undefined) {
  return orm
    .select(LINE)
    .from(webhookDeliveries)
    .innerJoin(webhookBodies, eq(webhookBodies.eventId, webhookDeliveries.eventId))
    .leftJoin(deliveries, eq(deliveries.deliveryId, webhookDeliveries.subjectId))
    .where(condition)
    .orderBy(desc(webhookDeliveries.number))
    .$dynamic()
}

/** The same, with the text of the event. */
function loggedWithBody(orm: Orm, condition: SQL | undefined) {
  return orm
    .select({ ...LINE, body: webhookBodies.body })
    .from(webhookDeliveries)
    .innerJoin(webhookBodies, eq(webhookBodies.eventId, webhookDeliveries.eventId))
    .leftJoin(deliveries, eq(deliveries.deliveryId, webhookDeliveries.subjectId))
    .where(condition)
    .orderBy(desc(webhookDeliveries.number))
    .$dynamic()
}
