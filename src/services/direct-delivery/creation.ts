/** Creation: a live quote becomes a delivery, once. Source: direct delivery contract, states and transitions. */

import { createHmac } from "node:crypto"
import { Effect } from "effect"
import type { Partner } from "../../model/caller.ts"
import type { CreateDeliveryRequest } from "../../model/delivery-requests.ts"
import { Refused } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { ActorHost, Transaction } from "../host.ts"
import { emptyPool } from "./assignment.ts"
import type { PromotionFacts } from "./assignment.ts"
import { currentDelivery, deliveryGroup } from "./commands.ts"
import { textCustomer } from "./customer-notices.ts"
import { quoteKey } from "./quotes.ts"
import type { DeliveryRecord } from "./record.ts"
import { DeliveryRows, VehicleRows } from "./rows.ts"
import type { Customer, DeliveryRow, DeliverySite, QuoteRow, Terms } from "./rows.ts"
import type { Race, Races } from "./races.ts"
import { enterSite } from "./sites.ts"

/** A delivery, and whether an earlier request made it. */
export interface CreatedDelivery {
  readonly delivery: DeliveryRecord
  readonly isReplay: boolean
}

interface Creation {
  readonly caller: Partner
  readonly siteId: string | undefined
  readonly request: CreateDeliveryRequest
  readonly arrival: number | null
  readonly digestKey: string
  readonly races: Races
}

/** A retry with the same body gets the delivery again; whoever loses a race is told that it exists (Q21, Q23). */
export function create(creation: Creation) {
  const { siteId = "", request, arrival, races } = creation
  const name = quoteKey(siteId.toLowerCase(), request.external_delivery_id)
  return races.run(name, arrival, (race) => createIn(race, creation))
}

const createIn = Effect.fnUntraced(function* (race: Race, { caller, siteId, request, digestKey }: Creation) {
  const site = yield* enterSite(caller, siteId, "deliveries:write")
  const host = yield* ActorHost
  const rows = yield* DeliveryRows
  const externalId = request.external_delivery_id
  const comparison = comparisonOf(request, digestKey)
  const earlier = yield* rows.byExternalId(site.siteId, externalId)
  if (earlier !== null) {
    if (race.isLost() || earlier.comparison !== comparison)
      return yield* new Refused({ code: "DELIVERY_ALREADY_EXISTS" })
    const { deliveryId } = earlier
    const delivery = yield* host.view([deliveryGroup(deliveryId)], currentDelivery(deliveryId))
    return { delivery, isReplay: true }
  }
  return yield* host.transact(
    { key: quoteKey(site.siteId, externalId), pool: site.fleetId },
    Effect.gen(function* () {
      race.began()
      const promoted = yield* rows.byExternalId(site.siteId, externalId)
      if (promoted !== null) return yield* new Refused({ code: "DELIVERY_ALREADY_EXISTS" })
      const delivery = yield* promoteQuote({ site, request, comparison })
      // Before the commit: whoever sees the row must know.
      race.won()
      return { delivery, isReplay: false }
    }),
  )
})

interface Promotion {
  readonly site: DeliverySite
  readonly request: CreateDeliveryRequest
  readonly comparison: string
}

const promoteQuote = Effect.fnUntraced(function* ({ site, request, comparison }: Promotion) {
  const host = yield* ActorHost
  const rows = yield* DeliveryRows
  const vehicles = yield* VehicleRows
  const transaction = yield* Transaction
  const { siteId, fleetId } = site
  const quoted = yield* rows.quote(siteId, request.external_delivery_id)
  // Holds before runs: an errand that is booked in between counts twice rather than not at all.
  const holds = yield* rows.holds(fleetId, { atMs: transaction.nowMs, without: null })
  const facts: PromotionFacts = {
    quote: quoted === null ? null : { isAvailable: quoted.terms !== null, expiresAtMs: quoted.expiresAtMs },
    ...(site.place === null ? emptyPool(holds) : yield* vehicles.pool(fleetId, { store: site.place, holds })),
  }
  const nonce = yield* host.nonce
  const deliveryId = newId("delivery", nonce)
  const group = deliveryGroup(deliveryId)
  const answer = yield* transaction.turn({
    to: group,
    start: { machine: "delivery@1", input: { deliveryId, siteId } },
    environment: site.environment,
    facts,
    decision: "promote@3",
    nonce,
  })
  if (answer.type === "refused") {
    const detail = answer.code === "QUOTE_UNAVAILABLE" ? (quoted?.unavailableReason ?? null) : null
    return yield* new Refused(detail === null ? { code: answer.code } : { code: answer.code, detail })
  }
  const { terms, errand } = yield* promotable(quoted)
  const customer = yield* customerOf(errand.customer, request)
  const started = yield* transaction.group(group)
  const row: Omit<DeliveryRow, "number"> = {
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
    createdAtMs: transaction.nowMs,
    status: "SCHEDULED",
    vehicleId: String(started?.actors.get(group)?.snapshot.context.vehicleId),
    completedAtMs: null,
    cancelledAtMs: null,
    updatedAtMs: transaction.nowMs,
  }
  yield* rows.insert(row)
  yield* textCustomer(row, row.status, nonce)
  return yield* currentDelivery(deliveryId)
})

/** What the delivery carries on; the decision has seen to it that the quote is there and available. */
function promotable(quoted: QuoteRow | null) {
  if (quoted === null || quoted.terms === null) return Effect.dieMessage("a promoted quote has no terms")
  const { readyByMs, customer, address, place, items, pickupInstructions } = quoted
  const terms: Terms = quoted.terms
  return Effect.succeed({
    terms,
    errand: { readyByMs, customer, address, place, items, pickupInstructions },
  })
}

/** Names and e-mail given now win; the number is the quote's. */
function customerOf(quoted: Customer, request: CreateDeliveryRequest): Effect.Effect<Customer, Refused> {
  const given = request.customer ?? {}
  if (typeof given.phone === "string" && given.phone !== quoted.phone) {
    const problem = { field: "customer.phone", message: "must be the number that was quoted" }
    return Effect.fail(new Refused({ code: "VALIDATION_ERROR", problems: [problem] }))
  }
  return Effect.succeed({
    first_name: given.first_name ?? quoted.first_name,
    last_name: given.last_name ?? quoted.last_name,
    email: given.email ?? quoted.email,
    phone: quoted.phone,
  })
}

/** Keyed, so that it outlives the blanking of the person's data. Absent equals null. */
function comparisonOf({ external_delivery_id, customer }: CreateDeliveryRequest, key: string): string {
  const { first_name, last_name, email, phone } = customer ?? {}
  const compared = [external_delivery_id, first_name, last_name, email, phone].map((one) => one ?? null)
  return createHmac("sha256", key).update(JSON.stringify(compared)).digest("hex")
}
