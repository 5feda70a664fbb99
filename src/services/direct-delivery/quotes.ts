/** Quotes: can an order be delivered, when and for how much. Source: direct delivery contract, quote. */

import { Clock, Effect } from "effect"
import type { Partner } from "../../model/caller.ts"
import type { QuoteRequest } from "../../model/delivery-requests.ts"
import { Refused } from "../../model/errors.ts"
import { QUOTE_LIFETIME_MS } from "../../model/limits.ts"
import type { Place } from "../../model/place.ts"
import { Geocoder } from "../geocoding/geocoder.ts"
import { ActorHost, Transaction } from "../host.ts"
import { SmsConsent } from "../messages/consent.ts"
import { bestVehicle, timesOf, unavailableReason } from "./assignment.ts"
import type { Candidate } from "./assignment.ts"
import { isInside, metresBetween } from "./geography.ts"
import { wayAfterQueue } from "./queue.ts"
import { composeQuote } from "./record.ts"
import { DeliveryRows, VehicleRows } from "./rows.ts"
import type { QuoteRow, Terms } from "./rows.ts"
import { configured, enterSite } from "./sites.ts"
import type { ConfiguredSite } from "./sites.ts"

/** In the order of choice Q13; whatever cannot be delivered is an answer, not a refusal. */
export const quote = Effect.fnUntraced(function* (
  caller: Partner,
  siteId: string | undefined,
  request: QuoteRequest,
) {
  const found = yield* enterSite(caller, siteId, "deliveries:write")
  if (request.ready_by <= (yield* Clock.currentTimeMillis)) {
    return yield* new Refused({ code: "INVALID_READY_BY" })
  }
  const rows = yield* DeliveryRows
  const externalId = request.external_delivery_id
  const earlier = yield* rows.byExternalId(found.siteId, externalId)
  if (earlier !== null) return yield* new Refused({ code: "DELIVERY_ALREADY_EXISTS" })
  const site = yield* configured(found)
  const place = yield* locate(request)
  const host = yield* ActorHost
  return yield* host.transact(
    { key: quoteKey(site.siteId, externalId) },
    Effect.gen(function* () {
      const promoted = yield* rows.byExternalId(site.siteId, externalId)
      if (promoted !== null) return yield* new Refused({ code: "DELIVERY_ALREADY_EXISTS" })
      const made = yield* compose(site, request, place)
      yield* rows.putQuote(made)
      return composeQuote(made)
    }),
  )
})

/** Quotes and the delivery of one external id are made one after the other. */
export function quoteKey(siteId: string, externalDeliveryId: string): string {
  return `deliveries/${siteId}/${externalDeliveryId}`
}

const locate = Effect.fnUntraced(function* (request: QuoteRequest) {
  const { delivery_address: address, delivery_location: given } = request
  if (given !== undefined && given !== null) return given
  const alias = address.location ?? null
  if (alias !== null) return { latitude: alias.lat, longitude: alias.lng }
  const geocoder = yield* Geocoder
  const { street, city, state, zip } = address
  const located = yield* geocoder.locate({ street, city, state, zip })
  if (located.type === "found") return located.place
  // That nobody answers says nothing of the address: the caller is to come again, and not to correct it.
  return yield* new Refused({
    code: located.type === "unknown" ? "GEOCODE_FAILED" : "GEOCODING_UNAVAILABLE",
  })
})

/** The quote as of this instant. */
const compose = Effect.fnUntraced(function* (site: ConfiguredSite, request: QuoteRequest, place: Place) {
  const consent = yield* SmsConsent
  const { nowMs } = yield* Transaction
  const rows = yield* DeliveryRows
  const { customer, delivery_address: address } = request
  const vehicles = yield* VehicleRows
  // Holds before runs: an errand that is booked in between counts twice rather than not at all.
  const holds = yield* rows.holds(site.fleetId, { atMs: nowMs, without: null })
  const pool = yield* vehicles.pool(site.fleetId, { store: site.place, holds })
  const reason = unavailableReason({
    isInside: isInside(place, site.area),
    isOptedOut: yield* consent.hasStopped(site, customer.phone),
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
          ...timesOf({
            ...(yield* wayOf(best, site, nowMs)),
            readyByMs: request.ready_by,
            toCustomerM: metresBetween(site.place, place),
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

/** An idle vehicle sets out now; another one after its runs. */
const wayOf = Effect.fnUntraced(function* (best: Candidate, { place: store }: ConfiguredSite, nowMs: number) {
  const vehicles = yield* VehicleRows
  const vehicle = best.runs === 0 ? null : yield* vehicles.byId(best.vehicleId)
  if (vehicle === null) return { setsOutAtMs: nowMs, toStoreM: best.metres }
  return yield* wayAfterQueue({ vehicle, store, nowMs })
})
