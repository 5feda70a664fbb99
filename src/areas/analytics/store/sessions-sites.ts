/** Sites for analytics, over the catalog's tables. */

import { and, eq, exists, or, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { measuredSitesOver } from "../site-repository.ts"
import { MeasuredSites } from "../sites.ts"
import type { SiteScope } from "../sites.ts"
import * as declared from "../../catalog/rows.ts"
import { Database } from "../../../engine/store/database.ts"
import type { Orm } from "../../../engine/store/database.ts"
import { declaredTable } from "../../../engine/store/declared-table.ts"
import { tablesOver } from "../../../engine/store/sql-tables.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { Routine } from "../../../engine/services/routine.ts"

const grants = declaredTable(declared.grants)
const offers = declaredTable(declared.offers)
const sites = declaredTable(declared.sites)
const stalls = declaredTable(declared.stalls)
const zones = declaredTable(declared.zones)

export const layerMeasuredSites: Layer.Layer<MeasuredSites, never, Database> = Layer.effect(
  MeasuredSites,
  Effect.map(Database, (database): MeasuredSites["Type"] => {
    const { read } = sqlOver(database)
    return measuredSitesOver(tablesOver(database), {
      site: (scope, siteId) =>
        Routine.map(
          read("reading a site", (orm) => visibleSite(orm, scope, siteId)),
          ([known]) => known ?? null,
        ),
      stallIds: (environment, siteId) =>
        Routine.map(
          read("reading the stalls of a site", (orm) =>
            stallsInZones(orm).where(and(eq(zones.environment, environment), eq(zones.siteId, siteId))),
          ),
          (rows) => new Set(rows.map(({ stallId }) => stallId)),
        ),
    })
  }),
)

function stallsInZones(orm: Orm) {
  return orm
    .select({ stallId: stalls.stallId })
    .from(stalls)
    .innerJoin(zones, and(eq(zones.environment, stalls.environment), eq(zones.zoneId, stalls.zoneId)))
}

function visibleSite(orm: Orm, { environment, organizationId }: SiteScope, siteId: string) {
  const active = stallsInZones(orm)
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
      offers,
      and(
        eq(offers.environment, grants.environment),
        eq(offers.zoneId, grants.zoneId),
        eq(offers.retailerId, grants.retailerId),
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
