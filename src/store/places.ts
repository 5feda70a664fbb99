/** Places over SQL. */

import { and, eq } from "drizzle-orm"
import { Effect, Layer } from "effect"
import type { Environment } from "../model/caller.ts"
import { Places } from "../services/operations/places.ts"
import type { Counter, Place } from "../services/operations/places.ts"
import { Database } from "./database.ts"
import type { Orm } from "./database.ts"
import { retailers, sites, zoneRetailers, zones } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

export const layerPlaces: Layer.Layer<Places, never, Database> = Layer.effect(
  Places,
  Effect.map(Database, (database): Places["Type"] => {
    const { read } = sqlOver(database)
    return {
      site: (environment, siteId) => read("reading a site", (orm) => placeOf(orm, environment, siteId)),
      siteOfZone: (environment, zoneId) =>
        read("reading the site of a zone", async (orm) => {
          const found = await orm
            .select()
            .from(zones)
            .where(and(eq(zones.environment, environment), eq(zones.zoneId, zoneId)))
          return found[0] === undefined ? null : placeOf(orm, environment, found[0].siteId)
        }),
    }
  }),
)

async function placeOf(orm: Orm, environment: Environment, siteId: string): Promise<Place | null> {
  const rows = await orm
    .select({ siteId: sites.siteId, zoneId: zones.zoneId, retailer: retailers })
    .from(sites)
    .leftJoin(zones, and(eq(zones.environment, sites.environment), eq(zones.siteId, sites.siteId)))
    .leftJoin(
      zoneRetailers,
      and(eq(zoneRetailers.environment, zones.environment), eq(zoneRetailers.zoneId, zones.zoneId)),
    )
    .leftJoin(
      retailers,
      and(
        eq(retailers.environment, zoneRetailers.environment),
        eq(retailers.retailerId, zoneRetailers.retailerId),
      ),
    )
    .where(and(eq(sites.environment, environment), eq(sites.siteId, siteId)))
  if (rows.length === 0) return null
  const zoneIds = new Set(rows.flatMap(({ zoneId }) => zoneId ?? []))
  const counterById = new Map<string, Counter>()
  for (const { retailer } of rows) {
    if (retailer === null) continue
    const { retailerId, name, supportPhone, pickupRequirements } = retailer
    counterById.set(retailerId, { retailerId, name, supportPhone, pickupRequirements })
  }
  return { siteId, zoneIds: [...zoneIds].toSorted(), counters: [...counterById.values()] }
}
