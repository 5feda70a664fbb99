/** Catalog rows over SQL. */

import { and, asc, eq, getTableColumns, sql } from "drizzle-orm"
import type { PgColumn, PgTable } from "drizzle-orm/pg-core"
import { Effect, Layer } from "effect"
import type { Environment } from "../model/caller.ts"
import type { Grant, Offer, Retailer, Stall, Zone } from "../model/catalog.ts"
import type { Site } from "../model/site.ts"
import { organizations as declaredOrganizations } from "../services/access/rows.ts"
import { CatalogRows } from "../services/catalog/rows.ts"
import type { CatalogLinks, CatalogTable } from "../services/catalog/rows.ts"
import { Database } from "./database.ts"
import { declaredTable } from "./declared-table.ts"
import { grants, retailers, sites, stalls, zoneRetailers, zones } from "./schema.ts"
import { sqlOver } from "./transaction.ts"
import type { Sql } from "./transaction.ts"

const organizations = declaredTable(declaredOrganizations)

export const layerCatalogRows: Layer.Layer<CatalogRows, never, Database> = Layer.effect(
  CatalogRows,
  Effect.map(Database, (database): CatalogRows["Type"] => {
    const over = sqlOver(database)
    return {
      sites: keyed<Site>(over, sites, "siteId"),
      zones: keyed<Zone>(over, zones, "zoneId"),
      stalls: keyed<Stall>(over, stalls, "stallId"),
      retailers: keyed<Retailer>(over, retailers, "retailerId"),
      offers: linked<Offer>(over, zoneRetailers, ["zoneId", "retailerId"]),
      grants: linked<Grant>(over, grants, ["organizationId", "zoneId", "retailerId"]),
      grantToEnrolled: (environment, { zoneId, retailerId }) =>
        over.write("inserting into the catalog", (orm) =>
          orm
            .insert(grants)
            .select(
              orm
                .select({
                  environment: sql<Environment>`${environment}::text`.as("environment"),
                  organizationId: organizations.organizationId,
                  zoneId: sql<string>`${zoneId}::text`.as("zone_id"),
                  retailerId: sql<string>`${retailerId}::text`.as("retailer_id"),
                })
                .from(organizations)
                .where(
                  and(
                    eq(organizations.isFleetPartner, true),
                    sql`${organizations.environments}::jsonb @> ${JSON.stringify([environment])}::jsonb`,
                  ),
                ),
            )
            .onConflictDoNothing(),
        ),
    }
  }),
)

/**
 * The tables differ only in their columns, which are named like the rows' fields. Here they are untyped tables; a
 * result is a row and its environment.
 */
function keyed<Row extends object>(
  { read, write }: Sql,
  table: PgTable,
  id: keyof Row & string,
): CatalogTable<Row> {
  const column = columnsOf(table)
  const at = (environment: Environment, value: string) =>
    and(eq(column("environment"), environment), eq(column(id), value))
  return {
    all: (environment) =>
      Effect.map(
        read("reading the catalog", (orm) =>
          orm
            .select()
            .from(table)
            .where(eq(column("environment"), environment))
            .orderBy(inOrder(column(id))),
        ),
        (rows) => rows.map(rowOf<Row>),
      ),
    get: (environment, value) =>
      Effect.map(
        read("reading the catalog", (orm) => orm.select().from(table).where(at(environment, value))),
        ([row]) => (row === undefined ? null : rowOf<Row>(row)),
      ),
    insert: (environment, row) =>
      write("inserting into the catalog", (orm) => orm.insert(table).values({ environment, ...row })),
    change: (environment, value, change) =>
      write("changing the catalog", (orm) => orm.update(table).set(change).where(at(environment, value))),
  }
}

function linked<Link extends object>(
  { read, write }: Sql,
  table: PgTable,
  ids: readonly (keyof Link & string)[],
): CatalogLinks<Link> {
  const column = columnsOf(table)
  return {
    all: (environment) =>
      Effect.map(
        read("reading the catalog", (orm) =>
          orm
            .select()
            .from(table)
            .where(eq(column("environment"), environment))
            .orderBy(...ids.map((id) => inOrder(column(id)))),
        ),
        (rows) => rows.map(rowOf<Link>),
      ),
    put: (environment, link) =>
      write("inserting into the catalog", (orm) =>
        orm
          .insert(table)
          .values({ environment, ...link })
          .onConflictDoNothing(),
      ),
    remove: (environment, link) =>
      write("deleting from the catalog", (orm) =>
        orm
          .delete(table)
          .where(and(eq(column("environment"), environment), ...ids.map((id) => eq(column(id), link[id])))),
      ),
  }
}

function columnsOf(table: PgTable): (field: string) => PgColumn {
  const columns = getTableColumns(table)
  return (field) => {
    const column = columns[field]
    if (column === undefined) throw new Error(`the table has no column for ${field}`)
    return column
  }
}

/** In code point order, not in that of the database's locale. */
function inOrder(column: PgColumn) {
  return asc(sql`${column} collate "C"`)
}

function rowOf<Row>({ environment: _, ...row }: Record<string, unknown>): Row {
  return row as Row
}
