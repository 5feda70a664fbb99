/** Creation: a live quote becomes a delivery, only once. Source: direct delivery contract, states and transitions. */

import { hmacHex } from "#digest"
import type { Partner } from "../../model/caller.ts"
import type { CreateDeliveryRequest } from "../../model/requests/delivery-requests.ts"
import { Refused } from "../../model/values/errors.ts"
import { newId } from "../../model/ids.ts"
import type { Facts } from "../../../machines/contracts.ts"
import { rootOf, start } from "../../engine/services/actors.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { ActorHost, Transaction, batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { bestVehicle, emptyPool } from "../dispatch/assignment.ts"
import { earliestPlace } from "../dispatch/earliest-place.ts"
import { VehicleRows } from "../dispatch/rows.ts"
import type { NewOrder } from "../dispatch/rows.ts"
import type { Pool } from "../../model/vehicle-pool.ts"
import { currentDelivery, deliveryGroup } from "./commands.ts"
import { textCustomer } from "./customer-notices.ts"
import { loadingMsOf } from "../dispatch/queue.ts"
import { quoteKey, wayOf } from "./quotes.ts"
import { composeDelivery } from "./record.ts"
import type { Look } from "./record.ts"
import { TrackingLinks } from "./tracking-links.ts"
import { DeliveryRows, DeliverySites } from "./rows.ts"
import type { Customer, DeliverySite, NewDelivery, QuoteRow, Terms } from "./rows.ts"
import type { Races } from "./races.ts"
import { enterSiteReading } from "./sites.ts"
import type { SiteOfCall } from "./sites.ts"

interface Creation {
  readonly caller: Partner
  readonly siteOfCall: SiteOfCall
  readonly request: CreateDeliveryRequest
  readonly arrival: number
  readonly races: Races
}

/** A retry with the same body gets the delivery again; a create that loses a race is refused (Q21, Q23). */
export const create = Routine.fn(function* (creation: Creation) {
  const { caller, siteOfCall, request, arrival, races } = creation
  const { key: digestKey } = yield* DigestKey
  const host = yield* ActorHost
  const rows = yield* DeliveryRows
  const externalId = request.external_delivery_id
  const entering = { caller, siteOfCall, permission: "deliveries:write" } as const
  const [site, earlier] = yield* enterSiteReading(entering, (siteId) => rows.byExternalId(siteId, externalId))
  const name = quoteKey(site.siteId, externalId)
  const comparison = comparisonOf(request, digestKey)
  if (earlier !== null) {
    if (races.isLost(name, arrival) || earlier.comparison !== comparison)
      return yield* new Refused({ code: "DELIVERY_ALREADY_EXISTS" })
    const { deliveryId } = earlier
    const delivery = yield* host.view([deliveryGroup(deliveryId)], currentDelivery(deliveryId))
    return { delivery, isReplay: true }
  }
  const creating = host.run({
    name: "create a delivery",
    locks: { key: name, pool: site.fleetId },
    reads: readPromotion(site, externalId),
    body: Routine.fn(function* ({ promoted, ...found }) {
      if (promoted !== null) return yield* new Refused({ code: "DELIVERY_ALREADY_EXISTS" })
      return { delivery: yield* promoteQuote({ ...found, site, request, comparison }), isReplay: false }
    }),
  })
  return yield* races.creating(name, creating)
})

/** The reads of a creation under its locks. */
const readPromotion = Routine.fn(function* (site: DeliverySite, externalId: string) {
  const rows = yield* DeliveryRows
  const sites = yield* DeliverySites
  const vehicles = yield* VehicleRows
  const { siteId, fleetId, place: store, dispatchPolicy: policy } = site
  const at = { policy, atMs: yield* Routine.nowMs, without: null, released: 0 }
  const poolFor = (order: NewOrder | null) =>
    store === null ? Routine.succeed(emptyPool(0)) : vehicles.pool(fleetId, { store, order, ...at })
  const quoting = rows.quote(siteId, externalId)
  // Only a trip depends on the order: by the other policies the quote and the pool are read together.
  const ordered =
    policy !== "batching"
      ? null
      : Routine.flatMap(quoting, (quote) => poolFor(quote === null ? null : orderOf(quote)))
  const [promoted, quoted, pool, loads] = yield* batch([
    rows.byExternalId(siteId, externalId),
    quoting,
    ordered ?? poolFor(null),
    rows.loads(siteId),
    // The customer's notice contains the site's name.
    Routine.ahead(sites.byId(siteId)),
  ])
  return { promoted, quoted, pool, loads }
})

function orderOf({ place: customer, readyByMs }: QuoteRow): NewOrder {
  return { customer, readyByMs }
}

