/**
 * Tracking: what the page behind a `tracking_url` shows of a courier errand or a direct delivery. Nothing about a person but
 * what the customer gave: the street while the order is under way, and the address in the receipt.
 */

import type { Environment } from "../../model/caller.ts"
import { COURIER_STATE_BY_STATUS } from "../../model/courier.ts"
import type { CourierState, FailureReason, PaymentStatus } from "../../model/courier.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { rankOf } from "../../model/delivery.ts"
import { TIMELINE_ENTRIES_MAX, TRAIL_FIXES_MAX } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import { TRACKING_STEPS } from "../../model/requests/courier-card.ts"
import type { ArrivalChange, TrackingStep, WayMap } from "../../model/requests/courier-card.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import { GroupJournals } from "../../engine/services/group-journals.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { readToken } from "../../engine/services/signed-links.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { Compartments, compartmentGroup, currentCompartment, fleetOf } from "../compartments/compartments.ts"
import type { CompartmentRecord } from "../compartments/compartments.ts"
import { FEE_CURRENCY, CourierSettings, environmentOf } from "../courier/settings.ts"
import { currentErrand, endOf, groupsOf } from "../courier/errand.ts"
import { CourierRows } from "../courier/rows.ts"
import { deliveryGroup, lookNow } from "../direct-delivery/commands.ts"
import { reachedStatuses } from "../direct-delivery/course.ts"
import { DeliveryRows, DeliverySites, isForRetailer } from "../direct-delivery/rows.ts"
import type { DeliveryRow, OrderItem } from "../direct-delivery/rows.ts"
import { TRACKING_PURPOSE, TrackingLinks, isTrackingOver } from "../direct-delivery/tracking-links.ts"
import { arrivalRange, estimatesFor } from "../dispatch/estimates.ts"
import type { ArrivalRange, VehicleNews } from "../dispatch/estimates.ts"
import { VehicleRows } from "../dispatch/rows.ts"
import { cardOf } from "./card.ts"

/** What a delivery that took place says of itself: from where to where, as the customer gave it. */
export interface Receipt {
  /** Lines of the store's address; empty when it is not known. */
  readonly from: readonly string[]
  readonly to: readonly string[]
  readonly bookedAtMs: EpochMs
  readonly deliveredAtMs: EpochMs
}

/** How the customer opens the vehicle. */
export interface Opening {
  /** What the fleet says about it; null: the usual words. */
  readonly instruction: string | null
  /** Null when the fleet cannot be asked: the instruction alone says how. */
  readonly compartment: CompartmentRecord | null
}

export interface TrackingView {
  readonly type: "found"
  readonly environment: Environment
  readonly state: CourierState
  readonly storeName: string
  readonly orderNumber: string | null
  /** Where the customer is; for the names of times. */
  readonly city: string | null
  readonly timeZone: string
  readonly steps: readonly { readonly step: TrackingStep; readonly atMs: EpochMs | null }[]
  /** Null before the booking, at the door and after the end. */
  readonly arrival: ArrivalRange | null
  readonly change: ArrivalChange | null
  /** The way alone; null before the booking and after the end. */
  readonly map: WayMap | null
  /** What is written on the vehicle, and its look; null before it has the order and after the end. */
  readonly vehicle: { readonly label: string; readonly look: string } | null
  readonly street: string | null
  /** Null before the booking and after the end. */
  readonly opening: Opening | null
  /** Null unless it was delivered. */
  readonly receipt: Receipt | null
  readonly items: readonly OrderItem[]
  /** The fee of an errand; the store pays for a direct delivery. */
  readonly fee: { readonly cents: number; readonly currency: string; readonly status: PaymentStatus } | null
  readonly failureReason: FailureReason | null
  readonly endedAtMs: EpochMs | null
  readonly nowMs: EpochMs
}

export type TrackingAnswer = TrackingView | { readonly type: "expired" } | { readonly type: "unknown" }

