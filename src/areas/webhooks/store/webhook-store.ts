/** Webhook rows over SQL. */

import { eq, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { webhookStoreOver } from "../webhook-repository.ts"
import { WebhookStore, webhookBodies, webhookDeliveries, webhookEndpoints } from "../store.ts"
import { batchLoader } from "../../../store/batch-loader.ts"
import { Database } from "../../../store/database.ts"
import type { Orm } from "../../../store/database.ts"
import { declaredTable, shownColumns } from "../../../store/declared-table.ts"
import { openedBy, sealedTablesOver } from "../../../store/sql-tables.ts"
import { SecretBox } from "../../../store/secret-box.ts"
import { sqlOver } from "../../../store/transaction.ts"
import { preparedQuery } from "../../../store/prepared-query.ts"

const endpoints = declaredTable(webhookEndpoints)
const bodies = declaredTable(webhookBodies)
const deliveries = declaredTable(webhookDeliveries)

/** Secrets of endpoints are sealed in their rows. */
export const layerWebhookStore: Layer.Layer<WebhookStore, never, Database | SecretBox> = Layer.effect(
  WebhookStore,
  Effect.map(Effect.all([Database, SecretBox]), ([database, box]): WebhookStore["Type"] => {
    const { read } = sqlOver(database)
    const oneQuery = preparedQuery(database, outgoingOne)
    const manyQuery = preparedQuery(database, outgoingMany)
    const opened = openedBy(webhookEndpoints, box)
    return webhookStoreOver(
      sealedTablesOver(database, box),
      batchLoader((ids) =>
        Effect.map(
          read("reading what deliveries send", (orm) => {
            const [id] = ids
            return ids.length === 1 ? oneQuery(orm).execute({ id }) : manyQuery(orm).execute({ ids })
          }),
          (rows) =>
            new Map(rows.map(({ id, endpoint, ...row }) => [id, { ...row, endpoint: opened(endpoint) }])),
        ),
      ),
    )
  }),
)

const originalDeliveryId = sql<string>`coalesce(${deliveries.redeliveryOf}, ${deliveries.deliveryId})`

/** For one delivery the plain join costs less than the look-ups. */
function outgoingOne(orm: Orm) {
  return orm
    .select({
      id: deliveries.deliveryId,
      deliveryId: originalDeliveryId,
      endpoint: shownColumns(webhookEndpoints),
      body: shownColumns(webhookBodies),
    })
    .from(deliveries)
    .innerJoin(endpoints, eq(endpoints.webhookId, deliveries.webhookId))
    .innerJoin(bodies, eq(bodies.eventId, deliveries.eventId))
    .where(eq(deliveries.deliveryId, sql.placeholder("id")))
    .prepare("outgoing")
}

/** Endpoint and body are looked up for each delivery: a join might read all of them (src/DECISIONS.md §108). */
function outgoingMany(orm: Orm) {
  const endpoint = orm
    .select(shownColumns(webhookEndpoints))
    .from(endpoints)
    .where(eq(endpoints.webhookId, deliveries.webhookId))
    .limit(1)
    .as("endpoint")
  const body = orm
    .select(shownColumns(webhookBodies))
    .from(bodies)
    .where(eq(bodies.eventId, deliveries.eventId))
    .limit(1)
    .as("body")
  return orm
    .select({
      id: deliveries.deliveryId,
      deliveryId: originalDeliveryId,
      endpoint: endpoint._.selectedFields,
      body: body._.selectedFields,
    })
    .from(deliveries)
    .innerJoinLateral(endpoint, sql`true`)
    .innerJoinLateral(body, sql`true`)
    .where(sql`${deliveries.deliveryId} = any(${sql.placeholder("ids")}::text[])`)
    .prepare("outgoing together")
}
