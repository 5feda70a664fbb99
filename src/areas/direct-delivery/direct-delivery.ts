/** Direct delivery: the operations of a retailer for one of its sites. Source: direct delivery contract, endpoints. */

import { Context, Effect, Layer } from "effect"
import type { Partner, Permission } from "../../model/caller.ts"
import type {
  CancelDeliveryRequest,
  CreateDeliveryRequest,
  ListDeliveriesRequest,
  QuoteRequest,
} from "../../model/requests/delivery-requests.ts"
import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { Refused } from "../../model/values/errors.ts"
import { DEPOT_DISTANCE_M, PAGE_SIZE } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import type { PickupEventType } from "../../model/webhook.ts"
import { Arrivals } from "../../engine/services/arrivals.ts"
import type { Geocoder } from "../../engine/services/geocoding/geocoder.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import type { SmsConsent } from "../messages/consent.ts"
import type { MessageNotices } from "../messages/notices.ts"
import { provided } from "../../engine/services/provided.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { WebhookStore } from "../webhooks/store.ts"
import { announceLocation } from "./announcements.ts"
import { cancelDelivery, commandDelivery, currentDelivery, deliveryGroup, ownDelivery } from "./commands.ts"
import { create } from "./creation.ts"
import type { CreatedDelivery } from "./creation.ts"
import { cursorOf, numberBefore } from "./cursor.ts"
import type { Dispatch } from "../dispatch/dispatch-policy.ts"
import { northOf } from "../dispatch/geography.ts"
import type { QuoteWatch } from "./quote-watch.ts"
import { quote } from "./quotes.ts"
import { makeRaces } from "./races.ts"
import type { DeliveryRecord, QuoteRecord } from "./record.ts"
import { VehicleRows } from "../dispatch/rows.ts"
import type { Runs } from "../dispatch/runs.ts"
import { DeliveryRows } from "./rows.ts"
import type { DeliveryRow, DeliverySite, DeliverySites } from "./rows.ts"
import { enterSite } from "./sites.ts"
import type { SiteOfCall } from "./sites.ts"
import type { TrackingLinks } from "./tracking-links.ts"

export interface DeliveryPage {
  readonly deliveries: readonly DeliveryRecord[]
  readonly next_cursor: string | null
}

export class DirectDelivery extends Context.Tag("DirectDelivery")<
  DirectDelivery,
  {
    /** Only the checks of a call's head: permission, then site. */
    readonly enter: (
      caller: Partner,
      site: SiteOfCall,
      permission: Permission,
    ) => Routine<DeliverySite, Refused>
    readonly quote: (
      caller: Partner,
      site: SiteOfCall,
      request: QuoteRequest,
    ) => Routine<QuoteRecord, Refused>
    /** `arrival` is the request's number in this process; by default it arrives now. */
    readonly create: (
      caller: Partner,
      site: SiteOfCall,
      request: CreateDeliveryRequest,
      arrival?: number,
    ) => Routine<CreatedDelivery, Refused>
    readonly read: (caller: Partner, site: SiteOfCall, externalId: string) => Routine<DeliveryRecord, Refused>
    readonly list: (
      caller: Partner,
      site: SiteOfCall,
      request: ListDeliveriesRequest,
    ) => Routine<DeliveryPage, Refused>
    readonly cancel: (
      caller: Partner,
      site: SiteOfCall,
      externalId: string,
      request: CancelDeliveryRequest,
    ) => Routine<DeliveryRecord, Refused>
    /** The sandbox's next step; production has none. Not idempotent. */
    readonly advance: (
      caller: Partner,
      site: SiteOfCall,
      externalId: string,
    ) => Routine<DeliveryRecord, Refused>
  }
>() {}

type Needs =
  | ActorHost
  | DeliveryRows
  | DeliverySites
  | Dispatch
  | Geocoder
  | MessageNotices
  | QuoteWatch
  | SmsConsent
  | Runs
  | TrackingLinks
  | VehicleRows
  | WebhookStore