export class Tracking extends service<Tracking>()("Tracking", () => ({
  view,
  open,
  card,
  /** The delivery that a token leads to; null for a token that leads nowhere. */
  deliveryOf: (environment: Environment, token: string) =>
    Routine.map(linkedTo(environment, token), (linked) => linked?.deliveryId ?? null),
})) {}

const UNKNOWN = { type: "unknown" } as const
const EXPIRED = { type: "expired" } as const

/** A link is valid until 24 hours after the end; an altered one and one of the other environment are `unknown`. */
const view = Routine.fn(function* (environment: Environment, token: string) {
  const host = yield* ActorHost
  const linked = yield* linkedTo(environment, token)
  if (linked === null) return UNKNOWN
  const { kind, deliveryId } = linked
  const groups = [compartmentGroup(deliveryId)]
  const seen: TrackingAnswer =
    kind === "delivery"
      ? yield* host.view([deliveryGroup(deliveryId), ...groups], deliveryView(deliveryId))
      : yield* host.view([...groupsOf(deliveryId), ...groups], errandView(deliveryId))
  return seen
})

/** What a token is signed for, or null. */
const linkedTo = Routine.fn(function* (environment: Environment, token: string) {
  const { key } = yield* TrackingLinks
  const link = readToken(TRACKING_PURPOSE[environment], token, key)
  if (link === null) return null
  const { deliveryId } = link
  const row = yield* (yield* DeliveryRows).byId(deliveryId)
  if (row !== null && isForRetailer(row))
    return row.environment === environment ? ({ kind: "delivery", deliveryId, row } as const) : null
  const errand = yield* (yield* CourierRows).byId(deliveryId)
  return errand !== null && environmentOf(errand) === environment
    ? ({ kind: "errand", deliveryId, row } as const)
    : null
})

/**
 * Opens the compartment at the door, after the last four digits of the customer's phone number; false for a link
 * that leads nowhere. What became of it is in the next view.
 */
const open = Routine.fn(function* (environment: Environment, token: string, digits: string) {
  const linked = yield* linkedTo(environment, token)
  if (linked === null || linked.row === null) return false
  yield* (yield* Compartments).open(linked.row, digits)
  return true
})

/** What a card shows of the user's own errand; null for another's, and from a day after the end on. */
const card = Routine.fn(function* (userId: string, deliveryId: string) {
  const row = yield* (yield* CourierRows).byId(deliveryId)
  if (row?.userId !== userId) return null
  const host = yield* ActorHost
  const groups = [...groupsOf(deliveryId), compartmentGroup(deliveryId)]
  const seen: TrackingAnswer = yield* host.view(groups, errandView(deliveryId))
  return seen.type === "found" ? cardOf(seen, row.details) : null
})

const deliveryView = Routine.fn(function* (deliveryId: string) {
  const { nowMs } = yield* Transaction
  // Read again: the view has taken the group's due entries.
  const row = yield* (yield* DeliveryRows).byId(deliveryId)
  if (row === null) return UNKNOWN
  const endedAtMs = row.completedAtMs ?? row.cancelledAtMs
  if (isTrackingOver(endedAtMs, nowMs)) return EXPIRED
  const site = yield* (yield* DeliverySites).byId(row.siteId)
  const { vehicle } = yield* CourierSettings
  const look = yield* lookNow(row)
  return yield* viewOf({
    environment: row.environment,
    state: COURIER_STATE_BY_STATUS[row.status],
    storeName: site?.name ?? "the store",
    orderNumber: row.externalDeliveryId,
    timeZone: site?.timezone ?? (yield* CourierSettings).timeZone,
    items: row.items,
    fee: null,
    failureReason: null,
    look: vehicle.color,
    row,
    dropoff: row.address,
    storeAddress: site?.address ?? null,
    store: look.store,
    news: look,
    endedAtMs,
  })
})

