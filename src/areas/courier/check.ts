/** check_delivery: looks up the store and the address, screens them, and creates the errand, served or declined. */

import { Effect } from "effect"
import type { CheckDeliveryArguments, CourierAddress } from "../../model/requests/courier-requests.ts"
import { newId } from "../../model/ids.ts"
import { STORE_LEAD_MS } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import type { Facts } from "../../../machines/contracts.ts"
import { start } from "../../engine/services/actors.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { hasPlace } from "../dispatch/assignment.ts"
import { isInside } from "../dispatch/geography.ts"
import { Geocoder } from "../../engine/services/geocoding/geocoder.ts"
import type { Located } from "../../engine/services/geocoding/geocoder.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { claimed, keepAnswer, envelopeContext, userLock } from "./calls.ts"
import type { ToolCall } from "./calls.ts"
import { earliestFor, placesFor } from "./capacity.ts"
import { checkEnvelope, refusal } from "./envelopes.ts"
import { currentErrand, errandGroup } from "./errand.ts"
import { placesOf, replaceableHolds } from "./other-holds.ts"
import { BEFORE_BOOKING, CourierRows } from "./rows.ts"
import type { CourierDetails, OfferedWindow, StoreMatch, TimingProblem } from "./rows.ts"
import { isServedStore } from "./directory/served-stores.ts"
import { restrictedAmong } from "./screening/items.ts"
import { CourierSettings, environmentOf } from "./settings.ts"
import { StoreDirectory } from "./directory/store-directory.ts"
import type { FoundStore, Store } from "./directory/store-directory.ts"
import { firstWindowAfter, isOpenThen, timingProblemOf, windowsFor } from "./windows.ts"
import type { Span, WindowFacts } from "./windows.ts"

export const check = Effect.fnUntraced(function* (userId: string, args: CheckDeliveryArguments) {
  const call: ToolCall = { userId, tool: "check_delivery", args, deliveryId: null }
  return yield* claimed(call, look(call, args))
})

interface Looked {
  readonly store: Exclude<FoundStore, { readonly type: "unavailable" }>
  readonly storePlace: Place | null
  readonly dropoffPlace: Place | null
  readonly isDropoffApproximate: boolean
}

const look = Routine.fn(function* (call: ToolCall, args: CheckDeliveryArguments) {
  const directory = yield* StoreDirectory
  const at = yield* locate(call.userId, args.store_address)
  const dropoff = yield* locate(call.userId, args.dropoff_address)
  if (at.type === "unavailable" || dropoff.type === "unavailable") {
    return addressesDown()
  }
  const storePlace = at.type === "found" ? at.place : null
  const store: FoundStore = yield* Routine.suspend(() =>
    directory.find({
      name: args.retailer_name,
      address: args.store_address,
      place: storePlace,
    }),
  )
  if (store.type === "unavailable") return down("the store look-up does not answer")
  const dropoffPlace = dropoff.type === "found" ? dropoff.place : null
  const isDropoffApproximate = dropoff.type === "found" && dropoff.isApproximate
  return yield* begin(call, args, { store, storePlace, dropoffPlace, isDropoffApproximate })
})

export function addressesDown() {
  return down("the address look-up does not answer")
}

function down(what: string) {
  return refusal({ code: "internal_error", message: `${what}; send the call again with the same key` })
}

/** A location in the request takes precedence over the written address. */
export const locate = Routine.fn(function* (
  userId: string,
  { location, street, city, state, zip }: CourierAddress,
) {
  if (location !== undefined) {
    const place = { latitude: location.lat, longitude: location.lng }
    return { type: "found", place, isApproximate: false } satisfies Located
  }
  const geocoder = yield* Geocoder
  const settings = yield* CourierSettings
  const environment = environmentOf(settings)
  const { organizationId } = settings
  return yield* Routine.suspend(() =>
    geocoder.locate({ street, city, state, zip }, { environment, organizationId: organizationId ?? userId }),
  )
})

