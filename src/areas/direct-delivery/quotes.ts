/** Quotes: whether an order can be delivered, when and for how much. Source: direct delivery contract, quote. */

import type { Partner } from "../../model/caller.ts"
import type { QuoteRequest } from "../../model/requests/delivery-requests.ts"
import { Refused } from "../../model/values/errors.ts"
import { LOADING_MS, QUOTE_LIFETIME_MS } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import { isConfigured } from "../../model/site.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { Geocoder } from "../../engine/services/geocoding/geocoder.ts"
import { keptFromMs } from "../../engine/services/organization-clock.ts"
import { ActorHost, Transaction, batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { SmsConsent } from "../messages/consent.ts"
import { unavailableReason } from "./promotion.ts"
import { bestVehicle, timesOf } from "../dispatch/assignment.ts"
import type { Candidate, Pool } from "../../model/vehicle-pool.ts"
import { earliestPlace } from "../dispatch/earliest-place.ts"
import { isInside, metresBetween } from "../dispatch/geography.ts"
import { wayAfterQueue } from "../dispatch/queue.ts"
import type { Asking, WayToStore } from "../dispatch/queue.ts"
import { TRIP_ALLOWANCE_MS, byFirstDoorMs } from "../dispatch/trips.ts"
import { composeQuote } from "./record.ts"
import { VehicleRows } from "../dispatch/rows.ts"
import { QuoteWatch } from "./quote-watch.ts"
import { DeliveryRows } from "./rows.ts"
import type { QuoteRow, Terms } from "./rows.ts"
import { configured, enterSite } from "./sites.ts"
import type { ConfiguredSite, SiteOfCall } from "./sites.ts"

/** Checked in the order of choice Q13; an order that cannot be delivered gets an answer, not a refusal. */
export const quote = Routine.fn(function* (caller: Partner, siteOfCall: SiteOfCall, request: QuoteRequest) {
  const found = yield* enterSite(caller, siteOfCall, "deliveries:write")
  const beganMs = yield* Routine.nowMs
  if (request.ready_by <= beganMs) return yield* new Refused({ code: "INVALID_READY_BY" })
  const rows = yield* DeliveryRows
  const promoted = rows.byExternalId(found.siteId, request.external_delivery_id)
  const given = givenPlace(request)
  // An existing delivery is reported before an unconfigured site, and before the geocoder is called.
  if ((given === null || !isConfigured(found)) && (yield* promoted) !== null)
    return yield* new Refused({ code: "DELIVERY_ALREADY_EXISTS" })
  const site = yield* configured(found)
  const place = given ?? (yield* locate(caller, request))
  const host = yield* ActorHost
  const vehicles = yield* VehicleRows
  const consent = yield* SmsConsent
  const watch = yield* QuoteWatch
  const at = { atMs: yield* Routine.nowMs, without: null, released: 0 }
  return yield* host.run({
    name: "create a quote",
    locks: { key: quoteKey(site.siteId, request.external_delivery_id) },
    reads: batch([
      promoted,
      vehicles.pool(site.fleetId, {
        store: site.place,
        policy: site.dispatchPolicy,
        order: { customer: place, readyByMs: request.ready_by },
        ...at,
      }),
      consent.hasStopped(site, request.customer.phone),
    ]),
    body: Routine.fn(function* ([delivery, pool, isOptedOut]) {
      if (delivery !== null) return yield* new Refused({ code: "DELIVERY_ALREADY_EXISTS" })
      const made = yield* compose({ site, request, place, pool, isOptedOut })
      yield* rows.putQuote({ ...made, keptFromMs: yield* keptFromMs })
      yield* watch.quoted(site)
      const { nowMs } = yield* Transaction
      const isFull = made.unavailableReason === "NO_CAPACITY"
      const full = { ...pool, store: site.place, nowMs }
      return composeQuote(made, isFull ? yield* earliestPlace(site.fleetId, full) : null)
    }),
  })
})

/** Quotes and the delivery of one external id are made one at a time. */
export function quoteKey(siteId: string, externalDeliveryId: string): string {
  return `deliveries/${siteId}/${externalDeliveryId}`
}

/** The customer's place, if the request has it. */
function givenPlace({ delivery_address: { location: alias }, delivery_location: place }: QuoteRequest) {
  if (place !== undefined && place !== null) return place
  return alias === undefined || alias === null ? null : { latitude: alias.lat, longitude: alias.lng }
}

const locate = Routine.fn(function* (caller: Partner, { delivery_address: address }: QuoteRequest) {
  const geocoder = yield* Geocoder
  const { street, city, state, zip } = address
  const located = yield* Routine.suspend(() => geocoder.locate({ street, city, state, zip }, caller))
  if (located.type === "found") return located.place
  // During an outage of the geocoder the address may be right, so the caller should retry instead of correcting it.
  return yield* new Refused({
    code: located.type === "unknown" ? "GEOCODE_FAILED" : "GEOCODING_UNAVAILABLE",
  })
})

interface QuoteParts {
  readonly site: ConfiguredSite
  readonly request: QuoteRequest
  readonly place: Place
  readonly pool: Pool
  readonly isOptedOut: boolean
}

/** The quote as of this instant. */
const compose = Routine.fn(function* ({ site, request, place, pool, isOptedOut }: QuoteParts) {
  const { nowMs } = yield* Transaction
  const { customer, delivery_address: address } = request
  const reason = unavailableReason({
    isInside: isInside(place, site.area),
    isOptedOut,
    readyByMs: request.ready_by,
    nowMs,
    readyAheadMsMax: site.readyAheadMsMax,
    ...pool,
  })
  const best = reason === null ? bestVehicle(pool) : null
  const terms: Terms | null =
    best === null
      ? null
      : {
          ...promisedTimes({
            site,
            customer: place,
            readyByMs: request.ready_by,
            way: yield* wayOf(best, { store: site.place, nowMs, loadingMs: LOADING_MS }),
          }),
          feeCents: site.priceCents,
          currency: "USD",
        }
  const made: QuoteRow = {
    siteId: site.siteId,
    externalDeliveryId: request.external_delivery_id,
    terms,
    unavailableReason: reason,
    expiresAtMs: nowMs + QUOTE_LIFETIME_MS,
    createdAtMs: nowMs,
    readyByMs: request.ready_by,
    customer: {
      first_name: customer.first_name ?? null,
      last_name: customer.last_name ?? null,
      email: customer.email ?? null,
      phone: customer.phone,
    },
    address: {
      street: address.street,
      city: address.city,
      state: address.state,
      zip: address.zip,
      unit: address.unit ?? null,
    },
    place,
    items: request.order_items,
    pickupInstructions: request.pickup_instructions ?? null,
  }
  return made
})

/** What a customer is promised. An order that may begin a trip allows for a second one; the second one comes after the first door. */
function promisedTimes({ site, customer, readyByMs, way }: Promising) {
  const { firstDoor, ...toStore } = way
  const tripMs = firstDoor === undefined ? allowanceOf(site) : byFirstDoorMs(site.place, firstDoor)
  const toCustomerM = metresBetween(firstDoor ?? site.place, customer)
  return timesOf({ ...toStore, readyByMs, toCustomerM, tripMs })
}

interface Promising {
  readonly site: ConfiguredSite
  readonly customer: Place
  readonly readyByMs: EpochMs
  readonly way: WayToStore
}

function allowanceOf({ dispatchPolicy }: ConfiguredSite): number {
  return dispatchPolicy === "batching" ? TRIP_ALLOWANCE_MS : 0
}

/** The way of a vehicle to the store for one more run: an idle one departs now, another one after its runs. */
export const wayOf = Routine.fn(function* (best: Candidate, at: Omit<Asking, "vehicle">) {
  const vehicles = yield* VehicleRows
  const vehicle = best.runs === 0 ? null : yield* vehicles.byId(best.vehicleId)
  if (vehicle === null) return { setsOutAtMs: at.nowMs, toStoreM: best.metres } satisfies WayToStore
  return yield* wayAfterQueue({ ...at, vehicle }, best.sharesTrip ?? false)
})
