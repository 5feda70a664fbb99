/** Sites for analytics, over the catalog's tables. */

import { and, eq, exists, or, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { MeasuredSites } from "../services/analytics/sites.ts"
import type { SiteScope } from "../services/analytics/sites.ts"
import { Database } from "./database.ts"
import type { Orm } from "./database.ts"
import { grants, sites, stalls, zoneRetailers, zones } from "./schema.ts"
import { sqlOver } from "./transaction.ts"
import { preparedQuery } from "./prepared-query.ts"

export const layerMeasuredSites: Layer.Layer<MeasuredSites, never, Database> = Layer.effect(
  MeasuredSites,
  Effect.map(Database, (database): MeasuredSites["Type"] => {
    const { read } = sqlOver(database)
    const siteOfZoneQuery = preparedQuery(database, (orm) =>
      orm
        .select({ siteId: zones.siteId })
        .from(zones)
        .where(
          and(
            eq(zones.environment, sql.placeholder("environment")),
            eq(zones.zoneId, sql.placeholder("zoneId")),
          ),
        )
        .prepare("site of zone"),
    )
    return {
      site: (scope, siteId) =>
        Effect.map(
          read("reading a site", (orm) => visibleSite(orm, scope, siteId)),
          ([known]) => known ?? null,
        ),
      siteOfZone: (environment, zoneId) =>
        Effect.map(
          read("reading a zone's site", (orm) => siteOfZoneQuery(orm).execute({ environment, zoneId })),
          ([row]) => row?.siteId ?? null,
        ),
      stallIds: (environment, siteId) =>
        Effect.map(
          read("reading a site's stalls", (orm) =>
            stallsOf(orm).where(and(eq(zones.environment, environment), eq(zones.siteId, siteId))),
          ),
          (rows) => new Set(rows.map(({ stallId }) => stallId)),
        ),
    }
  }),
)

function visibleSite(orm: Orm, { environment, organizationId }: SiteScope, siteId: string) {
  const active = stallsOf(orm)
    .where(
      and(
        eq(zones.environment, sites.environment),
        eq(zones.siteId, sites.siteId),
        eq(stalls.isActive, true),
      ),
    )
    .as("active")
  const granted = orm
    .select({ zoneId: zones.zoneId })
    .from(grants)
    .innerJoin(
      zoneRetailers,
      and(
        eq(zoneRetailers.environment, grants.environment),
        eq(zoneRetailers.zoneId, grants.zoneId),
        eq(zoneRetailers.retailerId, grants.retailerId),
      ),
    )
    .innerJoin(zones, and(eq(zones.environment, grants.environment), eq(zones.zoneId, grants.zoneId)))
    .where(
      and(
        eq(grants.environment, sites.environment),
        eq(grants.organizationId, organizationId ?? ""),
        eq(zones.siteId, sites.siteId),
      ),
    )
  return orm
    .select({
      siteId: sites.siteId,
      timezone: sites.timezone,
      activeStalls: sql<number>`(select count(*)::int from ${active})`,
    })
    .from(sites)
    .where(
      and(
        eq(sites.environment, environment),
        eq(sites.siteId, siteId),
        organizationId === null ? undefined : or(exists(granted), eq(sites.organizationId, organizationId)),
      ),
    )
}

function stallsOf(orm: Orm) {
  return orm
    .select({ stallId: stalls.stallId })
    .from(stalls)
    .innerJoin(zones, and(eq(zones.environment, stalls.environment), eq(zones.zoneId, stalls.zoneId)))
}