const begin = Routine.fn(function* (call: ToolCall, args: CheckDeliveryArguments, looked: Looked) {
  const host = yield* ActorHost
  const settings = yield* CourierSettings
  const nowMs = yield* Routine.nowMs
  const store = looked.store.type === "found" && isServedStore(looked.store.store) ? looked.store.store : null
  const asked = windowFactsOf(store, args, { settings, nowMs })
  const timingProblem = timingProblemOf(asked)
  const isClosed = timingProblem === "closed" || !isOpenThen(asked)
  const windows = store === null || isClosed ? [] : windowsFor(asked)
  const nonce = yield* host.nonce
  const deliveryId = newId("delivery", nonce)
  const restrictedItems = restrictedAmong(args.items ?? [])
  return yield* host.run({
    name: "quote an errand",
    locks: { key: userLock(call.userId) },
    body: Routine.fn(function* () {
      const rows = yield* CourierRows
      const transaction = yield* Transaction
      const place = store?.place ?? looked.storePlace
      const places = yield* placesOfUser(call.userId, place)
      const facts: Facts<"check-errand@3"> = {
        isRestricted: restrictedItems.length > 0,
        offersCurbside: args.pickup_methods_offered.includes("curbside"),
        isServedStore: store !== null,
        isInZone: [place, looked.dropoffPlace].every((one) => one !== null && isInside(one, settings.area)),
        isOutOfReach: timingProblem !== null && timingProblem !== "closed",
        windows: windows.length,
        ...places,
      }
      const storeMatches = looked.store.type === "unknown" ? looked.store.matches : []
      const isServable = timingProblem === null && windows.length > 0
      const nextWindow = store === null || isServable ? null : firstWindowAfter(asked)
      const isFull = !hasPlace(places) && facts.isServedStore && facts.isInZone && !facts.isRestricted
      const earliestAtMs = isFull ? yield* earliestFor(place, places) : null
      const told = { windows, timingProblem, restrictedItems, nextWindow, storeMatches, earliestAtMs }
      const details = detailsOf(args, { ...looked, store, ...told })
      yield* rows.insert({
        deliveryId,
        userId: call.userId,
        organizationId: settings.organizationId,
        fleetId: settings.fleetId,
        details,
        createdAtMs: transaction.nowMs,
        updatedAtMs: transaction.nowMs,
        phase: "quoted",
        paymentStatus: "pending",
        holdEndsAtMs: null,
        endedAtMs: null,
      })
      yield* start("courier-order@1", {
        to: errandGroup(deliveryId),
        input: { deliveryId, storeId: store?.storeId ?? null, policy: settings.policy },
        environment: environmentOf(settings),
        organizationId: settings.organizationId,
        facts,
        decision: "check-errand@3",
        nonce,
      })
      const answer = checkEnvelope(yield* currentErrand(deliveryId), yield* envelopeContext)
      yield* keepAnswer(call, answer, deliveryId)
      return answer
    }),
  })
})

/**
 * The user's own hold keeps no place from the user: the next reserve releases it. It is looked at only when no place is free, so
 * that most checks read no holds.
 */
const placesOfUser = Routine.fn(function* (userId: string, store: Place | null) {
  const places = yield* placesFor(store, null)
  if (hasPlace(places)) return places
  const released = yield* placesOf(yield* replaceableHolds(userId))
  return released === 0 ? places : yield* placesFor(store, null, released)
})

function windowFactsOf(
  store: Store | null,
  { requested_timing: timing, retailer_slots: slots = [] }: CheckDeliveryArguments,
  { settings, nowMs }: { readonly settings: CourierSettings["Type"]; readonly nowMs: number },
): WindowFacts {
  const { timeZone, policy } = settings
  const { horizonMs } = policy
  const { hours, leadTimeMs } = store ?? { hours: [], leadTimeMs: STORE_LEAD_MS }
  return { nowMs, horizonMs, leadTimeMs, hours: hours ?? [], timeZone, timing, slots }
}

interface Screened extends Omit<Looked, "store"> {
  readonly store: Store | null
  readonly windows: readonly OfferedWindow[]
  readonly restrictedItems: readonly string[]
  readonly storeMatches: readonly StoreMatch[]
  readonly nextWindow: Span | null
  readonly timingProblem: TimingProblem | null
  readonly earliestAtMs: EpochMs | null
}

function detailsOf(
  args: CheckDeliveryArguments,
  {
    store,
    windows,
    restrictedItems,
    storeMatches,
    nextWindow,
    timingProblem,
    earliestAtMs,
    ...places
  }: Screened,
): CourierDetails {
  return {
    retailerName: args.retailer_name,
    storeAddress: args.store_address,
    storePlace: store?.place ?? places.storePlace,
    storeUrl: args.store_url ?? null,
    hours: store?.hours ?? null,
    kitchenStarts: store?.kitchenStarts ?? null,
    leadTimeMs: store?.leadTimeMs ?? STORE_LEAD_MS,
    stallHint: store?.stallHint ?? null,
    dropoffAddress: args.dropoff_address,
    dropoffPlace: places.dropoffPlace,
    isDropoffApproximate: places.isDropoffApproximate,
    dropoffNotes: args.dropoff_notes ?? null,
    timing: args.requested_timing,
    slots: args.retailer_slots ?? [],
    itemCount: args.item_count ?? null,
    windows,
    customer: null,
    contact: null,
    ...BEFORE_BOOKING,
    restrictedItems,
    storeMatches: storeMatches.map(({ name, street, zip }) => ({ name, street, zip })),
    nextWindow,
    timingProblem,
    earliestAtMs,
  }
}
