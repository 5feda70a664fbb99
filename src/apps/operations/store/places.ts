/** Places over SQL. */

import { and, eq } from "drizzle-orm"
import { Effect, Layer } from "effect"
import type { Environment } from "../../../model/caller.ts"
import * as declared from "../../../areas/catalog/rows.ts"
import { placeWith, placesOver } from "../place-repository.ts"
import { Places } from "../places.ts"
import type { Place } from "../places.ts"
import { Database } from "../../../engine/store/database.ts"
import type { Orm } from "../../../engine/store/database.ts"
import { declaredTable, shownColumns } from "../../../engine/store/declared-table.ts"
import { tablesOver } from "../../../engine/store/sql-tables.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"

const offers = declaredTable(declared.offers)
const retailers = declaredTable(declared.retailers)
const sites = declaredTable(declared.sites)
const zones = declaredTable(declared.zones)

export const layerPlaces: Layer.Layer<Places, never, Database> = Layer.effect(
  Places,
  Effect.map(Database, (database): Places["Type"] => {
    const { read } = sqlOver(database)
    return placesOver(tablesOver(database), (environment, siteId) =>
      read("reading a site", (orm) => placeOf(orm, environment, siteId)),
    )
  }),
)

async function placeOf(orm: Orm, environment: Environment, siteId: string): Promise<Place | null> {
  const isOnSite = and(eq(zones.environment, environment), eq(zones.siteId, siteId))
  const [[known], onSite, supported] = await Promise.all([
    orm
      .select({ siteId: sites.siteId, name: sites.name, timezone: sites.timezone })
      .from(sites)
      .where(and(eq(sites.environment, environment), eq(sites.siteId, siteId))),
    orm.select({ zoneId: zones.zoneId }).from(zones).where(isOnSite),
    orm
      .selectDistinct(shownColumns(declared.retailers))
      .from(retailers)
      .innerJoin(
        offers,
        and(eq(offers.environment, retailers.environment), eq(offers.retailerId, retailers.retailerId)),
      )
      .innerJoin(zones, and(eq(zones.environment, offers.environment), eq(zones.zoneId, offers.zoneId)))
      .where(isOnSite),
  ])
  if (known === undefined) return null
  return { ...known, ...placeWith(onSite, supported) }
}
