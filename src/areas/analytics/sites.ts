/** Sites in analytics: who may read one, its time zone, and its number of stalls. */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Routine } from "../../engine/services/routine.ts"

/** The reading organization; null for operations, who may read every site of their environment. */
export interface SiteScope {
  readonly environment: Environment
  readonly organizationId: string | null
}

export interface MeasuredSite {
  readonly siteId: string
  /** IANA time zone, or null. */
  readonly timezone: string | null
  /** Counted now, in every zone of the site. */
  readonly activeStalls: number
}

export class MeasuredSites extends Context.Tag("MeasuredSites")<
  MeasuredSites,
  {
    /** Null when there is no such site, or when the organization neither delivers from it nor has a grant on it. */
    readonly site: (scope: SiteScope, siteId: string) => Routine<MeasuredSite | null>
    /** The site of a zone. */
    readonly siteOfZone: (environment: Environment, zoneId: string) => Routine<string | null>
    /** Every stall of the site, active or not. */
    readonly stallIds: (environment: Environment, siteId: string) => Routine<ReadonlySet<string>>
  }
>() {}
