/** Places: the catalog for runners and operations, without regard to grants. */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Routine } from "../../engine/services/routine.ts"

/** A retailer's counter. */
export interface Counter {
  readonly retailerId: string
  readonly name: string
  readonly supportPhone: string | null
  readonly pickupRequirements: string | null
}

/** A site: its zones, and the counters that any of them supports. */
export interface Place {
  readonly siteId: string
  readonly name: string
  /** IANA name. */
  readonly timezone: string | null
  readonly zoneIds: readonly string[]
  readonly counters: readonly Counter[]
}

export class Places extends Context.Tag("Places")<
  Places,
  {
    readonly site: (environment: Environment, siteId: string) => Routine<Place | null>
    readonly siteOfZone: (environment: Environment, zoneId: string) => Routine<Place | null>
  }
>() {}
