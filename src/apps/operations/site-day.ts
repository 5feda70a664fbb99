/** Today of a site as a course: who may ask is checked by the route; what is known of the site is read here, and the ports that make a course. */

import { Context, Effect } from "effect"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment, Operator } from "../../model/caller.ts"
import type { Place, Polygon } from "../../model/place.ts"
import { Refused } from "../../model/values/errors.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { CatalogRows } from "../../areas/catalog/rows.ts"
import { ActorHost, batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { Places } from "./places.ts"

/** A site whose day is wanted. */
export interface DaySite {
  readonly environment: Environment
  readonly siteId: string
  readonly name: string
  readonly timeZone: string
  readonly place: Place | null
  readonly area: Polygon | null
  readonly zoneIds: readonly string[]
  readonly fleetId: string | null
  /** In the order of the curb. */
  readonly stalls: readonly { readonly stallId: string; readonly label: string }[]
  readonly stores: readonly { readonly retailerId: string; readonly name: string }[]
}

/** The text of an answer. The same object as long as it has the same facts. */
export interface DayText {
  readonly text: string
}

export type SiteDay =
  | { readonly state: "being_made" | "unavailable" }
  | {
      readonly state: "ready"
      readonly written: DayText
      /** Everything that was committed by then is part of it. */
      readonly completeUntilMs: EpochMs
    }

/** Makes courses of days and keeps them for a while. It answers at once; one that is not there is begun. */
export class DayCourses extends Context.Tag("DayCourses")<
  DayCourses,
  { readonly current: (site: DaySite) => Effect.Effect<SiteDay> }
>() {}

export interface DayGroup {
  readonly address: GroupAddress
  readonly revision: number
  /** The quoted time at the door; null for what is no delivery. */
  readonly promisedMs: EpochMs | null
}

export interface DayEntry {
  readonly group: GroupAddress
  readonly revision: number
  readonly text: string
}

export interface DayFix extends Place {
  readonly vehicleId: string
  readonly atMs: EpochMs
}

/** Of the reports of a vehicle in so many ms of the clock, a day has the first. */
export const DAY_FIX_EVERY_MS = 15_000

/** What the database has of a site's day. */
export class SiteDayRows extends Context.Tag("SiteDayRows")<
  SiteDayRows,
  {
    /**
     * Reservations, then deliveries with booked errands that the fleet carries, then vehicles, at most so many of each: those that are
     * due on the day, and those in which something happened since its beginning.
     */
    readonly groups: (query: {
      readonly site: Pick<DaySite, "environment" | "fleetId" | "siteId" | "zoneIds">
      readonly fromMs: EpochMs
      readonly untilMs: EpochMs
      readonly limit: number
    }) => Routine<{ readonly groups: readonly DayGroup[]; readonly isWhole: boolean }>
    /** Journal entries after a revision, each group's in order. */
    readonly entries: (
      groups: readonly { readonly address: GroupAddress; readonly after: number }[],
    ) => Routine<readonly DayEntry[]>
    /** The first report of each vehicle in each `DAY_FIX_EVERY_MS` after an instant, earliest first. */
    readonly fixes: (
      vehicles: readonly { readonly vehicleId: string; readonly sinceMs: EpochMs }[],
      untilMs: EpochMs,
    ) => Routine<readonly DayFix[]>
  }
>() {}

export class SiteDays extends service<SiteDays>()("SiteDays", () => ({
  of: dayOf,
})) {}

const dayOf = Effect.fnUntraced(function* ({ environment }: Operator, siteId: string) {
  const { current } = yield* DayCourses
  return yield* current(yield* siteOf(environment, siteId))
})

const siteOf = Routine.fn(function* (environment: Environment, siteId: string) {
  const host = yield* ActorHost
  const { sites, zonesOf } = yield* CatalogRows
  const places = yield* Places
  return yield* host.view(
    [],
    Routine.gen(function* () {
      const [site, zones, place] = yield* batch([
        sites.get(environment, siteId),
        zonesOf(environment, siteId),
        places.site(environment, siteId),
      ])
      if (site === null) return yield* new Refused({ code: "NOT_FOUND", detail: "site" })
      return {
        environment,
        siteId,
        name: site.name,
        timeZone: site.timezone ?? "UTC",
        place: site.place,
        area: site.area,
        zoneIds: zones.map(({ zone }) => zone.zoneId),
        fleetId: site.fleetId,
        stalls: zones.flatMap(({ stalls }) =>
          stalls.map(({ stallId, label }) => ({ stallId, label: label ?? stallId })),
        ),
        stores: (place?.counters ?? []).map(({ retailerId, name }) => ({ retailerId, name })),
      } satisfies DaySite
    }),
  )
})
