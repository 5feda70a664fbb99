/** Places over the catalog's tables. */

import { Effect, Layer } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Retailer, Zone } from "../../model/nouns/catalog-nouns.ts"
import { offers, retailers, sites, zones } from "../../areas/catalog/rows.ts"
import { oneOf } from "../../engine/services/tables/conditions.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { Places } from "./places.ts"
import type { Place } from "./places.ts"

/** `site`: how a site is read with what its zones support. */
export function placesOver(tables: Tables["Type"], site: Places["Type"]["site"]): Places["Type"] {
  const allZones = tables.of(zones)
  return {
    site,
    siteOfZone: (environment, zoneId) =>
      Routine.flatMap(allZones.get({ environment, zoneId }), (zone) =>
        zone === null ? Routine.succeed(null) : site(environment, zone.siteId),
      ),
  }
}

/** Reads one table after the other; `./store` joins them. */
export function plainPlace(tables: Tables["Type"]): Places["Type"]["site"] {
  const allSites = tables.of(sites)
  const allZones = tables.of(zones)
  const supported = tables.of(offers)
  const allRetailers = tables.of(retailers)
  return Routine.fn(function* (environment: Environment, siteId: string) {
    const known = yield* allSites.get({ environment, siteId })
    if (known === null) return null
    const onSite = yield* allZones.list({ environment, siteId }, { order: "any" })
    const zoneId = oneOf(...onSite.map((zone) => zone.zoneId))
    const offered = yield* supported.list({ environment, zoneId }, { order: "any" })
    const retailerId = oneOf(...offered.map((offer) => offer.retailerId))
    const { name, timezone } = known
    return {
      siteId,
      name,
      timezone,
      ...placeWith(onSite, yield* allRetailers.list({ environment, retailerId }, { order: "any" })),
    }
  })
}

export const layerPlainPlaces: Layer.Layer<Places, never, Tables> = Layer.effect(
  Places,
  Effect.map(Tables, (tables) => placesOver(tables, plainPlace(tables))),
)

export function placeWith(
  onSite: readonly Pick<Zone, "zoneId">[],
  supported: readonly Retailer[],
): Pick<Place, "counters" | "zoneIds"> {
  return {
    zoneIds: onSite.map(({ zoneId }) => zoneId).toSorted(),
    counters: supported.map(({ retailerId, name, supportPhone, pickupRequirements }) => ({
      retailerId,
      name,
      supportPhone,
      pickupRequirements,
    })),
  }
}
