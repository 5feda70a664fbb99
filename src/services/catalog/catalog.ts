/** Catalog: sites, their zones and stalls, the retailers served there and who was granted them. Rows own these data. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"

export interface Stall {
  readonly stallId: string
  readonly zoneId: string
  readonly label: string | null
  readonly isActive: boolean
}

/** A zone as booking sees it for one organization. */
export interface BookableZone {
  readonly zoneId: string
  readonly siteId: string
  readonly hasRunner: boolean
  /** Every stall, active or not. */
  readonly stalls: readonly Stall[]
  /** Retailers that are supported in the zone and granted to the organization. */
  readonly retailerIds: readonly string[]
}

export interface DiscoveredRetailer {
  readonly retailer_id: string
  readonly name: string
  readonly logo_url: string | null
  readonly support_phone: string | null
  readonly pickup_requirements: string | null
}

export interface DiscoveredZone {
  readonly zone_id: string
  readonly name: string
  readonly latitude: number | null
  readonly longitude: number | null
  readonly retailers: readonly DiscoveredRetailer[]
}

/** The discovery tree: sites, zones and retailers by name; only what is granted. */
export interface DiscoveredSite {
  readonly site_id: string
  readonly name: string
  readonly timezone: string | null
  readonly zones: readonly DiscoveredZone[]
}

/** Whose catalog: every row belongs to one environment, grants to one organization. */
export interface CatalogScope {
  readonly organizationId: string
  readonly environment: Environment
}

export class Catalog extends Context.Tag("Catalog")<
  Catalog,
  {
    /** The zone, or null when it does not exist or nothing in it is granted to the organization. */
    readonly zone: (scope: CatalogScope, zoneId: string) => Effect.Effect<BookableZone | null>
    readonly discover: (scope: CatalogScope) => Effect.Effect<readonly DiscoveredSite[]>
  }
>() {}
