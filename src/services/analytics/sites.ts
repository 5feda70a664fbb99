/** Sites as analytics sees them: who may look at one, in which zone its days are, how many stalls it has. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"

/** Whose view; null for operations, who see every site of their environment. */
export interface SiteScope {
  readonly environment: Environment
  readonly organizationId: string | null
}

export interface MeasuredSite {
  readonly siteId: string
  /** Of the IANA data base, or null. */
  readonly timezone: string | null
  /** In every zone of the site, as it is now. */
  readonly activeStalls: number
}

export class MeasuredSites extends Context.Tag("MeasuredSites")<
  MeasuredSites,
  {
    /** Null when there is none, or the organization neither delivers from it nor is granted anything on it. */
    readonly site: (scope: SiteScope, siteId: string) => Effect.Effect<MeasuredSite | null>
    /** The site of a zone. */
    readonly siteOfZone: (environment: Environment, zoneId: string) => Effect.Effect<string | null>
    /** Every stall of the site, active or not. */
    readonly stallIds: (environment: Environment, siteId: string) => Effect.Effect<ReadonlySet<string>>
  }
>() {}
