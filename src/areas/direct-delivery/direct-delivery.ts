/** Direct delivery: the operations of a retailer for one of its sites. Source: direct delivery contract, endpoints. */

import { Effect } from "effect"
import type { Partner } from "../../model/caller.ts"
import type {
  CancelDeliveryRequest,
  CreateDeliveryRequest,
  ListDeliveriesRequest,
} from "../../model/requests/delivery-requests.ts"
import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { Refused } from "../../model/values/errors.ts"
import { DEPOT_DISTANCE_M, PAGE_SIZE } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Place } from "../../model/place.ts"
import type { PickupEventType } from "../../model/webhook.ts"
import { Arrivals } from "../../engine/services/arrivals.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { announceLocation } from "./announcements.ts"
import { cancelDelivery, commandDelivery, currentDelivery, deliveryGroup, ownDelivery } from "./commands.ts"
import { create } from "./creation.ts"
import { cursorOf, numberBefore } from "./cursor.ts"
import { northOf } from "../dispatch/geography.ts"
import { quote } from "./quotes.ts"
import { makeRaces } from "./races.ts"
import type { DeliveryRecord } from "./record.ts"
import { VehicleRows } from "../dispatch/rows.ts"
import type { FixRow } from "../dispatch/rows.ts"
import { DeliveryRows } from "./rows.ts"
import type { DeliveryRow, DeliverySite } from "./rows.ts"
import { enterSite } from "./sites.ts"
import type { SiteOfCall } from "./sites.ts"

export interface DeliveryPage {
  readonly deliveries: readonly DeliveryRecord[]
  readonly next_cursor: string | null
}

export class DirectDelivery extends service<DirectDelivery>()(
  "DirectDelivery",
  Effect.map(Arrivals, (arrivals) => {
    const races = makeRaces(arrivals)
    return {
      /** Only the checks of a call's head: permission, then site. */
      enter: enterSite,
      quote,
      /** `arrival` is the request's number in this process; by default it arrives now. */
      create: (caller: Partner, siteOfCall: SiteOfCall, request: CreateDeliveryRequest, arrival?: number) =>
        Routine.suspend(() =>
          create({ caller, siteOfCall, request, arrival: arrival ?? arrivals.next(), races }),
        ),
      read,
      list,
      cancel: (caller: Partner, site: SiteOfCall, externalId: string, request: CancelDeliveryRequest) =>
        cancel({ caller, site, externalId, request }),
      advance,
    }
  }),
) {}

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
      return { deliveries, next_cursor } satisfies DeliveryPage
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

/** The sandbox's next step; production has none. Not idempotent. */
const advance = Routine.fn(function* (caller: Partner, site: SiteOfCall, externalId: string) {
  if (caller.environment !== "sandbox") return yield* new Refused({ code: "NOT_FOUND" })
  const found = yield* enterSite(caller, site, "deliveries:write")
  const row = yield* ownDelivery(found.siteId, externalId)
  const context = yield* Routine.context<NeedsOfFix>()
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
  const fix = walkedFix(row, { store: site.place ?? row.place, status, nowMs })
  yield* vehicles.insertFix(fix)
  yield* announceLocation(row, fix, yield* host.nonce)
})

type NeedsOfFix = Exclude<Effect.Effect.Context<ReturnType<typeof recordFix>>, Transaction>

interface Walked {
  readonly store: Place
  readonly status: DeliveryStatus
  readonly nowMs: EpochMs
}

/** The report of the sandbox's vehicle at a status: from the depot, the store, or the customer's. */
export function walkedFix(
  { vehicleId, deliveryId, place }: Pick<DeliveryRow, "deliveryId" | "place" | "vehicleId">,
  { store, status, nowMs }: Walked,
): FixRow {
  const rank = rankOf(status)
  const atStore = rank >= rankOf("ARRIVED_AT_STORE") ? store : northOf(store, DEPOT_DISTANCE_M)
  const { latitude, longitude } = rank >= rankOf("EN_ROUTE_TO_CUSTOMER") ? place : atStore
  return {
    latitude,
    longitude,
    vehicleId,
    deliveryId,
    recordedAtMs: nowMs,
    receivedAtMs: nowMs,
    speedMps: null,
    load: null,
    batteryPercent: null,
    sequence: null,
  }
}
