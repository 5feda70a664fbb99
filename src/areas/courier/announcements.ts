/**
 * What follows a turn of an errand or of its delivery, in the same transaction: the projected columns, the delivery's
 * row at the booking, the answers of calls that waited for the processor, and notices to the customer.
 */

import { Effect } from "effect"
import { idOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { isFinal } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { actorAt } from "../../engine/services/actors.ts"
import { timesOf } from "../dispatch/assignment.ts"
import { metresBetween } from "../dispatch/geography.ts"
import { deliveryStatus } from "../direct-delivery/record.ts"
import { DeliveryRows } from "../direct-delivery/rows.ts"
import type { DeliveryRow, NewDelivery } from "../direct-delivery/rows.ts"
import { Transaction, batch } from "../../engine/services/host.ts"
import { keptFromMs, realNowMs } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"
import { MessageNotices } from "../messages/notices.ts"
import { envelopeContext } from "./calls.ts"
import { errandRows } from "./commands.ts"
import {
  confirmEnvelope,
  dollarsOf,
  reserveEnvelope,
  statusEnvelope,
  trackingUrl,
  withReleased,
} from "./envelopes.ts"
import { ErrandMemory } from "./errand-memory.ts"
import { currentErrand, isAsking, owedIn, seenIn } from "./errand.ts"
import type { Errand } from "./errand.ts"
import { CourierClaims, CourierRows } from "./rows.ts"
import type { CourierClaim, CourierPhase } from "./rows.ts"
import { environmentOf, settingsIn } from "./settings.ts"
import { STORE_PREFIX } from "./directory/store-directory.ts"
import { failedText } from "./ways-out.ts"
import { moneyText } from "./wording.ts"

/**
 * The number is stored only with the errand. Different from the blanked value, which marks a row whose address is
 * blanked too.
 */
const NOBODYS_PHONE = ""

/** The organization of errands, in tables whose rows belong to organizations. */
export const COURIER_ORGANIZATION = "courier"

export const observeOrder = Routine.fn(function* ({
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
  const claims = yield* CourierClaims
  const deliveryId = idOf(group.address)
  const { order, phase, paymentStatus } = seen
  // The return of the payment may cause another turn of the group at the same instant.
  const hasEnded = phase in ENDS && (yield* rows.byId(deliveryId))?.phase !== phase
  yield* rows.change(deliveryId, {
    phase,
    paymentStatus,
    holdEndsAtMs: order.holdEndsAtMs,
    ...(order.endedAtMs === null ? {} : { endedAtMs: (yield* keptFromMs) ?? order.endedAtMs }),
    ...(hasMoved ? { updatedAtMs: instantMs } : {}),
  })
  const isBooking = phase === "booked" && (yield* deliveries.byId(deliveryId)) === null
  const booked = isBooking ? yield* insertDelivery(yield* currentErrand(deliveryId)) : null
  const [errand, waiting] = yield* batch([
    isBooking || hasEnded ? currentErrand(deliveryId, booked) : Routine.succeed(null),
    isAsking(group) ? Routine.succeed([]) : claims.pendingOf(deliveryId),
  ])
  if (isBooking && errand !== null) yield* notify(errand, "booked", nonce)
  if (hasEnded && errand !== null) yield* notifyEnd(errand, nonce)
  if (waiting.length > 0) yield* answerWaiting(errand ?? (yield* currentErrand(deliveryId)), waiting)
  const owed = owedIn(group)
  if (hasMoved && owed !== null) {
    yield* Routine.suspend(() =>
      Effect.logError(
        `the payment of ${deliveryId} is ${owed}: the processor did not confirm that it gave the fee back; "curbline errands refund ${deliveryId}" asks it again`,
      ),
    )
  }
})

/** Sends notices to the customer at some statuses, and records the end of the errand. */
export function observeErrandDelivery(result: TurnResult) {
  const { outcome, group } = result
  const delivery = actorAt("delivery", group.actors, group.address)
  const isErrand = delivery?.context.siteId.startsWith(STORE_PREFIX) === true
  return isErrand && outcome.type !== "refused" ? noteErrandDelivery(result) : Routine.void
}

const noteErrandDelivery = Routine.fn(function* ({ group, emissions, instantMs, nonce }: TurnResult) {
  const rows = yield* CourierRows
  const deliveryId = idOf(group.address)
  const status = deliveryStatus(group.actors, group.address)
  const change = isFinal(status)
    ? { endedAtMs: (yield* keptFromMs) ?? instantMs, updatedAtMs: instantMs }
    : { updatedAtMs: instantMs }
  yield* rows.change(deliveryId, change)
  for (const { actors } of emissions) {
    const announced = deliveryStatus(actors, group.address)
    if (isNotice(announced)) yield* notify(yield* currentErrand(deliveryId), announced, nonce)
  }
})

/** The rows that every turn of an errand needs. */
export const errandAhead = Routine.fn(function* (group: GroupAddress) {
  const claims = yield* CourierClaims
  const deliveryId = idOf(group)
  return yield* batch([errandRows(deliveryId), claims.pendingOf(deliveryId)])
})

/** Deletes the row of an errand whose group an unrecorded run folds. */
export const forgetErrand = Routine.fn(function* (group: GroupAddress) {
  const rows = yield* CourierRows
  yield* rows.forget(idOf(group))
})

/** The delivery row of an errand, for vehicles and capacity. Personal data stays in the errand's own row. */
const insertDelivery = Routine.fn(function* ({ row, order }: Errand) {
  const deliveries = yield* DeliveryRows
  const { nowMs } = yield* Transaction
  const { details, deliveryId, fleetId } = row
  const { storePlace, dropoffPlace, storeAddress } = details
  if (storePlace === null || dropoffPlace === null || order.vehicleId === null || order.storeId === null) {
    return yield* Routine.dieMessage(`the errand ${deliveryId} is booked without a place or a vehicle`)
  }
  const readyByMs = details.vehicleAtMs ?? details.readyAtMs ?? details.pickupTime?.atMs ?? nowMs
  const toCustomerM = metresBetween(storePlace, dropoffPlace)
  const gone = "kept with the errand"
  const delivery: NewDelivery = {
    deliveryId,
    siteId: order.storeId,
    organizationId: COURIER_ORGANIZATION,
    environment: environmentOf(row),
    fleetId,
    externalDeliveryId: deliveryId,
    comparison: "",
    ...timesOf({ readyByMs, setsOutAtMs: nowMs, toStoreM: 0, toCustomerM }),
    feeCents: (yield* contextOf({ row })).settings.feeCents,
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
    atStoreAtMs: null,
    createdAtMs: nowMs,
    status: "SCHEDULED",
    vehicleId: order.vehicleId,
    completedAtMs: null,
    cancelledAtMs: null,
    updatedAtMs: nowMs,
  }
  yield* deliveries.insert(delivery)
  // The database counts it when it is inserted: it comes after all others.
  return { ...delivery, number: Number.POSITIVE_INFINITY } satisfies DeliveryRow
})

/** After the processor's answer: stores the answers of waiting calls, or frees their keys. */
const answerWaiting = Routine.fn(function* (errand: Errand, waiting: readonly CourierClaim[]) {
  const claims = yield* CourierClaims
  const memory = yield* ErrandMemory
  const { afterCommit } = yield* Transaction
  const nowMs = yield* realNowMs
  for (const claim of waiting) {
    const answer = yield* answerOf(claim, errand)
    if (answer === null) {
      yield* claims.remove(claim.userId, claim.key)
      continue
    }
    yield* claims.put({ ...claim, answer, isDone: true, atMs: nowMs })
    yield* afterCommit(() => memory.answer(claim, answer))
  }
})

/** Under the settings of the errand's own environment. */
const contextOf = Routine.fn(function* ({ row }: Pick<Errand, "row">) {
  return { ...(yield* envelopeContext), settings: yield* settingsIn(row.organizationId) }
})

/** Null for a refusal, which is never stored. */
const answerOf = Routine.fn(function* (claim: CourierClaim, errand: Errand) {
  const context = yield* contextOf(errand)
  switch (claim.tool) {
    case "reserve_delivery":
      return reserveEnvelope(errand, claim.answer?.released_delivery_ids ?? [], context)
    case "update_delivery":
      return errand.paymentStatus === "authorized" ? statusEnvelope(errand, context) : null
    case "confirm_delivery":
      if (errand.phase !== "booked") return null
      return withReleased(confirmEnvelope(errand, context), claim.answer?.released_delivery_ids ?? [])
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

function isNotice(word: string): word is Notice {
  return Object.hasOwn(NOTICES, word)
}

/** How an errand may end before its delivery does. */
const ENDS: Partial<Record<CourierPhase, string>> = {
  cancelled: "your delivery is cancelled.",
  declined: "your order cannot be delivered.",
  failed: "your delivery did not work out.",
}

/**
 * Sends a notice of the end and the state of the payment. Nothing is sent before a reserve, which contains the consent.
 */
const notifyEnd = Routine.fn(function* (errand: Errand, nonce: string) {
  const { settings } = yield* contextOf(errand)
  const money = moneyText(errand.paymentStatus, dollarsOf(settings))
  const { failureReason } = errand.order
  const why = failureReason === null ? "" : ` ${failedText(failureReason, errand.row.details)}`
  yield* text(errand, `${ENDS[errand.phase] ?? ""}${why} ${money}`, `${nonce} ended`)
})

/** To the number that consented at the reserve. Numbers that answered STOP are skipped when messages are sent. */
const notify = Routine.fn(function* (errand: Errand, notice: Notice, nonce: string) {
  const link = trackingUrl(errand.row.deliveryId, yield* contextOf(errand))
  yield* text(errand, `${NOTICES[notice]} ${link}`, `${nonce} ${notice}`)
})

const text = Routine.fn(function* (errand: Errand, says: string, key: string) {
  const { row } = errand
  const { contact } = row.details
  if (contact === null) return
  const notices = yield* MessageNotices
  yield* notices.textCustomer(
    {
      environment: environmentOf(row),
      organizationId: row.organizationId ?? COURIER_ORGANIZATION,
      to: contact.phone,
      text: Routine.succeed(`Curbline: ${says} Reply STOP to opt out.`),
    },
    key,
  )
})