const errandView = Routine.fn(function* (deliveryId: string) {
  const { nowMs } = yield* Transaction
  const settings = yield* CourierSettings
  const errand = yield* currentErrand(deliveryId)
  const endedAtMs = endOf(errand)
  if (isTrackingOver(endedAtMs, nowMs)) return EXPIRED
  const { row, delivery, state, order, paymentStatus, fix, way, loadingMs, firstStop } = errand
  const { details } = row
  return yield* viewOf({
    environment: environmentOf(row),
    state,
    storeName: details.retailerName,
    orderNumber: details.order?.orderNumber ?? null,
    timeZone: settings.timeZone,
    items: details.order?.items ?? [],
    fee: { cents: settings.feeCents, currency: FEE_CURRENCY, status: paymentStatus },
    failureReason: order.failureReason,
    look: settings.vehicle.color,
    row: delivery,
    // An errand's delivery row has no address of a person.
    dropoff: details.dropoffAddress,
    storeAddress: details.storeAddress,
    store: delivery?.storePlace ?? null,
    news: { fix, way, loadingMs, firstStop },
    endedAtMs,
  })
})

interface Address {
  readonly street: string
  readonly unit?: string | null | undefined
  readonly city: string
  readonly state: string
  readonly zip: string
}

/** What a page of either kind is made of. */
interface Tracked extends Pick<
  TrackingView,
  | "endedAtMs"
  | "environment"
  | "failureReason"
  | "fee"
  | "items"
  | "orderNumber"
  | "state"
  | "storeName"
  | "timeZone"
> {
  readonly look: string
  /** Null before an errand is booked. */
  readonly row: DeliveryRow | null
  /** As the customer gave it. */
  readonly dropoff: Address
  /** Null for a site without one. */
  readonly storeAddress: Address | null
  readonly store: Place | null
  readonly news: VehicleNews
}

const viewOf = Routine.fn(function* (tracked: Tracked) {
  const { row, store, look, news, dropoff, storeAddress, ...same } = tracked
  const { nowMs } = yield* Transaction
  const plain = { type: "found", ...same, receipt: receiptOf({ row, dropoff, storeAddress }), nowMs } as const
  const reached = row === null ? new Map<DeliveryStatus, EpochMs>() : yield* reachedOf(row.deliveryId)
  const steps = TRACKING_STEPS.map((step) => ({
    step,
    atMs: step === "booked" ? (row?.createdAtMs ?? null) : (reached.get(STATUS_OF_STEP[step]) ?? null),
  }))
  if (row === null || store === null || same.endedAtMs !== null) {
    const nothing = {
      city: null,
      arrival: null,
      change: null,
      map: null,
      vehicle: null,
      street: null,
      opening: null,
    }
    return { ...plain, ...nothing, steps } satisfies TrackingView
  }
  const { deliveryAtMs } = estimatesFor({
    ...row,
    ...news,
    storePlace: store,
    dropoffPlace: row.place,
    nowMs,
  })
  const isAhead = rankOf(row.status) < rankOf("ARRIVED_AT_CUSTOMER")
  const loadedAtMs =
    rankOf(row.status) >= rankOf("LOADED") ? (reached.get("LOADED") ?? row.createdAtMs) : null
  return {
    ...plain,
    steps,
    city: dropoff.city,
    street: dropoff.street,
    arrival: isAhead ? arrivalRange(deliveryAtMs, nowMs) : null,
    change: isAhead ? changeOf({ row, deliveryAtMs, reached }) : null,
    map: yield* mapOf({ row, store, news, loadedAtMs }),
    vehicle: loadedAtMs === null ? null : yield* vehicleOf(row, look),
    opening: yield* openingOf(row),
  } satisfies TrackingView
})

function receiptOf({
  row,
  dropoff,
  storeAddress,
}: Pick<Tracked, "dropoff" | "row" | "storeAddress">): Receipt | null {
  if (row === null || row.completedAtMs === null) return null
  return {
    from: storeAddress === null ? [] : linesOf(storeAddress),
    to: linesOf(dropoff),
    bookedAtMs: row.createdAtMs,
    deliveredAtMs: row.completedAtMs,
  }
}

