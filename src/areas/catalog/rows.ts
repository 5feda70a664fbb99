/** Catalog rows: sites, zones, stalls and retailers of each environment, and offers and grants. */

import { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Grant, Offer } from "../../model/catalog.ts"
import { RETAILER, STALL, ZONE } from "../../model/nouns/catalog-nouns.ts"
import type { Retailer, Stall, Zone } from "../../model/nouns/catalog-nouns.ts"
import { READY_AHEAD_MS_MAX } from "../../model/values/limits.ts"
import type { Place, Polygon } from "../../model/place.ts"
import type { Site, SiteAddress } from "../../model/site.ts"
import { DEFAULT_DISPATCH_POLICY } from "../../model/vehicle-pool.ts"
import type { DispatchPolicy } from "../../model/vehicle-pool.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { bigint, boolean, choice, integer, json, text } from "../../engine/services/tables/columns.ts"
import { notNull, among, either } from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository } from "../../engine/services/service.ts"
import { organizations } from "../../http/access/rows.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { nounRows, nounTable } from "./noun-rows.ts"
import type { NounRows } from "./noun-rows.ts"

/** Deliveries start at those that have an organization; any may have zones with stalls that are booked. */
export const sites = table("sites", {
  one: "a site",
  many: "sites",
  columns: {
    environment: choice<Environment>(),
    siteId: text(),
    name: text(),
    timezone: text().nullable(),
    organizationId: text().nullable(),
    isActive: boolean().default(true),
    fleetId: text().nullable(),
    address: json<SiteAddress>().nullable(),
    place: json<Place>().nullable(),
    area: json<Polygon>().nullable(),
    priceCents: integer().nullable(),
    readyAheadMsMax: bigint().default(READY_AHEAD_MS_MAX),
    hasSupervisor: boolean().default(false),
    dispatchPolicy: choice<DispatchPolicy>().default(DEFAULT_DISPATCH_POLICY),
  },
  key: ["environment", "siteId"],
  indexes: [
    // Quotes and deliveries name their site by its id alone.
    { name: "sites_delivering", by: ["siteId"], where: { organizationId: notNull } },
    {
      name: "sites_organization",
      by: ["organizationId", "environment"],
      where: { organizationId: notNull },
    },
    { name: "sites_fleet", by: ["fleetId", "siteId"], where: { fleetId: notNull } },
  ],
  isReadOnce: true,
})

export const zones = nounTable("zones", ZONE, [{ name: "zones_site", by: ["environment", "siteId"] }])
export const stalls = nounTable("stalls", STALL, [{ name: "stalls_zone", by: ["environment", "zoneId"] }])
export const retailers = nounTable("retailers", RETAILER)

/** Which retailers a zone supports. */
export const offers = table("zone_retailers", {
  one: "a supported retailer",
  many: "supported retailers",
  columns: { environment: choice<Environment>().hidden(), zoneId: text(), retailerId: text() },
  key: ["environment", "zoneId", "retailerId"],
})

/** Which of them an organization may book. */
export const grants = table("grants", {
  one: "a grant",
  many: "grants",
  columns: {
    environment: choice<Environment>().hidden(),
    organizationId: text(),
    zoneId: text(),
    retailerId: text(),
  },
  key: ["environment", "organizationId", "zoneId", "retailerId"],
})

/** Rows that only relate others to each other. */
export interface CatalogLinks<Link> {
  /** Sorted by their ids, in the order of the link's fields. */
  readonly all: (environment: Environment) => Routine<readonly Link[]>
  /** An existing link is not changed. */
  readonly put: (environment: Environment, link: Link) => Routine<void, never, Transaction>
  /** A missing link is ignored. */
  readonly remove: (environment: Environment, link: Link) => Routine<void, never, Transaction>
}

/** A zone with all of its stalls. */
export interface StalledZone {
  readonly zone: Zone
  readonly stalls: readonly Stall[]
}

export class CatalogRows extends repository<CatalogRows>()(
  "CatalogRows",
  Effect.map(Tables, (tables) => {
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
      } satisfies NounRows<Site>,
      zones: nounRows(tables, zones, ZONE),
      stalls: nounRows(tables, stalls, STALL),
      retailers: nounRows(tables, retailers, RETAILER),
      offers: {
        all: (environment) => all.offers.list({ environment }, { order: ["zoneId", "retailerId"] }),
        put: (environment, offer) => all.offers.insertOrIgnore({ environment, ...offer }),
        remove: (environment, offer) => all.offers.delete({ environment, ...offer }),
      } satisfies CatalogLinks<Offer>,
      grants: {
        all: (environment) =>
          all.grants.list({ environment }, { order: ["organizationId", "zoneId", "retailerId"] }),
        put: (environment, grant) => all.grants.insertOrIgnore({ environment, ...grant }),
        remove: (environment, grant) => all.grants.delete({ environment, ...grant }),
      } satisfies CatalogLinks<Grant>,
      /** The zones of one site by id, with their stalls by label. */
      zonesOf: Routine.fn(function* (environment: Environment, siteId: string) {
        const found = yield* all.zones.list({ environment, siteId }, { order: ["zoneId"] })
        const zoneIds = found.map(({ zoneId }) => zoneId)
        const standing = yield* all.stalls.list(
          { environment, zoneId: among(...zoneIds) },
          { order: ["label", "stallId"] },
        )
        return found.map((zone): StalledZone => ({
          zone,
          stalls: standing.filter(({ zoneId }) => zoneId === zone.zoneId),
        }))
      }),
      /** Grants it to every organization that is enrolled and provisioned there. */
      grantToEnrolled: grantToEnrolledOver(tables),
    }
  }),
) {}

function grantToEnrolledOver(tables: Tables["Type"]) {
  const granting = tables.of(grants)
  return Routine.fn(function* (environment: Environment, offer: Offer) {
    const enrolled = either<(typeof organizations)["columns"]>(
      { isFleetPartner: true },
      ...(environment === "sandbox" ? [{ isSandboxPartner: true }] : []),
    )
    const partners = yield* tables.of(organizations).list(enrolled, { order: "any" })
    const granted = yield* granting.list({ environment, ...offer }, { order: "any" })
    const holders = new Set(granted.map(({ organizationId }) => organizationId))
    for (const { organizationId, environments } of partners) {
      if (environments.includes(environment) && !holders.has(organizationId))
        yield* granting.insertOrIgnore({ environment, organizationId, ...offer })
    }
  })
}

export function tablesOf(tables: Tables["Type"]) {
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

/** A site with everything on it, as demo data and simulated worlds are written. */
export interface CatalogSite extends Pick<Site, "name" | "siteId" | "timezone"> {
  readonly zones: readonly CatalogZone[]
}

export interface CatalogZone extends Omit<Zone, "siteId"> {
  readonly stalls: readonly Omit<Stall, "zoneId">[]
  readonly retailers: readonly CatalogRetailer[]
}

export interface CatalogRetailer extends Retailer {
  /** Organizations that may book it in this zone. */
  readonly grantedTo: readonly string[]
}
