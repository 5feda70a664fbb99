/** The discovery tree of what is granted to an organization. */

import type { Retailer, Zone } from "../../model/nouns/catalog-nouns.ts"
import type { Site } from "../../model/site.ts"
import type { DiscoveredSite, DiscoveredZone } from "./catalog.ts"

/** A retailer that is granted in a zone. */
export interface GrantedRetailer {
  readonly site: Pick<Site, "name" | "siteId" | "timezone">
  readonly zone: Zone
  readonly retailer: Retailer
}

/** Sites, zones and retailers by name. */
export function discoveredSites(granted: readonly GrantedRetailer[]): readonly DiscoveredSite[] {
  const bySite = Map.groupBy(granted, ({ site }) => site.siteId)
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

function zonesOf(granted: readonly GrantedRetailer[]): readonly DiscoveredZone[] {
  const byZone = Map.groupBy(granted, ({ zone }) => zone.zoneId)
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

/** By name, then by id, in the order of their characters and not of the database's language. */
function byName<One extends { readonly name: string }>(
  items: readonly One[],
  idOf: (item: One) => string,
): One[] {
  return items.toSorted((a, b) => compare(a.name, b.name) || compare(idOf(a), idOf(b)))
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
