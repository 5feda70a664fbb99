/** Webhook rows over SQL. */

import { and, asc, eq, inArray, lte, notExists, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { WebhookStore } from "../services/webhooks/store.ts"
import type { WebhookDeliveryRow, WebhookEndpoint } from "../services/webhooks/store.ts"
import { batchLoader } from "./batch-loader.ts"
import { Database } from "./database.ts"
import type { Orm } from "./database.ts"
import { webhookBodies, webhookDeliveries, webhookEndpoints } from "./schema.ts"
import { SecretBox } from "./secret-box.ts"
import { forgetting, sqlOver } from "./transaction.ts"
import { placesOf, preparedQuery } from "./prepared-query.ts"

/** Secrets of endpoints are sealed in their rows. */
export const layerWebhookStore: Layer.Layer<WebhookStore, never, Database | SecretBox> = Layer.effect(
  WebhookStore,
  Effect.map(Effect.all([Database, SecretBox]), ([database, box]): WebhookStore["Type"] => {
    const { read, readOnce, write: writeOf } = sqlOver(database)
    const write: typeof writeOf = (doing, query) => forgetting(writeOf(doing, query))
    const endpointsQuery = preparedQuery(database, endpointsOf)
    const oneQuery = preparedQuery(database, outgoingOne)
    const manyQuery = preparedQuery(database, outgoingMany)
    // Opened by whoever signs: fan-out reads every endpoint and needs no secret.
    const opened = ({
      number: _,
      secret,
      ...row
    }: WebhookEndpoint & { readonly number: number }): WebhookEndpoint => ({
      ...row,
      get secret() {
        return box.open(secret)
      },
    })
    return {
      insertEndpoint: (endpoint) =>
        write("inserting an endpoint", (orm) =>
          orm.insert(webhookEndpoints).values({ ...endpoint, secret: box.seal(endpoint.secret) }),
        ),
      changeEndpoint: (id, change) =>
        write("changing an endpoint", (orm) =>
          orm
            .update(webhookEndpoints)
            .set(change.secret === undefined ? change : { ...change, secret: box.seal(change.secret) })
            .where(eq(webhookEndpoints.webhookId, id)),
        ),
      endpoint: (id) =>
        Effect.map(
          read("reading an endpoint", (orm) =>
            orm.select().from(webhookEndpoints).where(eq(webhookEndpoints.webhookId, id)),
          ),
          ([row]) => (row === undefined ? null : opened(row)),
        ),
      removeEndpoint: (id) =>
        write("removing an endpoint", (orm) =>
          orm.delete(webhookEndpoints).where(eq(webhookEndpoints.webhookId, id)),
        ),
      outgoing: batchLoader((ids) =>
        Effect.map(
          read("reading what deliveries send", (orm) => {
            const [id] = ids
            return ids.length === 1 ? oneQuery(orm).execute({ id }) : manyQuery(orm).execute({ ids })
          }),
          (rows) =>
            new Map(rows.map(({ id, endpoint, ...row }) => [id, { ...row, endpoint: opened(endpoint) }])),
        ),
      ),
      endpoints: ({ organizationId, environment, area }) =>
        Effect.map(
          readOnce(`endpoints ${environment} ${area} ${organizationId}`, "reading endpoints", (orm) =>
            endpointsQuery(orm).execute({ organizationId, environment, area }),
          ),
          (rows) => rows.map(opened),
        ),
      ...bodiesAndDeliveries(database),
    }
  }),
)

function endpointsOf(orm: Orm) {
  return orm
    .select()
    .from(webhookEndpoints)
    .where(
      and(
        eq(webhookEndpoints.environment, sql.placeholder("environment")),
        eq(webhookEndpoints.area, sql.placeholder("area")),
        eq(webhookEndpoints.organizationId, sql.placeholder("organizationId")),
      ),
    )
    .orderBy(asc(webhookEndpoints.number))
    .prepare("endpoints")
}

const asTold = sql<string>`coalesce(${webhookDeliveries.redeliveryOf}, ${webhookDeliveries.deliveryId})`

/** The plain join serves one delivery at less than the look-ups cost. */
function outgoingOne(orm: Orm) {
  return orm
    .select({
      id: webhookDeliveries.deliveryId,
      deliveryId: asTold,
      endpoint: webhookEndpoints,
      body: webhookBodies,
    })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.webhookId, webhookDeliveries.webhookId))
    .innerJoin(webhookBodies, eq(webhookBodies.eventId, webhookDeliveries.eventId))
    .where(eq(webhookDeliveries.deliveryId, sql.placeholder("id")))
    .prepare("outgoing")
}

