/** The catalog over SQL: what services read of it, in joined statements. */

import { and, eq, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import type { Environment } from "../../../model/caller.ts"
import { catalogOver, writeCatalogSite } from "../catalog-repository.ts"
import { Catalog } from "../catalog.ts"
import type { BookableZone } from "../catalog.ts"
import * as declared from "../rows.ts"
import type { CatalogSite } from "../rows.ts"
import { Database } from "../../../engine/store/database.ts"
import type { Orm } from "../../../engine/store/database.ts"
import { declaredTable, shownColumns } from "../../../engine/store/declared-table.ts"
import { oncePerDatabase, preparedQuery } from "../../../engine/store/prepared-query.ts"
import { tablesOver } from "../../../engine/store/sql-tables.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { Routine } from "../../../engine/services/routine.ts"

const grants = declaredTable(declared.grants)
const offers = declaredTable(declared.offers)
const retailers = declaredTable(declared.retailers)
const sites = declaredTable(declared.sites)
const stalls = declaredTable(declared.stalls)
const zones = declaredTable(declared.zones)

const queriesOn = oncePerDatabase((database) => ({
  bookable: preparedQuery(database, bookableIn),
  standing: preparedQuery(database, standingIn),
  granted: preparedQuery(database, grantedTo),
}))

export const layerCatalog: Layer.Layer<Catalog, never, Database> = Layer.effect(
  Catalog,
  Effect.map(Database, (database): Catalog["Type"] => {
    const { read } = sqlOver(database)
    const { bookable, standing, granted } = queriesOn(database)
    return catalogOver({
      zone: ({ environment, organizationId }, zoneId) =>
        Routine.map(
          read("reading a zone", (orm) =>
            Promise.all([
              bookable(orm).execute({ environment, organizationId, zoneId }),
              standing(orm).execute({ environment, zoneId }),
            ]),
          ),
          ([rows, inZone]) => zoneOf(zoneId, rows, inZone),
        ),
      granted: (scope) => read("reading the catalog", (orm) => granted(orm).execute({ ...scope })),
    })
  }),
)

/** Writes a site; what is there already under the same ids stays. Any open SQL transaction serves. */
export function writeSite(environment: Environment, site: CatalogSite): Routine<void, never, Database> {
  const writing = Routine.flatMap(Database, (database) =>
    writeCatalogSite(tablesOver(database), environment, site),
  )
  return writing as Routine<void, never, Database>
}

function bookableIn(orm: Orm) {
  return orm
    .select({ siteId: zones.siteId, hasRunner: zones.hasRunner, retailerId: grants.retailerId })
    .from(zones)
    .innerJoin(
      grants,
      and(
        eq(grants.environment, zones.environment),
        eq(grants.zoneId, zones.zoneId),
        eq(grants.organizationId, sql.placeholder("organizationId")),
      ),
    )
    .innerJoin(offers, isSupported())
    .where(
      and(eq(zones.environment, sql.placeholder("environment")), eq(zones.zoneId, sql.placeholder("zoneId"))),
    )
    .prepare("bookable in zone")
}

function standingIn(orm: Orm) {
  return orm
    .select(shownColumns(declared.stalls))
    .from(stalls)
    .where(
      and(
        eq(stalls.environment, sql.placeholder("environment")),
        eq(stalls.zoneId, sql.placeholder("zoneId")),
      ),
    )
    .prepare("standing in zone")
}

function zoneOf(
  zoneId: string,
  rows: readonly { readonly siteId: string; readonly hasRunner: boolean; readonly retailerId: string }[],
  inZone: BookableZone["stalls"],
): BookableZone | null {
  const [first] = rows
  if (first === undefined) return null
  const { siteId, hasRunner } = first
  return { zoneId, siteId, hasRunner, stalls: inZone, retailerIds: rows.map(({ retailerId }) => retailerId) }
}

/** A grant counts while the zone still supports the retailer. */
function isSupported() {
  return and(
    eq(offers.environment, grants.environment),
    eq(offers.zoneId, grants.zoneId),
    eq(offers.retailerId, grants.retailerId),
  )
}

function grantedTo(orm: Orm) {
  return orm
    .select({
      site: { siteId: sites.siteId, name: sites.name, timezone: sites.timezone },
      zone: shownColumns(declared.zones),
      retailer: shownColumns(declared.retailers),
    })
    .from(grants)
    .innerJoin(offers, isSupported())
    .innerJoin(zones, and(eq(zones.environment, grants.environment), eq(zones.zoneId, grants.zoneId)))
    .innerJoin(sites, and(eq(sites.environment, zones.environment), eq(sites.siteId, zones.siteId)))
    .innerJoin(
      retailers,
      and(eq(retailers.environment, grants.environment), eq(retailers.retailerId, grants.retailerId)),
    )
    .where(
      and(
        eq(grants.environment, sql.placeholder("environment")),
        eq(grants.organizationId, sql.placeholder("organizationId")),
      ),
    )
    .prepare("granted")
}
