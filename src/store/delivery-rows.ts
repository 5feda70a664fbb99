/** Direct delivery's rows over SQL. Longer than 400 lines: one repository after the other, each a table of statements. */

import {
  and,
  asc,
  desc,
  eq,
  exists,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  sql,
} from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import { Effect, Layer } from "effect"
import type { Environment } from "../model/caller.ts"
import type { FixRow, ReportedFix, VehicleRow } from "../services/dispatch/rows.ts"
import { VehicleRows } from "../services/dispatch/rows.ts"
import { DeliveryRows, DeliverySites, blankErrand } from "../services/direct-delivery/rows.ts"
import type { OptOutRows } from "../services/messages/rows.ts"
import type { DeliveryQuery, DeliveryRow, DeliverySite } from "../services/direct-delivery/rows.ts"
import { BLANK_PHONE, BLANK_TEXT } from "../services/retention/blanks.ts"
import type { PurgeOrder } from "../services/retention/retention.ts"
import { layerNotices } from "../services/webhooks/notice-repository.ts"
import type { Notices } from "../services/webhooks/notices.ts"
import { layerOptOutRows } from "../services/messages/opt-out-repository.ts"
import { layerTables } from "./sql-tables.ts"
import { Database } from "./database.ts"
import type { Orm } from "./database.ts"
import { deliveries, quotes, vehicleFixes, vehicles } from "./delivery-tables.ts"
import { sites } from "./schema.ts"
import { forgetOnce, forgetting, setOnce, sqlOver } from "./transaction.ts"
import type { Sql } from "./transaction.ts"
import { POOL_ANSWERS, poolOver } from "./vehicle-pool.ts"

/** All ports of direct delivery over one database. */
export const layerDeliveryStore: Layer.Layer<
  DeliveryRows | DeliverySites | Notices | OptOutRows | VehicleRows,
  never,
  Database
> = Layer.unwrapEffect(
  Effect.map(Database, (database) => {
    const here = sqlOver(database)
    return Layer.mergeAll(
      Layer.succeed(DeliverySites, sitesOver(here)),
      Layer.succeed(DeliveryRows, { ...deliveryReads(here), ...deliveryWrites(here) }),
      Layer.succeed(VehicleRows, vehiclesOver(here)),
      Layer.merge(layerNotices, layerOptOutRows).pipe(Layer.provide(layerTables)),
    )
  }),
)

/** Writes a site from which deliveries start; replaces an existing one. Runs inside a transaction. */
export const writeDeliverySite = Effect.fnUntraced(function* (site: DeliverySite) {
  const { write } = sqlOver(yield* Database)
  yield* write("writing a delivery site", (orm) =>
    orm
      .insert(sites)
      .values(site)
      .onConflictDoUpdate({ target: [sites.environment, sites.siteId], set: site }),
  )
})

function sitesOver({ read, readOnce, write }: Sql): DeliverySites["Type"] {
  const list = (doing: string, which: SQL | undefined) =>
    Effect.map(
      read(doing, (orm) => orm.select().from(sites).where(and(isOwned, which)).orderBy(asc(sites.siteId))),
      (rows) => rows.map(deliverySiteOf),
    )
  return {
    ofOrganization: ({ organizationId, environment }) =>
      list(
        "reading an organization's delivery sites",
        and(eq(sites.organizationId, organizationId), eq(sites.environment, environment)),
      ),
    all: (environment) => list("reading delivery sites", eq(sites.environment, environment)),
    insert: (site) => forgetting(write("inserting a delivery site", (orm) => orm.insert(sites).values(site))),
    change: (siteId, change) =>
      forgetting(
        write("changing a delivery site", (orm) =>
          orm
            .update(sites)
            .set(change)
            .where(and(isOwned, eq(sites.siteId, siteId))),
        ),
      ),
    byId: (siteId) =>
      Effect.map(
        readOnce(`delivery site ${siteId}`, "reading a delivery site", (orm) =>
          orm
            .select()
            .from(sites)
            .where(and(isOwned, eq(sites.siteId, siteId))),
        ),
        ([site]) => (site === undefined ? null : deliverySiteOf(site)),
      ),
  }
}

