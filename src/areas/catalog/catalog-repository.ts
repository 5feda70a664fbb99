/** The catalog over its declared tables. */

import { Effect, Layer } from "effect"
import type { Environment } from "../../model/caller.ts"
import { bookedSite } from "../../model/site.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { Catalog } from "./catalog.ts"
import type { CatalogScope } from "./catalog.ts"
import { discoveredSites } from "./discovered-sites.ts"
import type { GrantedRetailer } from "./discovered-sites.ts"
import { tablesOf } from "./rows.ts"
import type { CatalogSite } from "./rows.ts"

/** How services read the catalog: `./store` joins tables, memory reads one after the other. */
interface CatalogReads {
  readonly zone: Catalog["Type"]["zone"]
  /** What is granted to the organization, as long as the zone supports it. */
  readonly granted: (scope: CatalogScope) => Routine<readonly GrantedRetailer[]>
}

export function catalogOver({ zone, granted }: CatalogReads): Catalog["Type"] {
  return { zone, discover: (scope) => Routine.map(granted(scope), discoveredSites) }
}

export function plainCatalogReads(tables: Tables["Type"]): CatalogReads {
  const all = tablesOf(tables)
  return {
    zone: Routine.fn(function* ({ environment, organizationId }, zoneId) {
      const zone = yield* all.zones.get({ environment, zoneId })
      if (zone === null) return null
      const granted = yield* all.grants.list({ environment, organizationId, zoneId }, { order: "any" })
      const supported = yield* all.offers.list({ environment, zoneId }, { order: "any" })
      const retailerIds = granted
        .map(({ retailerId }) => retailerId)
        .filter((id) => supported.some(({ retailerId }) => retailerId === id))
      if (retailerIds.length === 0) return null
      const inZone = yield* all.stalls.list({ environment, zoneId }, { order: "any" })
      return { zoneId, siteId: zone.siteId, hasRunner: zone.hasRunner, stalls: inZone, retailerIds }
    }),
    granted: Routine.fn(function* ({ environment, organizationId }) {
      const found: GrantedRetailer[] = []
      for (const { zoneId, retailerId } of yield* all.grants.list(
        { environment, organizationId },
        { order: "any" },
      )) {
        const zone = yield* all.zones.get({ environment, zoneId })
        const site = zone === null ? null : yield* all.sites.get({ environment, siteId: zone.siteId })
        const isSupported = (yield* all.offers.get({ environment, zoneId, retailerId })) !== null
        const retailer = isSupported ? yield* all.retailers.get({ environment, retailerId }) : null
        if (zone !== null && site !== null && retailer !== null) found.push({ site, zone, retailer })
      }
      return found
    }),
  }
}

export const layerPlainCatalog: Layer.Layer<Catalog, never, Tables> = Layer.effect(
  Catalog,
  Effect.map(Tables, (tables) => catalogOver(plainCatalogReads(tables))),
)

/** Writes a site; what is there already under the same ids stays. */
export const writeCatalogSite: (
  tables: Tables["Type"],
  environment: Environment,
  site: CatalogSite,
) => Routine<void, never, Transaction> = Routine.fn(function* (
  tables,
  environment,
  { zones: onSite, ...site },
) {
  const all = tablesOf(tables)
  const { siteId } = site
  yield* all.sites.insertOrIgnore({ environment, ...bookedSite(site) })
  for (const { stalls: inZone, retailers: supported, ...zone } of onSite) {
    const { zoneId } = zone
    yield* all.zones.insertOrIgnore({ environment, siteId, ...zone })
    for (const stall of inZone) yield* all.stalls.insertOrIgnore({ environment, zoneId, ...stall })
    for (const { grantedTo, ...retailer } of supported) {
      const { retailerId } = retailer
      yield* all.retailers.insertOrIgnore({ environment, ...retailer })
      yield* all.offers.insertOrIgnore({ environment, zoneId, retailerId })
      for (const organizationId of grantedTo)
        yield* all.grants.insertOrIgnore({ environment, organizationId, zoneId, retailerId })
    }
  }
})