export const layerDirectDelivery: Layer.Layer<DirectDelivery, never, Arrivals | DigestKey | Needs> =
  Layer.effect(
    DirectDelivery,
    Effect.gen(function* () {
      const context = yield* Effect.context<Needs>()
      const { key: digestKey } = yield* DigestKey
      const arrivals = yield* Arrivals
      const races = makeRaces(arrivals)
      const provide = <A, E>(effect: Routine<A, E, Needs>): Routine<A, E> => provided(effect, context)
      return {
        enter: (caller, site, permission) => provide(enterSite(caller, site, permission)),
        quote: (caller, site, request) => provide(quote(caller, site, request)),
        create: (caller, siteOfCall, request, arrival) =>
          Routine.suspend(() =>
            provide(
              create({ caller, siteOfCall, request, arrival: arrival ?? arrivals.next(), digestKey, races }),
            ),
          ),
        read: (caller, site, externalId) => provide(read(caller, site, externalId)),
        list: (caller, site, request) => provide(list(caller, site, request)),
        cancel: (caller, site, externalId, request) => provide(cancel({ caller, site, externalId, request })),
        advance: (caller, site, externalId) => provide(advance(caller, site, externalId)),
      }
    }),
  )

const read = Routine.fn(function* (caller: Partner, site: SiteOfCall, externalId: string) {
  const { siteId } = yield* enterSite(caller, site, "deliveries:read")
  const { deliveryId } = yield* ownDelivery(siteId, externalId)
  const host = yield* ActorHost
  return yield* host.view([deliveryGroup(deliveryId)], currentDelivery(deliveryId))
})

const list = Routine.fn(function* (caller: Partner, site: SiteOfCall, request: ListDeliveriesRequest) {
  const { siteId } = yield* enterSite(caller, site, "deliveries:read")
  const rows = yield* DeliveryRows
  const host = yield* ActorHost
  const limit = request.limit ?? PAGE_SIZE
  const beforeNumber = yield* numberBefore(request.cursor ?? null, (row) => row.siteId === siteId)
  return yield* host.view(
    [],
    Routine.gen(function* () {
      const found = yield* rows.list({
        of: { siteId },
        statuses: request.status ?? null,
        createdAfterMs: request.created_after ?? null,
        createdBeforeMs: request.created_before ?? null,
        search: null,
        beforeNumber,
        limit: limit + 1,
      })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const next_cursor = found.length > limit && last !== undefined ? cursorOf(last.deliveryId) : null
      const deliveries = yield* Routine.forEach(page, ({ deliveryId }) => currentDelivery(deliveryId))
      return { deliveries, next_cursor }
    }),
  )
})

interface Cancellation {
  readonly caller: Partner
  readonly site: SiteOfCall
  readonly externalId: string
  readonly request: CancelDeliveryRequest
}

const cancel = Routine.fn(function* ({ caller, site, externalId, request }: Cancellation) {
  const { siteId } = yield* enterSite(caller, site, "deliveries:write")
  const row = yield* ownDelivery(siteId, externalId)
  return yield* cancelDelivery(row, request.cancellation_reason ?? null)
})

/** The events of one advance: the next status, and the position that belongs to it. */
export const ADVANCE_EVENTS: readonly PickupEventType[] = [
  "pickup_status.changed",
  "pickup.vehicle_location.changed",
]

const advance = Routine.fn(function* (caller: Partner, site: SiteOfCall, externalId: string) {
  if (caller.environment !== "sandbox") return yield* new Refused({ code: "NOT_FOUND" })
  const found = yield* enterSite(caller, site, "deliveries:write")
  const row = yield* ownDelivery(found.siteId, externalId)
  const context = yield* Routine.context<Needs>()
  return yield* commandDelivery({
    row,
    event: { type: "step.advanced" },
    onAnswered: ({ status }) => provided(recordFix(found, row, status), context),
  })
})

/** One fix for each step: the depot, then the store, then the customer. */
const recordFix = Routine.fn(function* (site: DeliverySite, row: DeliveryRow, status: DeliveryStatus) {
  const host = yield* ActorHost
  const vehicles = yield* VehicleRows
  const { nowMs } = yield* Transaction
  const fix = {
    ...walkedTo(site.place ?? row.place, row.place, status),
    vehicleId: row.vehicleId,
    deliveryId: row.deliveryId,
    recordedAtMs: nowMs,
    receivedAtMs: nowMs,
    speedMps: null,
    load: null,
    batteryPercent: null,
    sequence: null,
  }
  yield* vehicles.insertFix(fix)
  yield* announceLocation(row, fix, yield* host.nonce)
})

function walkedTo(store: Place, customer: Place, status: DeliveryStatus): Place {
  const rank = rankOf(status)
  if (rank >= rankOf("EN_ROUTE_TO_CUSTOMER")) return customer
  return rank >= rankOf("ARRIVED_AT_STORE") ? store : northOf(store, DEPOT_DISTANCE_M)
}
