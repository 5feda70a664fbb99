/** When a late or lost case could no longer be saved, for operations: what is known of the case and its site is read here. */

import { Context, Effect } from "effect"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment, Operator } from "../../model/caller.ts"
import type { Place } from "../../model/place.ts"
import type { CaseMoment } from "../../model/requests/case-moment.ts"
import type { DeliveryTerms } from "../../model/requests/forecast-order.ts"
import { CURB_WAIT_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { DispatchPolicy } from "../../model/vehicle-pool.ts"
import { CatalogRows } from "../../areas/catalog/rows.ts"
import { deliveryFor } from "../../areas/direct-delivery/commands.ts"
import { DeliverySites, isForRetailer } from "../../areas/direct-delivery/rows.ts"
import type { DeliveryRow } from "../../areas/direct-delivery/rows.ts"
import { ownRow } from "../../areas/reservations/commands.ts"
import { learnedSite } from "./site-forecast.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { Refused } from "../../model/values/errors.ts"

/** A case that may have ended badly, with what was promised. A booked errand is its delivery. */
export type PromisedCase =
  | {
      readonly kind: "reservation"
      readonly id: string
      /** Its robot waits no longer than this for its order. */
      readonly limitMs: number
    }
  | {
      readonly kind: "delivery"
      readonly id: string
      /** The quoted time at its door. */
      readonly dueMs: EpochMs
    }

/** A case and the site at which it was. */
export interface AskedCase {
  readonly of: PromisedCase
  readonly environment: Environment
  /** On the clock of its organization. */
  readonly nowMs: EpochMs
  readonly siteId: string
  readonly name: string
  readonly timeZone: string
  readonly place: Place | null
  /** Those with runners. */
  readonly zoneIds: readonly string[]
  /** The fleet that carries its deliveries; null without one. */
  readonly fleetId: string | null
  readonly dispatchPolicy: DispatchPolicy
}

/** Finds the moments of cases and keeps them for a while. It answers at once; one that is not there is begun. */
export class MomentFinder extends Context.Tag("MomentFinder")<
  MomentFinder,
  {
    readonly current: (asked: AskedCase) => Effect.Effect<CaseMoment>
    /** Stops what is computed or queued for the case; the next request begins anew. */
    readonly stop: (asked: AskedCase) => Effect.Effect<CaseMoment>
  }
>() {}

/** An entry of a journal in its place. */
export interface PlacedEntry {
  readonly instantMs: EpochMs
  /** Numbers entries; causes come before their effects. */
  readonly position: number
  readonly text: string
}

/** The journals of everything at a site while a case was open. */
export class CaseJournals extends Context.Tag("CaseJournals")<
  CaseJournals,
  {
    /**
     * Reservations, deliveries and errands in which something happened at or after `fromMs`, and which were booked by `untilMs`, and all
     * vehicles of the fleet. More than so many of a kind are too many.
     */
    readonly groups: (query: {
      readonly environment: Environment
      readonly siteId: string
      readonly zoneIds: readonly string[]
      readonly fleetId: string | null
      readonly fromMs: EpochMs
      readonly untilMs: EpochMs
      readonly limit: number
    }) => Routine<{
      readonly groups: readonly GroupAddress[]
      /** Of the deliveries among them. */
      readonly terms: readonly DeliveryTerms[]
      /** False: there are more. */
      readonly isWhole: boolean
    }>
    /** Entries of groups up to an instant. */
    readonly entries: (groups: readonly GroupAddress[], untilMs: EpochMs) => Routine<readonly PlacedEntry[]>
  }
>() {}

export class CaseMoments extends service<CaseMoments>()("CaseMoments", () => ({
  of: Effect.fnUntraced(function* (caller: Operator, kind: PromisedCase["kind"], id: string) {
    const { current } = yield* MomentFinder
    return yield* current(yield* caseFor(caller, kind, id))
  }),
  stop: Effect.fnUntraced(function* (caller: Operator, kind: PromisedCase["kind"], id: string) {
    const { stop } = yield* MomentFinder
    return yield* stop(yield* caseFor(caller, kind, id))
  }),
})) {}

const caseFor = Routine.fn(function* (caller: Operator, kind: PromisedCase["kind"], id: string) {
  const host = yield* ActorHost
  // Before the view, so that nothing of another environment is looked at.
  const placed = kind === "reservation" ? yield* ofReservation(caller, id) : yield* ofDelivery(caller, id)
  const nowMs = yield* host.view(
    [`${kind}/${id}`],
    Routine.map(Transaction, (transaction) => transaction.nowMs),
  )
  return { ...placed, nowMs } satisfies AskedCase
})

const ofReservation = Routine.fn(function* (caller: Operator, id: string) {
  const { environment, zoneId } = yield* ownRow(caller, id)
  const zone = yield* (yield* CatalogRows).zones.get(environment, zoneId)
  return {
    of: { kind: "reservation", id, limitMs: CURB_WAIT_MS } as const,
    ...(yield* siteOf(environment, zone?.siteId ?? "")),
  }
})

const ofDelivery = Routine.fn(function* (caller: Operator, id: string) {
  const row = yield* deliveryFor(caller, id)
  const siteId = isForRetailer(row) ? row.siteId : yield* siteServedBy(row)
  return {
    of: { kind: "delivery", id, dueMs: row.deliveryEtaMs } as const,
    ...(yield* siteOf(row.environment, siteId)),
  }
})

/** An errand has the store of an agent: its vehicles are those of the first site that its fleet serves. */
const siteServedBy = Routine.fn(function* ({ environment, fleetId }: DeliveryRow) {
  const sites = yield* (yield* DeliverySites).all(environment)
  return sites.find((site) => site.fleetId === fleetId)?.siteId ?? ""
})

const siteOf = Routine.fn(function* (environment: Environment, siteId: string) {
  const { sites, zonesOf } = yield* CatalogRows
  const site = yield* sites.get(environment, siteId)
  if (site === null) return yield* new Refused({ code: "NOT_FOUND", detail: "site" })
  return { environment, ...learnedSite(site, yield* zonesOf(environment, siteId)) }
})
