/** The catalog over its declared tables. */

import { Effect, Layer } from "effect"
import type { Environment } from "../../model/caller.ts"
import { bookedSite } from "../../model/site.ts"
import type { Site } from "../../model/site.ts"
import { organizations } from "../../http/access/rows.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { among } from "../../engine/services/tables/conditions.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { Catalog } from "./catalog.ts"
import type { CatalogScope } from "./catalog.ts"
import { discoveredSites } from "./discovered-sites.ts"
import type { GrantedRetailer } from "./discovered-sites.ts"
import { CatalogRows, grants, offers, retailers, sites, stalls, zones } from "./rows.ts"
import type { CatalogSite } from "./rows.ts"

export const layerCatalogRows: Layer.Layer<CatalogRows, never, Tables> = Layer.effect(
  CatalogRows,
  Effect.map(Tables, (tables): CatalogRows["Type"] => {
    const all = tablesOf(tables)
    return {
      sites: {
        all: (environment) =>
          Routine.map(all.sites.list({ environment }, { order: ["siteId"] }), (found) =>
            found.map(plainSite),
          ),
        get: (environment, siteId) =>
          Routine.map(all.sites.get({ environment, siteId }), (row) =>
            row === null ? null : plainSite(row),
          ),
        insert: (environment, site) => all.sites.insert({ environment, ...site }),
        change: (environment, siteId, change) => all.sites.update({ environment, siteId }, change),
      },
      zones: {
        all: (environment) => all.zones.list({ environment }, { order: ["zoneId"] }),
        get: (environment, zoneId) => all.zones.get({ environment, zoneId }),
        insert: (environment, zone) => all.zones.insert({ environment, ...zone }),
        change: (environment, zoneId, change) => all.zones.update({ environment, zoneId }, change),
      },
      stalls: {
        all: (environment) => all.stalls.list({ environment }, { order: ["stallId"] }),
        get: (environment, stallId) => all.stalls.get({ environment, stallId }),
        insert: (environment, stall) => all.stalls.insert({ environment, ...stall }),
        change: (environment, stallId, change) => all.stalls.update({ environment, stallId }, change),
      },
      retailers: {
        all: (environment) => all.retailers.list({ environment }, { order: ["retailerId"] }),
        get: (environment, retailerId) => all.retailers.get({ environment, retailerId }),
        insert: (environment, retailer) => all.retailers.insert({ environment, ...retailer }),
        change: (environment, retailerId, change) =>
          all.retailers.update({ environment, retailerId }, change),
      },
      offers: {
        all: (environment) => all.offers.list({ environment }, { order: ["zoneId", "retailerId"] }),
        put: (environment, offer) => all.offers.insertOrIgnore({ environment, ...offer }),
        remove: (environment, offer) => all.offers.delete({ environment, ...offer }),
      },
      grants: {
        all: (environment) =>
          all.grants.list({ environment }, { order: ["organizationId", "zoneId", "retailerId"] }),
        put: (environment, grant) => all.grants.insertOrIgnore({ environment, ...grant }),
        remove: (environment, grant) => all.grants.delete({ environment, ...grant }),
      },
      zonesOf: Routine.fn(function* (environment, siteId) {
        const found = yield* all.zones.list({ environment, siteId }, { order: ["zoneId"] })
        const zoneIds = found.map(({ zoneId }) => zoneId)
        const standing = yield* all.stalls.list(
          { environment, zoneId: among(...zoneIds) },
          { order: ["label", "stallId"] },
        )
        return found.map((zone) => ({
          zone,
          stalls: standing.filter(({ zoneId }) => zoneId === zone.zoneId),
        }))
      }),
      grantToEnrolled: Routine.fn(function* (environment, offer) {
        const partners = yield* tables.of(organizations).list({ isFleetPartner: true }, { order: "any" })
        const granted = yield* all.grants.list({ environment, ...offer }, { order: "any" })
        const holders = new Set(granted.map(({ organizationId }) => organizationId))
        for (const { organizationId, environments } of partners) {
          if (environments.includes(environment) && !holders.has(organizationId))
            yield* all.grants.insertOrIgnore({ environment, organizationId, ...offer })
        }
      }),
    }
  }),
)

function tablesOf(tables: Tables["Type"]) {
  return {
    sites: tables.of(sites),
    zones: tables.of(zones),
    stalls: tables.of(stalls),
    retailers: tables.of(retailers),
    offers: tables.of(offers),
    grants: tables.of(grants),
  }
}

function plainSite({ environment: _, ...site }: RowOf<typeof sites>): Site {
  return site
}

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
