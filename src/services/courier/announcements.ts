/**
 * What follows a turn of an errand or of its delivery, in the same transaction: the projected columns, the delivery's row
 * when it is booked, the answers of calls that waited for the processor, and notices to the customer.
 */

import { Effect } from "effect"
import { idOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { isFinal } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { DeliveryContext } from "../../../machines/delivery.ts"
import type { TurnResult } from "../../kernel/turn.ts"
import { timesOf } from "../direct-delivery/assignment.ts"
import { metresBetween } from "../direct-delivery/geography.ts"
import { deliveryStatus } from "../direct-delivery/record.ts"
import { DeliveryRows } from "../direct-delivery/rows.ts"
import { Transaction } from "../host.ts"
import { MessageNotices } from "../messages/notices.ts"
import { newEnvelopeWriter } from "./calls.ts"
import {
  confirmEnvelope,
  dollarsOf,
  reserveEnvelope,
  statusEnvelope,
  trackingUrl,
  withReleased,
} from "./envelopes.ts"
import { currentErrand, isAsking, owedIn, seenIn } from "./errand.ts"
import type { Errand } from "./errand.ts"
import { CourierClaims, CourierRows } from "./rows.ts"
import type { CourierClaim, CourierPhase } from "./rows.ts"
import { STORE_PREFIX } from "./store-directory.ts"
import { moneyText } from "./wording.ts"

/** The number stays with the errand. Not the blank one: that stands for a row whose door is blanked too. */
const NOBODYS_PHONE = ""

/** Whose deliveries errands are, in rows that belong to organizations. */
const COURIER_ORGANIZATION = "courier"

export const observeOrder = Effect.fnUntraced(function* ({
  outcome,
  group,
  hasMoved,
  instantMs,
  nonce,
}: TurnResult) {
  const seen = seenIn(group)
  if (outcome.type === "refused" || seen === null) return
  const rows = yield* CourierRows
  const deliveries = yield* DeliveryRows
  const deliveryId = idOf(group.address)
  const { order, phase, paymentStatus } = seen
  // What goes back to the user may turn the group again, at the same instant.
  const hasEnded = phase in ENDS && (yield* rows.byId(deliveryId))?.phase !== phase
  yield* rows.change(deliveryId, {
    phase,
    paymentStatus,
    holdEndsAtMs: order.holdEndsAtMs,
    ...(order.endedAtMs === null ? {} : { endedAtMs: order.endedAtMs }),
    ...(hasMoved ? { updatedAtMs: instantMs } : {}),
  })
  if (phase === "booked" && (yield* deliveries.byId(deliveryId)) === null) {
    yield* insertDelivery(yield* currentErrand(deliveryId))
    yield* notify(yield* currentErrand(deliveryId), "booked", nonce)
  }
  if (hasEnded) yield* notifyEnd(yield* currentErrand(deliveryId), nonce)
  if (!isAsking(group)) yield* answerWaiting(deliveryId)
  const owed = owedIn(group)
  if (hasMoved && owed !== null) {
    yield* Effect.logError(`the payment of ${deliveryId} is ${owed}: give it back at the processor`)
  }
})

/** Statuses that the customer is told of, and the end of the errand. */
export const observeErrandDelivery = Effect.fnUntraced(function* (result: TurnResult) {
  const { outcome, group, emissions, instantMs, nonce } = result
  const context = group.actors.get(group.address)?.snapshot.context as DeliveryContext | undefined
  if (outcome.type === "refused" || context?.siteId.startsWith(STORE_PREFIX) !== true) return
  const rows = yield* CourierRows
  const deliveryId = idOf(group.address)
  const status = deliveryStatus(group.actors, group.address)
  const change = isFinal(status)
    ? { endedAtMs: instantMs, updatedAtMs: instantMs }
    : { updatedAtMs: instantMs }
  yield* rows.change(deliveryId, change)
  for (const { actors } of emissions) {
    const told = deliveryStatus(actors, group.address)
    if (told in NOTICES) yield* notify(yield* currentErrand(deliveryId), told as Notice, nonce)
  }
})

/** Drops the row of an errand whose group a host without recording folds away. */
export const forgetErrand = Effect.fnUntraced(function* (group: GroupAddress) {
  const rows = yield* CourierRows
  yield* rows.forget(idOf(group))
})

/** What vehicles and capacity see of an errand. The people stay in the errand's own row. */
const insertDelivery = Effect.fnUntraced(function* ({ row, order }: Errand) {
  const deliveries = yield* DeliveryRows
  const { nowMs } = yield* Transaction
  const { details, deliveryId, fleetId } = row
  const { storePlace, dropoffPlace, storeAddress } = details
  if (storePlace === null || dropoffPlace === null || order.vehicleId === null || order.storeId === null) {
    return yield* Effect.dieMessage(`the errand ${deliveryId} is booked without a place or a vehicle`)
  }
  const readyByMs = details.readyAtMs ?? details.pickupTime?.atMs ?? nowMs
  const toCustomerM = metresBetween(storePlace, dropoffPlace)
  const gone = "kept with the errand"
  yield* deliveries.insert({
    deliveryId,
    siteId: order.storeId,
    organizationId: COURIER_ORGANIZATION,
    environment: "production",
    fleetId,
    externalDeliveryId: deliveryId,
    comparison: "",
    ...timesOf({ readyByMs, setsOutAtMs: nowMs, toStoreM: 0, toCustomerM }),
    feeCents: (yield* newEnvelopeWriter).settings.feeCents,
    currency: "USD",
    readyByMs,
    customer: { first_name: null, last_name: null, email: null, phone: NOBODYS_PHONE },
    address: { street: gone, city: storeAddress.city, state: storeAddress.state, zip: gone, unit: null },
    place: dropoffPlace,
    storePlace,
    items: [],
    pickupInstructions: null,
    cancellationReason: null,
    toldFix: null,
    createdAtMs: nowMs,
    status: "SCHEDULED",
    vehicleId: order.vehicleId,
    completedAtMs: null,
    cancelledAtMs: null,
    updatedAtMs: nowMs,
  })
})

/** The processor has said something: whoever waited for it finds the answer, or the key free again. */
const answerWaiting = Effect.fnUntraced(function* (deliveryId: string) {
  const claims = yield* CourierClaims
  const { nowMs } = yield* Transaction
  for (const claim of yield* claims.pendingOf(deliveryId)) {
    const answer = yield* answerOf(claim, yield* currentErrand(deliveryId))
    if (answer === null) yield* claims.remove(claim.userId, claim.key)
    else yield* claims.put({ ...claim, answer, isDone: true, atMs: nowMs })
  }
})

/** Null for a refusal, which is never stored. */
const answerOf = Effect.fnUntraced(function* (claim: CourierClaim, errand: Errand) {
  const writer = yield* newEnvelopeWriter
  switch (claim.tool) {
    case "reserve_delivery":
      return reserveEnvelope(errand, claim.answer?.released_delivery_ids ?? [], writer)
    case "update_delivery":
      return errand.paymentStatus === "authorized" ? statusEnvelope(errand, writer) : null
    case "confirm_delivery":
      if (errand.phase !== "booked") return null
      return withReleased(confirmEnvelope(errand, writer), claim.answer?.released_delivery_ids ?? [])
    default:
      return null
  }
})

type Notice = keyof typeof NOTICES

const NOTICES = {
  booked: "your delivery is booked. Follow it here:",
  EN_ROUTE_TO_CUSTOMER: "your order is on its way. Follow it here:",
  ARRIVED_AT_CUSTOMER: "your order has arrived. Please come to the vehicle:",
} as const satisfies Partial<Record<DeliveryStatus | "booked", string>>

/** How an errand may end before its delivery does. */
const ENDS: Partial<Record<CourierPhase, string>> = {
  cancelled: "your delivery is cancelled.",
  declined: "your order cannot be delivered.",
  failed: "your delivery did not work out.",
}

/** Tells the end and the state of the payment. Sends nothing before a reserve, which brings the consent. */
const notifyEnd = Effect.fnUntraced(function* (errand: Errand, nonce: string) {
  const { settings } = yield* newEnvelopeWriter
  const money = moneyText(errand.paymentStatus, dollarsOf(settings))
  yield* text(errand, `${ENDS[errand.phase] ?? ""} ${money}`, `${nonce} ended`)
})

/** To the number that consented at the reserve; whoever said STOP is left out when it is sent. */
const notify = Effect.fnUntraced(function* (errand: Errand, notice: Notice, nonce: string) {
  const link = trackingUrl(errand.row.deliveryId, yield* newEnvelopeWriter)
  yield* text(errand, `${NOTICES[notice]} ${link}`, `${nonce} ${notice}`)
})

const text = Effect.fnUntraced(function* (errand: Errand, says: string, key: string) {
  const { contact } = errand.row.details
  if (contact === null) return
  const notices = yield* MessageNotices
  yield* notices.textCustomer(
    {
      environment: "production",
      organizationId: COURIER_ORGANIZATION,
      to: contact.phone,
      text: `Curbline: ${says} Reply STOP to opt out.`,
    },
    key,
  )
})
