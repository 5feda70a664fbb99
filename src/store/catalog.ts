/** The catalog over SQL: reads of services, and writing a whole site. */

import { and, eq, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import type { Environment } from "../model/caller.ts"
import { Catalog } from "../services/catalog/catalog.ts"
import type {
  BookableZone,
  CatalogScope,
  DiscoveredSite,
  DiscoveredZone,
  Stall,
} from "../services/catalog/catalog.ts"
import { Database } from "./database.ts"
import type { Orm } from "./database.ts"
import { grants, retailers, sites, stalls, zoneRetailers, zones } from "./schema.ts"
import { sqlOver } from "./transaction.ts"
import { preparedQuery } from "./prepared-query.ts"

export const layerCatalog: Layer.Layer<Catalog, never, Database> = Layer.effect(
  Catalog,
  Effect.map(Database, (database): Catalog["Type"] => {
    const { read } = sqlOver(database)
    const bookable = preparedQuery(database, bookableIn)
    const standing = preparedQuery(database, standingIn)
    return {
      zone: ({ environment, organizationId }, zoneId) =>
        Effect.map(
          read("reading a zone", (orm) =>
            Promise.all([
              bookable(orm).execute({ environment, organizationId, zoneId }),
              standing(orm).execute({ environment, zoneId }),
            ]),
          ),
          ([rows, stands]) => zoneOf(zoneId, rows, stands),
        ),
      discover: (scope) =>
        Effect.map(
          read("reading the catalog", (orm) => granted(orm, scope)),
          treeOf,
        ),
    }
  }),
)

/** A site with everything on it, for writing. */
export interface CatalogSite {
  readonly siteId: string
  readonly name: string
  readonly timezone: string | null
  readonly zones: readonly {
    readonly zoneId: string
    readonly name: string
    readonly latitude: number | null
    readonly longitude: number | null
    readonly hasRunner: boolean
    readonly stalls: readonly Omit<Stall, "zoneId">[]
    readonly retailers: readonly {
      readonly retailerId: string
      readonly name: string
      readonly logoUrl: string | null
      readonly supportPhone: string | null
      readonly pickupRequirements: string | null
      /** Organizations that may book it in this zone. */
      readonly grantedTo: readonly string[]
    }[]
  }[]
}

/** Writes a site; existing rows with the same ids are not changed. Runs inside a transaction. */
export const writeSite = Effect.fnUntraced(function* (environment: Environment, site: CatalogSite) {
  const { writeReturning } = sqlOver(yield* Database)
  const rows = rowsOf(environment, site)
  yield* writeReturning("writing a site", async (orm) => {
    await orm.insert(sites).values(rows.site).onConflictDoNothing()
    if (rows.zones.length > 0) await orm.insert(zones).values(rows.zones).onConflictDoNothing()
    if (rows.stalls.length > 0) await orm.insert(stalls).values(rows.stalls).onConflictDoNothing()
    if (rows.retailers.length > 0) await orm.insert(retailers).values(rows.retailers).onConflictDoNothing()
    if (rows.offers.length > 0) await orm.insert(zoneRetailers).values(rows.offers).onConflictDoNothing()
    if (rows.grants.length > 0) await orm.insert(grants).values(rows.grants).onConflictDoNothing()
  })
})

function rowsOf(environment: Environment, site: CatalogSite) {
  const { siteId, name, timezone } = site
  const offered = site.zones.flatMap(({ zoneId, retailers: offers }) =>
    offers.map((retailer) => ({ environment, zoneId, ...retailer })),
  )
  return {
    site: { environment, siteId, name, timezone },
    zones: site.zones.map(({ stalls: _, retailers: __, ...zone }) => ({ environment, siteId, ...zone })),
    stalls: site.zones.flatMap(({ zoneId, stalls: all }) =>
      all.map((stall) => ({ environment, zoneId, ...stall })),
    ),
    retailers: offered.map(({ zoneId: _, grantedTo: __, ...retailer }) => retailer),
    offers: offered.map(({ zoneId, retailerId }) => ({ environment, zoneId, retailerId })),
    grants: offered.flatMap(({ zoneId, retailerId, grantedTo }) =>
      grantedTo.map((organizationId) => ({ environment, organizationId, zoneId, retailerId })),
    ),
  }
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
    .innerJoin(zoneRetailers, supportsGranted())
    .where(
      and(eq(zones.environment, sql.placeholder("environment")), eq(zones.zoneId, sql.placeholder("zoneId"))),
    )
    .prepare("bookable in zone")
}

function standingIn(orm: Orm) {
  return orm
    .select()
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
  found: readonly (typeof stalls.$inferSelect)[],
): BookableZone | null {
  const [first] = rows
  if (first === undefined) return null
  return {
    zoneId,
    siteId: first.siteId,
    hasRunner: first.hasRunner,
    stalls: found.map(({ environment: _, ...stall }) => stall),
    retailerIds: rows.map(({ retailerId }) => retailerId),
  }
}

/** A grant has effect only while the zone supports the retailer. */
function supportsGranted() {
  return and(
    eq(zoneRetailers.environment, grants.environment),
    eq(zoneRetailers.zoneId, grants.zoneId),
    eq(zoneRetailers.retailerId, grants.retailerId),
  )
}

function granted(orm: Orm, { environment, organizationId }: CatalogScope) {
  return orm
    .select({ site: sites, zone: zones, retailer: retailers })
    .from(grants)
    .innerJoin(zoneRetailers, supportsGranted())
    .innerJoin(zones, and(eq(zones.environment, grants.environment), eq(zones.zoneId, grants.zoneId)))
    .innerJoin(sites, and(eq(sites.environment, zones.environment), eq(sites.siteId, zones.siteId)))
    .innerJoin(
      retailers,
      and(eq(retailers.environment, grants.environment), eq(retailers.retailerId, grants.retailerId)),
    )
    .where(and(eq(grants.environment, environment), eq(grants.organizationId, organizationId)))
}

type Granted = Awaited<ReturnType<typeof granted>>

function treeOf(rows: Granted): readonly DiscoveredSite[] {
  const bySite = Map.groupBy(rows, ({ site }) => site.siteId)
  return byName(
    [...bySite.values()].flatMap((ofSite) => {
      const [first] = ofSite
      if (first === undefined) return []
      const { siteId, name, timezone } = first.site
      return [{ site_id: siteId, name, timezone, zones: zonesOf(ofSite) }]
    }),
    (site) => site.site_id,
  )
}

function zonesOf(rows: Granted): readonly DiscoveredZone[] {
  const byZone = Map.groupBy(rows, ({ zone }) => zone.zoneId)
  return byName(
    [...byZone.values()].flatMap((ofZone) => {
      const [first] = ofZone
      if (first === undefined) return []
      const { zoneId, name, latitude, longitude } = first.zone
      const offered = ofZone.map(({ retailer }) => ({
        retailer_id: retailer.retailerId,
        name: retailer.name,
        logo_url: retailer.logoUrl,
        support_phone: retailer.supportPhone,
        pickup_requirements: retailer.pickupRequirements,
      }))
      return [
        { zone_id: zoneId, name, latitude, longitude, retailers: byName(offered, (one) => one.retailer_id) },
      ]
    }),
    (zone) => zone.zone_id,
  )
}

/** By name, then by id, in code point order and not in that of the database's locale. */
function byName<One extends { readonly name: string }>(
  items: readonly One[],
  idOf: (item: One) => string,
): One[] {
  return items.toSorted((a, b) => compare(a.name, b.name) || compare(idOf(a), idOf(b)))
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