/** Ids of these sites are unique across environments. */
const isOwned = isNotNull(sites.organizationId)

function deliverySiteOf(row: typeof sites.$inferSelect): DeliverySite {
  const { organizationId, fleetId } = row
  if (organizationId === null || fleetId === null) {
    throw new Error(`site ${row.siteId} has organization ${organizationId} and fleet ${fleetId}`)
  }
  return { ...row, organizationId, fleetId }
}

type Writes = Pick<
  DeliveryRows["Type"],
  "putQuote" | "insert" | "change" | "blankEnded" | "blankQuotes" | "forget"
>

function deliveryWrites({ patchOnce, write, writeReturning }: Sql): Writes {
  return {
    putQuote: (quote) =>
      write("keeping a quote", (orm) =>
        orm
          .insert(quotes)
          .values(quote)
          .onConflictDoUpdate({ target: [quotes.siteId, quotes.externalDeliveryId], set: quote }),
      ),
    insert: (row) =>
      Effect.zipRight(
        write("inserting a delivery", (orm) => orm.insert(deliveries).values(row)),
        forgetOnce((name) => name === deliveryKey(row.deliveryId) || name.startsWith(POOL_ANSWERS)),
      ),
    change: (id, change) =>
      Effect.zipRight(
        write("changing a delivery", (orm) =>
          orm.update(deliveries).set(change).where(eq(deliveries.deliveryId, id)),
        ),
        patchOnce<readonly DeliveryRow[]>(deliveryKey(id), (rows) =>
          rows.map((row) => ({ ...row, ...change })),
        ),
      ),
    blankEnded: (order) =>
      Effect.tap(
        writeReturning("blanking deliveries", (orm) => blankEnded(orm, order)),
        forgetting(Effect.void),
      ),
    blankQuotes: (order) => writeReturning("blanking quotes", (orm) => blankQuotes(orm, order)),
    forget: (id) =>
      forgetting(
        write("forgetting a delivery", (orm) => orm.delete(deliveries).where(eq(deliveries.deliveryId, id))),
      ),
  }
}

function deliveryKey(id: string): string {
  return `delivery ${id}`
}

/** The same condition as in the partial indexes that serve the purges. */
const holdsPerson = (customer: typeof deliveries.customer | typeof quotes.customer): SQL =>
  sql`${customer} ->> 'phone' <> ${sql.raw(`'${BLANK_PHONE}'`)}`

async function blankEnded(orm: Orm, { beforeMs, limit }: PurgeOrder): Promise<number> {
  const endedAtMs = sql`coalesce(${deliveries.completedAtMs}, ${deliveries.cancelledAtMs})`
  const ended = await orm
    .select()
    .from(deliveries)
    .where(and(holdsPerson(deliveries.customer), lte(endedAtMs, beforeMs)))
    .orderBy(asc(endedAtMs))
    .limit(limit)
    .for("update", { skipLocked: true })
  for (const row of ended) {
    const cancellationReason = row.cancellationReason === null ? null : BLANK_TEXT
    await orm
      .update(deliveries)
      .set({ ...blankErrand(row), cancellationReason, toldFix: null })
      .where(eq(deliveries.deliveryId, row.deliveryId))
  }
  return ended.length
}

async function blankQuotes(orm: Orm, { beforeMs, limit }: PurgeOrder): Promise<number> {
  const expired = await orm
    .select()
    .from(quotes)
    .where(and(holdsPerson(quotes.customer), lte(quotes.expiresAtMs, beforeMs)))
    .orderBy(asc(quotes.expiresAtMs))
    .limit(limit)
    .for("update", { skipLocked: true })
  for (const quote of expired) {
    const { siteId, externalDeliveryId } = quote
    await orm
      .update(quotes)
      .set(blankErrand(quote))
      .where(and(eq(quotes.siteId, siteId), eq(quotes.externalDeliveryId, externalDeliveryId)))
  }
  return expired.length
}