/** Endpoint and body are looked up for each delivery: a join might read all of them (src/DECISIONS.md §108). */
function outgoingMany(orm: Orm) {
  const endpoint = orm
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.webhookId, webhookDeliveries.webhookId))
    .limit(1)
    .as("endpoint")
  const body = orm
    .select()
    .from(webhookBodies)
    .where(eq(webhookBodies.eventId, webhookDeliveries.eventId))
    .limit(1)
    .as("body")
  return orm
    .select({
      id: webhookDeliveries.deliveryId,
      deliveryId: asTold,
      endpoint: endpoint._.selectedFields,
      body: body._.selectedFields,
    })
    .from(webhookDeliveries)
    .innerJoinLateral(endpoint, sql`true`)
    .innerJoinLateral(body, sql`true`)
    .where(sql`${webhookDeliveries.deliveryId} = any(${sql.placeholder("ids")}::text[])`)
    .prepare("outgoing together")
}

type Outgoing = "insertBody" | "body" | "insertDelivery" | "delivery" | "purgeBodies" | "forgetDelivery"

function bodiesAndDeliveries(database: Database["Type"]): Pick<WebhookStore["Type"], Outgoing> {
  const { read, write, writeReturning } = sqlOver(database)
  const bodyInsert = preparedQuery(database, (orm) =>
    orm.insert(webhookBodies).values(placesOf(webhookBodies)).prepare("body"),
  )
  const deliveryInsert = preparedQuery(database, (orm) =>
    orm.insert(webhookDeliveries).values(placesOf(webhookDeliveries, "number")).prepare("delivery"),
  )
  return {
    purgeBodies: ({ beforeMs, limit }) =>
      Effect.map(
        writeReturning("purging bodies", (orm) => {
          const oldest = orm
            .select({ eventId: webhookBodies.eventId })
            .from(webhookBodies)
            .where(lte(webhookBodies.createdAtMs, beforeMs))
            .orderBy(asc(webhookBodies.createdAtMs))
            .limit(limit)
          return orm
            .delete(webhookBodies)
            .where(inArray(webhookBodies.eventId, oldest))
            .returning({ eventId: webhookBodies.eventId })
        }),
        (gone) => gone.length,
      ),
    insertBody: (body) => write("keeping a body", (orm) => bodyInsert(orm).execute({ ...body })),
    body: (eventId) =>
      Effect.map(
        read("reading a body", (orm) =>
          orm.select().from(webhookBodies).where(eq(webhookBodies.eventId, eventId)),
        ),
        ([row]) => row ?? null,
      ),
    insertDelivery: (delivery) =>
      write("inserting a delivery", (orm) => deliveryInsert(orm).execute({ ...delivery })),
    delivery: (id) =>
      Effect.map(
        read("reading a delivery", (orm) =>
          orm.select().from(webhookDeliveries).where(eq(webhookDeliveries.deliveryId, id)),
        ),
        ([row]) => (row === undefined ? null : withoutNumber(row)),
      ),
    forgetDelivery: (id) =>
      writeReturning("forgetting a delivery", async (orm) => {
        const gone = await orm
          .delete(webhookDeliveries)
          .where(eq(webhookDeliveries.deliveryId, id))
          .returning({ eventId: webhookDeliveries.eventId })
        for (const { eventId } of gone) {
          const left = orm
            .select({ one: sql`1` })
            .from(webhookDeliveries)
            .where(eq(webhookDeliveries.eventId, eventId))
          await orm.delete(webhookBodies).where(and(eq(webhookBodies.eventId, eventId), notExists(left)))
        }
      }),
  }
}

function withoutNumber({
  number: _,
  ...row
}: WebhookDeliveryRow & { readonly number: number }): WebhookDeliveryRow {
  return row
}
