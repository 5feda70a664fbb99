/** Webhook rows over SQL. */

import { eq, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { webhookStoreOver } from "../webhook-repository.ts"
import { WebhookStore, sandboxEvents, webhookBodies, webhookDeliveries, webhookEndpoints } from "../store.ts"
import type { NewSandboxEvent } from "../store.ts"
import { batchLoader } from "../../../engine/store/batch-loader.ts"
import { Database } from "../../../engine/store/database.ts"
import type { Orm } from "../../../engine/store/database.ts"
import { declaredTable, shownColumns } from "../../../engine/store/declared-table.ts"
import { openedBy, sealedTablesOver } from "../../../engine/store/sql-tables.ts"
import { SecretBox } from "../../../engine/store/secret-box.ts"
import { openTransaction, sqlOver } from "../../../engine/store/transaction.ts"
import { ask, oncePerDatabase, preparedQuery } from "../../../engine/store/prepared-query.ts"
import { Routine } from "../../../engine/services/routine.ts"

const endpoints = declaredTable(webhookEndpoints)
const bodies = declaredTable(webhookBodies)
const deliveries = declaredTable(webhookDeliveries)

const queriesOn = oncePerDatabase((database) => ({
  oneQuery: preparedQuery(database, outgoingOne),
  manyQuery: preparedQuery(database, outgoingMany),
}))

/** Secrets of endpoints are sealed in their rows. */
export const layerWebhookStore: Layer.Layer<WebhookStore, never, Database | SecretBox> = Layer.effect(
  WebhookStore,
  Effect.map(Effect.all([Database, SecretBox]), ([database, box]): WebhookStore["Type"] => {
    const { read } = sqlOver(database)
    const { oneQuery, manyQuery } = queriesOn(database)
    const opened = openedBy(webhookEndpoints, box)
    const load = batchLoader((ids: readonly string[]) =>
      Routine.map(
        read("reading what deliveries send", (orm) => {
          const [id] = ids
          return ids.length === 1 ? oneQuery(orm).execute({ id }) : manyQuery(orm).execute({ ids })
        }),
        (rows) =>
          new Map(rows.map(({ id, endpoint, ...row }) => [id, { ...row, endpoint: opened(endpoint) }])),
      ),
    )
    const outgoing = (id: string) => Routine.suspend(() => load(id))
    return webhookStoreOver(sealedTablesOver(database, box), { outgoing, keepEvent })
  }),
)

/**
 * Written last, because from then on other commands of the organization that publish events wait for the commit: so
 * numbers grow in the order of commits.
 */
function keepEvent(event: NewSandboxEvent): Routine<void> {
  return Routine.map(openTransaction("keeping an event"), ({ last }) => {
    const { name } = sandboxEvents
    const write = last.get(name) ?? { doing: "keeping events", rows: [], query: keepEvents }
    last.set(name, write)
    write.rows.push(event)
  })
}

function keepEvents(orm: Orm, events: readonly object[]): PromiseLike<unknown> {
  return ask(orm, KEEP_EVENTS, [JSON.stringify(events)])
}

/**
 * The numbers are taken under locks, which last until the commit: one for each organization, in one order, so that transactions with
 * events of several organizations cannot wait for each other.
 */
const KEEP_EVENTS = `
  with given as materialized (
    select * from rows from (json_to_recordset($1::json) as ("eventId" text, "organizationId" text, area text,
      "eventType" text, "subjectId" text, body text, "createdAtMs" bigint)) with ordinality),
  locks as materialized (
    select distinct hashtextextended('sandbox events/' || "organizationId", 0) as lock from given order by lock),
  turn as materialized (select count(*) as taken from (select pg_advisory_xact_lock(lock) from locks) as waited)
  insert into sandbox_events (event_id, organization_id, area, event_type, subject_id, body, created_at_ms)
  select "eventId", "organizationId", area, "eventType", "subjectId", body, "createdAtMs"
  from given, turn where turn.taken >= 0 order by ordinality`

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