function deliveryReads({ read, readOnce }: Sql): Omit<DeliveryRows["Type"], keyof Writes> {
  return {
    quote: (siteId, externalId) =>
      Effect.map(
        read("reading a quote", (orm) =>
          orm
            .select()
            .from(quotes)
            .where(and(eq(quotes.siteId, siteId), eq(quotes.externalDeliveryId, externalId))),
        ),
        ([row]) => row ?? null,
      ),
    byId: (id) =>
      Effect.map(
        readOnce(deliveryKey(id), "reading a delivery", (orm) =>
          orm.select().from(deliveries).where(eq(deliveries.deliveryId, id)),
        ),
        ([row]) => row ?? null,
      ),
    byExternalId: (siteId, externalId) =>
      Effect.map(
        read("reading a delivery", (orm) =>
          orm
            .select()
            .from(deliveries)
            .where(and(eq(deliveries.siteId, siteId), eq(deliveries.externalDeliveryId, externalId))),
        ),
        ([row]) => row ?? null,
      ),
    list: (query) => read("listing deliveries", (orm) => listed(orm, query)),
    progress: (owner) =>
      Effect.map(
        read("reading what was quoted and completed", (orm) => progressed(orm, owner)),
        ([row]) => row ?? { hasQuote: false, hasCompleted: false },
      ),
    prefetchRunsOf: (vehicleId) =>
      Effect.flatMap(
        read("prefetching the runs of a vehicle", (orm) =>
          orm
            .select()
            .from(deliveries)
            .where(and(isOpenRun(fleetOf(orm, vehicleId)), eq(deliveries.vehicleId, vehicleId))),
        ),
        Effect.forEach((row) => setOnce(deliveryKey(row.deliveryId), [row]), { discard: true }),
      ),
    runsOf: (fleetId, vehicleId) =>
      read("reading the runs of a vehicle", (orm) =>
        orm
          .select()
          .from(deliveries)
          .where(and(isOpenRun(fleetId), eq(deliveries.vehicleId, vehicleId)))
          .orderBy(asc(deliveries.number)),
      ),
  }
}

/**
 * The statuses are literals, not parameters, so that the partial index of open deliveries serves prepared plans too.
 */
function isOpenRun(fleetId: string | SQL): SQL | undefined {
  return and(eq(deliveries.fleetId, fleetId), sql`${deliveries.status} not in ('COMPLETED', 'CANCELLED')`)
}

function fleetOf(orm: Orm, vehicleId: string): SQL {
  return sql`(${orm.select({ fleetId: vehicles.fleetId }).from(vehicles).where(eq(vehicles.vehicleId, vehicleId))})`
}

function listed(orm: Orm, query: DeliveryQuery) {
  const { statuses, createdAfterMs, createdBeforeMs, beforeNumber } = query
  return orm
    .select()
    .from(deliveries)
    .where(
      and(
        "siteId" in query.of
          ? eq(deliveries.siteId, query.of.siteId)
          : and(
              eq(deliveries.organizationId, query.of.organizationId),
              eq(deliveries.environment, query.of.environment),
            ),
        statuses === null ? undefined : inArray(deliveries.status, [...statuses]),
        createdAfterMs === null ? undefined : gt(deliveries.createdAtMs, createdAfterMs),
        createdBeforeMs === null ? undefined : lt(deliveries.createdAtMs, createdBeforeMs),
        beforeNumber === null ? undefined : lt(deliveries.number, beforeNumber),
      ),
    )
    .orderBy(desc(deliveries.number))
    .limit(query.limit)
}

function progressed(
  orm: Orm,
  { organizationId, environment }: { readonly organizationId: string; readonly environment: Environment },
) {
  // Built statements: in a template drizzle writes columns without their tables, and both tables here have a `site_id`.
  const quoted = orm
    .select({ one: sql`1` })
    .from(quotes)
    .innerJoin(sites, eq(quotes.siteId, sites.siteId))
    .where(and(eq(sites.organizationId, organizationId), eq(sites.environment, environment)))
  const completed = orm
    .select({ one: sql`1` })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.organizationId, organizationId),
        eq(deliveries.environment, environment),
        eq(deliveries.status, "COMPLETED"),
      ),
    )
  return orm
    .select({ hasQuote: sql<boolean>`${exists(quoted)}`, hasCompleted: sql<boolean>`${exists(completed)}` })
    .from(sql`(select 1) as one_row`)
}