interface Promotion {
  readonly quoted: QuoteRow | null
  readonly pool: Pool
  /** Of the site: how long they took. */
  readonly loads: readonly number[]
  readonly site: DeliverySite
  readonly request: CreateDeliveryRequest
  readonly comparison: string
}

const promoteQuote = Routine.fn(function* (promotion: Promotion) {
  const { site, quoted, pool, request, comparison } = promotion
  const host = yield* ActorHost
  const rows = yield* DeliveryRows
  const transaction = yield* Transaction
  const { siteId, fleetId } = site
  const facts: Facts<"promote@3"> = {
    quote: quoted === null ? null : { isAvailable: quoted.terms !== null, expiresAtMs: quoted.expiresAtMs },
    ...pool,
  }
  const nonce = yield* host.nonce
  const deliveryId = newId("delivery", nonce)
  const group = deliveryGroup(deliveryId)
  const answer = yield* start("delivery@1", {
    to: group,
    input: { deliveryId, siteId },
    environment: site.environment,
    organizationId: site.organizationId,
    facts,
    decision: "promote@3",
    nonce,
  })
  if (answer.type === "refused") {
    if (answer.code === "NO_CAPACITY" && site.place !== null) {
      const full = { ...pool, store: site.place, nowMs: transaction.nowMs }
      return yield* new Refused({ code: answer.code, earliestAtMs: yield* earliestPlace(fleetId, full) })
    }
    const detail = answer.code === "QUOTE_UNAVAILABLE" ? (quoted?.unavailableReason ?? null) : null
    return yield* new Refused(detail === null ? { code: answer.code } : { code: answer.code, detail })
  }
  const { terms, errand } = yield* promotable(quoted)
  const customer = yield* customerOf(errand.customer, request)
  const started = yield* transaction.group(group)
  if (started === null) return yield* Routine.dieMessage(`the delivery ${deliveryId} did not start`)
  const row: NewDelivery = {
    ...errand,
    ...terms,
    customer,
    deliveryId,
    siteId,
    fleetId,
    organizationId: site.organizationId,
    environment: site.environment,
    externalDeliveryId: request.external_delivery_id,
    comparison,
    storePlace: null,
    cancellationReason: null,
    toldFix: null,
    atStoreAtMs: null,
    createdAtMs: transaction.nowMs,
    status: "SCHEDULED",
    vehicleId: rootOf("delivery", started).context.vehicleId,
    completedAtMs: null,
    cancelledAtMs: null,
    updatedAtMs: transaction.nowMs,
  }
  const look = yield* lookAt(row, promotion)
  yield* rows.insert(row)
  yield* textCustomer(row, Routine.succeed(look), nonce)
  return composeDelivery(row, started.actors, look)
})

/** The data for the estimates of a new delivery: its vehicle, with the runs in the pool and without this one. */
const lookAt = Routine.fn(function* (row: NewDelivery, { site, pool, loads }: Promotion) {
  const { nowMs } = yield* Transaction
  const store = site.place ?? row.place
  const chosen = bestVehicle(pool)
  const loadingMs = loadingMsOf(loads)
  const way = chosen === null ? null : yield* wayOf(chosen, { store, nowMs, loadingMs })
  return {
    store,
    fix: null,
    firstStop: null,
    way,
    loadingMs,
    links: yield* TrackingLinks,
    nowMs,
  } satisfies Look
})

/** The quote to promote; the decision has checked that it exists and is available. */
function promotable(quoted: QuoteRow | null) {
  if (quoted === null || quoted.terms === null) return Routine.dieMessage("a promoted quote has no terms")
  const { readyByMs, customer, address, place, items, pickupInstructions } = quoted
  const terms: Terms = quoted.terms
  return Routine.succeed({
    terms,
    errand: { readyByMs, customer, address, place, items, pickupInstructions },
  })
}

/** Names and e-mail in the request take precedence, unless they are empty; the number is the quote's. */
function customerOf(quoted: Customer, request: CreateDeliveryRequest): Routine<Customer, Refused> {
  const given = request.customer ?? {}
  if (typeof given.phone === "string" && given.phone !== quoted.phone) {
    const problem = { field: "customer.phone", message: "must be the number that was quoted" }
    return Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems: [problem] }))
  }
  return Routine.succeed({
    first_name: given.first_name || quoted.first_name,
    last_name: given.last_name || quoted.last_name,
    email: given.email || quoted.email,
    phone: quoted.phone,
  })
}

/** A keyed digest, because it is kept after personal data was blanked. Absent, null and empty are the same. */
function comparisonOf({ external_delivery_id, customer }: CreateDeliveryRequest, key: string): string {
  const { first_name, last_name, email, phone } = customer ?? {}
  const compared = [external_delivery_id, first_name, last_name, email, phone].map((one) => one || null)
  return hmacHex(key, JSON.stringify(compared))
}