function linesOf({ street, unit = null, city, state, zip }: Address): readonly string[] {
  return [...(unit === null || unit === "" ? [street] : [street, unit]), `${city}, ${state} ${zip}`]
}

const STATUS_OF_STEP = {
  at_store: "ARRIVED_AT_STORE",
  on_its_way: "EN_ROUTE_TO_CUSTOMER",
  at_the_door: "ARRIVED_AT_CUSTOMER",
  delivered: "COMPLETED",
} as const satisfies Record<Exclude<TrackingStep, "booked">, DeliveryStatus>

/** When the delivery first reached each status. */
const reachedOf = Routine.fn(function* (deliveryId: string) {
  const journals = yield* GroupJournals
  const group = deliveryGroup(deliveryId)
  const turns = yield* journals.first(group, TIMELINE_ENTRIES_MAX)
  return new Map(reachedStatuses(turns, group).map(({ status, atMs }) => [status, atMs]))
})

interface Mapped {
  readonly row: DeliveryRow
  readonly store: Place
  readonly news: VehicleNews
  readonly loadedAtMs: EpochMs | null
}

const mapOf = Routine.fn(function* ({ row, store, news: { fix }, loadedAtMs }: Mapped) {
  const { deliveryId, place: door } = row
  if (loadedAtMs === null || fix === null) return { store, door, vehicle: null, trail: [] }
  const vehicles = yield* VehicleRows
  const trail = yield* vehicles.trail({ deliveryId, sinceMs: loadedAtMs, limit: TRAIL_FIXES_MAX })
  return {
    store,
    door,
    vehicle: { ...placeOf(fix), recordedAtMs: fix.recordedAtMs },
    trail: trail.map(placeOf),
  }
})

function placeOf({ latitude, longitude }: Place): Place {
  return { latitude, longitude }
}

const openingOf = Routine.fn(function* (row: DeliveryRow) {
  const fleet = yield* fleetOf(row)
  const canBeAsked = fleet !== null && fleet.openUrl !== null
  const compartment = canBeAsked ? yield* currentCompartment(row.deliveryId) : null
  return { instruction: fleet?.instruction ?? null, compartment } satisfies Opening
})

const vehicleOf = Routine.fn(function* ({ vehicleId }: DeliveryRow, look: string) {
  const vehicle = yield* (yield* VehicleRows).byId(vehicleId)
  return vehicle === null ? null : { label: vehicle.label, look }
})

/** Changes of less than this are not worth a sentence. */
const CHANGE_MINUTES_MIN = 2

interface Changing {
  readonly row: DeliveryRow
  readonly deliveryAtMs: EpochMs
  readonly reached: ReadonlyMap<DeliveryStatus, EpochMs>
}

function changeOf({ row, deliveryAtMs, reached }: Changing): ArrivalChange | null {
  const byMinutes = Math.round((deliveryAtMs - row.deliveryEtaMs) / MINUTE_MS)
  if (Math.abs(byMinutes) < CHANGE_MINUTES_MIN) return null
  const change = { byMinutes, firstToldMs: row.deliveryEtaMs }
  return { ...change, why: byMinutes < 0 ? null : whyLater(row, reached) }
}

/** Who needed longer than planned, of those whose part has begun. */
function whyLater({ status, pickupEtaMs }: DeliveryRow, reached: Changing["reached"]): ArrivalChange["why"] {
  const atStoreMs = reached.get("ARRIVED_AT_STORE")
  if (atStoreMs === undefined || atStoreMs > pickupEtaMs + CHANGE_MINUTES_MIN * MINUTE_MS) return "vehicle"
  if (rankOf(status) < rankOf("LOADED")) return "store"
  const loadedAtMs = reached.get("LOADED") ?? atStoreMs
  return loadedAtMs > pickupEtaMs + STORE_MINUTES_MAX * MINUTE_MS ? "store" : "way"
}

/** Minutes that a store may need after the planned pickup before the delay is its own. */
const STORE_MINUTES_MAX = 7