function vehiclesOver(sqlOf: Sql): VehicleRows["Type"] {
  const { read, write } = sqlOf
  return {
    insert: (vehicle) => write("inserting a vehicle", (orm) => orm.insert(vehicles).values(vehicle)),
    change: (id, change) =>
      write("changing a vehicle", (orm) =>
        orm.update(vehicles).set(change).where(eq(vehicles.vehicleId, id)),
      ),
    byId: (id): Effect.Effect<VehicleRow | null> =>
      Effect.map(
        read("reading a vehicle", (orm) => orm.select().from(vehicles).where(eq(vehicles.vehicleId, id))),
        ([row]) => row ?? null,
      ),
    ofFleet: (fleetId) =>
      read("reading a fleet", (orm) =>
        orm.select().from(vehicles).where(eq(vehicles.fleetId, fleetId)).orderBy(asc(vehicles.vehicleId)),
      ),
    pool: (fleetId, asked) => poolOver(sqlOf, fleetId, asked),
    synthetic: (environment, limit) =>
      read("reading synthetic vehicles", (orm) =>
        orm
          .select()
          .from(vehicles)
          .where(and(eq(vehicles.environment, environment), eq(vehicles.isSynthetic, true)))
          .orderBy(asc(vehicles.vehicleId))
          .limit(limit),
      ),
    ...fixesOver(sqlOf),
  }
}

function fixesOver({
  read,
  write,
  writeReturning,
}: Sql): Pick<VehicleRows["Type"], "firstFixSince" | "hasFix" | "insertFix" | "lastFix" | "purgeFixes"> {
  const first = ([row]: readonly (FixRow & { readonly id: number })[]): FixRow | null =>
    row === undefined ? null : withoutId(row)
  return {
    insertFix: (fix) => write("keeping a fix", (orm) => orm.insert(vehicleFixes).values(fix)),
    purgeFixes: ({ beforeMs, limit }) =>
      writeReturning("purging fixes", async (orm) => {
        const oldest = orm
          .select({ id: vehicleFixes.id })
          .from(vehicleFixes)
          .where(lte(vehicleFixes.receivedAtMs, beforeMs))
          .orderBy(asc(vehicleFixes.receivedAtMs))
          .limit(limit)
        const gone = await orm
          .delete(vehicleFixes)
          .where(inArray(vehicleFixes.id, oldest))
          .returning({ id: vehicleFixes.id })
        return gone.length
      }),
    hasFix: (fix) =>
      Effect.map(
        read("looking for a fix", (orm) =>
          orm.select({ id: vehicleFixes.id }).from(vehicleFixes).where(repeatedBy(fix)).limit(1),
        ),
        (rows) => rows.length > 0,
      ),
    lastFix: (of) =>
      Effect.map(
        read("reading the last fix", (orm) =>
          orm
            .select()
            .from(vehicleFixes)
            .where(
              "vehicleId" in of
                ? eq(vehicleFixes.vehicleId, of.vehicleId)
                : eq(vehicleFixes.deliveryId, of.deliveryId),
            )
            .orderBy(...LATEST)
            .limit(1),
        ),
        first,
      ),
    firstFixSince: (vehicleId, sinceMs) =>
      Effect.map(
        read("reading a fix", (orm) =>
          orm
            .select()
            .from(vehicleFixes)
            .where(and(eq(vehicleFixes.vehicleId, vehicleId), gte(vehicleFixes.recordedAtMs, sinceMs)))
            .orderBy(asc(vehicleFixes.recordedAtMs), asc(vehicleFixes.id))
            .limit(1),
        ),
        first,
      ),
  }
}

const LATEST = [desc(vehicleFixes.recordedAtMs), desc(vehicleFixes.sequence), desc(vehicleFixes.id)] as const

function repeatedBy({ vehicleId, recordedAtMs, sequence }: ReportedFix): SQL | undefined {
  return and(
    eq(vehicleFixes.vehicleId, vehicleId),
    eq(vehicleFixes.recordedAtMs, recordedAtMs),
    sequence === null ? undefined : or(isNull(vehicleFixes.sequence), eq(vehicleFixes.sequence, sequence)),
  )
}

function withoutId({ id: _, ...fix }: FixRow & { readonly id: number }): FixRow {
  return fix
}
