/**
 * Test deliveries of the sandbox: the API's quote and creation in one, with values for all that the request leaves out. Which values
 * is ours (src/DECISIONS.md §219).
 */

import { Clock, Effect } from "effect"
import type { Partner } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { QuoteRequest } from "../../model/requests/delivery-requests.ts"
import type { Place } from "../../model/place.ts"
import type { MakeTestDeliveryRequest } from "../../model/requests/portal.ts"
import { isConfigured } from "../../model/site.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import { DirectDelivery } from "../direct-delivery/direct-delivery.ts"
import { DeliveryRows, DeliverySites } from "../direct-delivery/rows.ts"
import type { DeliverySite } from "../direct-delivery/rows.ts"
import { SmsConsent } from "../messages/consent.ts"
import { isInside, northOf } from "../dispatch/geography.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export class TestDeliveries extends service<TestDeliveries>()("TestDeliveries", () => ({ make })) {}

/** Returns the delivery's id. The caller is a partner in the sandbox. */
const make = Effect.fnUntraced(function* (caller: Partner, request: MakeTestDeliveryRequest) {
  if (caller.environment !== "sandbox") return yield* new Refused({ code: "NOT_FOUND" })
  const site = yield* siteOf(caller, request.site_id)
  const host = yield* ActorHost
  const direct = yield* DirectDelivery
  const name = `test-${(yield* host.nonce).slice(0, 8)}`
  const phone = request.customer?.phone ?? (yield* phoneAt(site))
  const quote = filled(request, { site, name, phone, nowMs: yield* Clock.currentTimeMillis })
  const { external_delivery_id } = quote
  yield* direct.quote(caller, site, quote)
  yield* direct.create(caller, site, { external_delivery_id })
  const row = yield* (yield* DeliveryRows).byExternalId(site.siteId, external_delivery_id)
  return row?.deliveryId ?? (yield* Routine.dieMessage("a delivery that was just made is gone"))
})

const siteOf = Routine.fn(function* (caller: Partner, siteId: string | undefined) {
  const sites = yield* DeliverySites
  const known = yield* sites.ofOrganization(caller)
  if (siteId !== undefined)
    return known.find((site) => site.siteId === siteId) ?? (yield* new Refused({ code: "NOT_FOUND" }))
  const usable = known.find((site) => site.isActive && isConfigured(site))
  if (usable !== undefined) return usable
  const detail = "the sandbox has no active site with an area and a price; make one first"
  return yield* new Refused({ code: "RETAILER_NOT_FOUND", detail })
})

interface Around {
  readonly site: DeliverySite
  readonly name: string
  readonly phone: string
  readonly nowMs: number
}

/** Numbers that North American numbering keeps for fiction, in the order in which they are taken. */
const PHONES = Array.from({ length: 100 }, (_, at) => `+151255501${String((at + 42) % 100).padStart(2, "0")}`)

/** The first number that has not opted out: a test delivery is not refused because an earlier one was used to try STOP. */
const phoneAt = Routine.fn(function* (site: DeliverySite) {
  const consent = yield* SmsConsent
  for (const phone of PHONES) if (!(yield* consent.hasStopped(site, phone))) return phone
  return PHONES[0] ?? ""
})

const READY_AFTER_MS = 10 * MINUTE_MS
/** Metres from the site to the customer: the first one that is inside its area. */
const DISTANCES_M = [1_500, 800, 400, 200, 100, 50]

function filled(request: MakeTestDeliveryRequest, { site, name, phone, nowMs }: Around): QuoteRequest {
  const { customer, delivery_address: address, delivery_location: location } = request
  // An address that was sent is located as the API does it.
  const place = location ?? (address === undefined ? placeIn(site) : undefined)
  return {
    external_delivery_id: request.external_delivery_id ?? name,
    customer: { first_name: "Test", last_name: "Customer", ...customer, phone },
    delivery_address: address ?? { ...(site.address ?? ELSEWHERE), street: "1 Test Street" },
    ...(place === undefined ? {} : { delivery_location: place }),
    ready_by: request.ready_by ?? nowMs + READY_AFTER_MS,
    order_items: request.order_items ?? [{ name: "Test item", quantity: 1 }],
    pickup_instructions: request.pickup_instructions,
  }
}

const ELSEWHERE = { city: "Austin", state: "TX", zip: "78701" }

/** Absent for a site without a place, which the quote refuses. */
function placeIn({ place, area }: DeliverySite): Place | undefined {
  if (place === null || area === null) return place ?? undefined
  const near = DISTANCES_M.map((metres) => northOf(place, metres))
  return near.find((one) => isInside(one, area)) ?? place
}
