/**
 * Catalog: sites, their zones and stalls, the retailers served there and the organizations they are granted to. The
 * data is stored in rows.
 */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Stall } from "../../model/nouns/catalog-nouns.ts"
import type { Routine } from "../../engine/services/routine.ts"

/** A zone with what one organization may book in it. */
export interface BookableZone {
  readonly zoneId: string
  readonly siteId: string
  readonly hasRunner: boolean
  /** Every stall, active or not. */
  readonly stalls: readonly Stall[]
  /** Retailers that the zone supports and that are granted to the organization. */
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

/** The discovery tree: sites, zones and retailers by name; only granted ones. */
export interface DiscoveredSite {
  readonly site_id: string
  readonly name: string
  readonly timezone: string | null
  readonly zones: readonly DiscoveredZone[]
}

/** The scope of a read: rows belong to one environment, grants to one organization. */
export interface CatalogScope {
  readonly organizationId: string
  readonly environment: Environment
}

export class Catalog extends Context.Tag("Catalog")<
  Catalog,
  {
    /** The zone, or null when it does not exist or has no grant for the organization. */
    readonly zone: (scope: CatalogScope, zoneId: string) => Routine<BookableZone | null>
    readonly discover: (scope: CatalogScope) => Routine<readonly DiscoveredSite[]>
  }
>() {}
