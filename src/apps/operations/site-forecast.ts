/** The forecast of a site for operations: who may ask is checked by the route; what is known of the site is read here. */

import { Context, Effect } from "effect"
import type { Environment, Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { DispatchPolicy } from "../../model/vehicle-pool.ts"
import type { Place } from "../../model/place.ts"
import type { Site } from "../../model/site.ts"
import type { ForecastAhead, SiteForecast } from "../../model/requests/site-forecast.ts"
import type { DeliveryTerms } from "../../model/requests/forecast-order.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { PersistedGroup } from "../../engine/kernel/group.ts"
import { CatalogRows } from "../../areas/catalog/rows.ts"
import type { StalledZone } from "../../areas/catalog/rows.ts"
import { RunnerPhoneRows } from "../../areas/runner-phones/rows.ts"
import type { GroupAddress } from "../../model/address.ts"
import { ActorHost, batch } from "../../engine/services/host.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

/** A site whose forecast is wanted. */
export interface ForecastedSite {
  readonly environment: Environment
  readonly siteId: string
  readonly name: string
  readonly timeZone: string
  readonly place: Place | null
  /** Those with runners: elsewhere no promise depends on one. */
  readonly zoneIds: readonly string[]
  /** Runners with a phone that is paired now. */
  readonly pairedRunners: number
  /** The fleet that carries its deliveries; null without one. */
  readonly fleetId: string | null
  /** How the vehicles of the fleet are chosen. */
  readonly dispatchPolicy: DispatchPolicy
  /** Another policy, of which the forecast says what it would change; null for none. */
  readonly comparedPolicy: DispatchPolicy | null
}

/** Makes forecasts and keeps them for a while. It answers at once; a forecast that is not there is begun. */
export class Forecaster extends Context.Tag("Forecaster")<
  Forecaster,
  {
    readonly current: (site: ForecastedSite, ahead: ForecastAhead) => Effect.Effect<SiteForecast>
  }
>() {}

export interface PastReservation {
  readonly address: GroupAddress
  readonly bookedMs: EpochMs
}

/** The vehicles of a fleet with everything that they carry, and errands that are not booked yet. */
export interface OpenFleet {
  readonly groups: readonly PersistedGroup[]
  /** Of each delivery: when it is wanted at the store, and the quoted time at the customer. */
  readonly terms: readonly DeliveryTerms[]
  /** False: there are more vehicles, deliveries or errands than were asked for. */
  readonly isWhole: boolean
}

/** Reservations of a site as their journals have them. */
export class SiteHistory extends Context.Tag("SiteHistory")<
  SiteHistory,
  {
    /** Those whose windows begin at or after an instant, the latest first. */
    readonly reservations: (query: {
      readonly environment: Environment
      readonly zoneIds: readonly string[]
      readonly sinceMs: EpochMs
      /** Those that were booked before this instant; null: all. */
      readonly bookedBeforeMs: EpochMs | null
      readonly limit: number
    }) => Routine<readonly PastReservation[]>
    /** Deliveries of the site, and errands of agents that its fleet carries, the latest first. */
    readonly runs: (query: {
      readonly environment: Environment
      readonly siteId: string
      readonly fleetId: string
      readonly sinceMs: EpochMs
      /** As of reservations. */
      readonly bookedBeforeMs: EpochMs | null
      readonly limit: number
    }) => Routine<readonly PastReservation[]>
    /** At most so many vehicles, deliveries and errands, each. */
    readonly openFleet: (query: {
      readonly environment: Environment
      readonly fleetId: string
      /** Quotes from before this instant are not read. */
      readonly quotedSinceMs: EpochMs
      readonly limit: number
    }) => Routine<OpenFleet>
    /** The texts of their journal entries, each group's in order. */
    readonly entries: (groups: readonly GroupAddress[]) => Routine<readonly string[]>
  }
>() {}

export class SiteForecasts extends service<SiteForecasts>()("SiteForecasts", () => ({
  of: forecastOf,
})) {}

const forecastOf = Effect.fnUntraced(function* (
  { environment }: Operator,
  siteId: string,
  {
    ahead,
    comparedPolicy,
  }: { readonly ahead: ForecastAhead; readonly comparedPolicy: DispatchPolicy | null },
) {
  const { current } = yield* Forecaster
  const site = yield* siteOf(environment, siteId)
  const isOther = comparedPolicy !== site.dispatchPolicy
  return yield* current(isOther ? { ...site, comparedPolicy } : site, ahead)
})

const siteOf = Routine.fn(function* (environment: Environment, siteId: string) {
  const host = yield* ActorHost
  const { sites, zonesOf } = yield* CatalogRows
  const phones = yield* RunnerPhoneRows
  return yield* host.view(
    [],
    Routine.gen(function* () {
      const realMs = yield* realNowMs
      const [site, zones, paired] = yield* batch([
        sites.get(environment, siteId),
        zonesOf(environment, siteId),
        phones.phones({ environment, siteId, endsAfterMs: realMs }),
      ])
      if (site === null) return yield* new Refused({ code: "NOT_FOUND", detail: "site" })
      return {
        environment,
        ...learnedSite(site, zones),
        pairedRunners: new Set(paired.map(({ runnerId }) => runnerId)).size,
        comparedPolicy: null,
      } satisfies ForecastedSite
    }),
  )
})

/** What a model of a site is learned with. */
export function learnedSite(site: Site, zones: readonly StalledZone[]) {
  return {
    siteId: site.siteId,
    name: site.name,
    timeZone: site.timezone ?? "UTC",
    place: site.place,
    zoneIds: zones.filter(({ zone }) => zone.hasRunner).map(({ zone }) => zone.zoneId),
    fleetId: site.fleetId,
    dispatchPolicy: site.dispatchPolicy,
  }
}
