/**
 * Envelopes: the answers of the tools about an errand. `next_step` is the exact call to make, so that an agent needs no
 * other knowledge; `user_message` is one sentence without ids. Source: courier connector contract, resources.
 */

import { COURIER_ERRORS } from "../../model/courier.ts"
import type { CourierEnvelope, PaymentFailure } from "../../model/courier.ts"
import { CHECKOUT_LINK_MS, PICKUP_WINDOW_MS } from "../../model/values/limits.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { endOf, estimatesOf } from "./errand.ts"
import type { Errand } from "./errand.ts"
import type { PickupTime, StoreMatch } from "./rows.ts"
import { linkToken } from "../../engine/services/signed-links.ts"
import { FEE_CURRENCY } from "./settings.ts"
import type { CourierChoices } from "./settings.ts"
import { CONSENT, TERMS } from "./terms.ts"
import { slotIdOf } from "./windows.ts"
import type { Span } from "./windows.ts"
import { helpOf, isOrderReported, messageAfter, messageOf, pollOf, stepAfter, stepOf } from "./wording.ts"
import type { CourierRefusal } from "./wording.ts"

/** The inputs of an envelope. The `nonce` makes each tracking link unique. */
export interface EnvelopeContext {
  readonly settings: CourierChoices
  readonly nowMs: EpochMs
  readonly nonce: string
}

export function refusal(refused: CourierRefusal): CourierEnvelope {
  const { code, message, field, paymentFailure, retryAfterSeconds, deliveryId, state, nextStep } = refused
  const { nextWindow = null } = refused
  return {
    next_step: nextStep ?? stepAfter(refused),
    user_message: messageAfter(refused),
    error: {
      code,
      message,
      retryable: COURIER_ERRORS[code].retryable,
      ...(field === undefined ? {} : { field }),
      ...(paymentFailure === undefined ? {} : { payment_failure: paymentFailure }),
      ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
    },
    ...(deliveryId === undefined ? {} : { delivery_id: deliveryId }),
    ...(state === undefined ? {} : { state }),
    ...nextWindowOf(nextWindow),
  }
}

function nextWindowOf(span: Span | null) {
  return span === null ? {} : { next_pickup_window: { start: isoMs(span.startMs), end: isoMs(span.endMs) } }
}

/** Serviceable or declined. */
export function checkEnvelope(errand: Errand, context: EnvelopeContext): CourierEnvelope {
  const isServiceable = errand.order.declineReason === null
  return {
    ...commonFields(errand, context),
    serviceable: isServiceable,
    ...storeOf(errand),
    ...(isServiceable
      ? { ...dropoffOf(errand), price: priceOf(context), ...offerOf(errand, context.nowMs) }
      : declineOf(errand)),
  }
}

export function declineEnvelope(errand: Errand, context: EnvelopeContext): CourierEnvelope {
  const charged =
    errand.row.details.pickupTime === null
      ? {}
      : { ...moneyOf(errand, context), ...chargedOf(errand, context) }
  return {
    ...commonFields(errand, context),
    ...storeOf(errand),
    serviceable: false,
    ...declineOf(errand),
    ...charged,
  }
}

export function reserveEnvelope(
  errand: Errand,
  released: readonly string[],
  context: EnvelopeContext,
): CourierEnvelope {
  return {
    ...commonFields(errand, context),
    ...storeOf(errand),
    ...dropoffOf(errand),
    ...clocksOf(errand),
    ...moneyOf(errand, context),
    ...curbOf(errand, context),
    payment: paymentOf(errand, context),
    ...pollOf(errand.state, hasCheckout(errand, context)),
    released_delivery_ids: [...released],
  }
}

export function confirmEnvelope(errand: Errand, context: EnvelopeContext): CourierEnvelope {
  const { order } = errand.row.details
  return {
    ...commonFields(errand, context),
    ...storeOf(errand),
    ...dropoffOf(errand),
    ...moneyOf(errand, context),
    ...curbOf(errand, context),
    ...orderNumberOf(order),
    ...journeyOf(errand, context),
  }
}

/** An error with the data that the agent needs to pay again. */
export function paymentFailedEnvelope(
  errand: Errand,
  failure: PaymentFailure | null,
  context: EnvelopeContext,
): CourierEnvelope {
  const { row, state } = errand
  return {
    ...refusal({
      code: "payment_failed",
      ...(failure === null ? {} : { paymentFailure: failure }),
      message: `${failure === null ? "the delivery fee is not authorized" : PROBLEMS[failure]}; send another credential${
        hasCheckout(errand, context) ? ", or have the user pay at checkout_url" : ""
      }`,
      hasCheckout: hasCheckout(errand, context),
      deliveryId: row.deliveryId,
      state,
      isOrderPlaced: isOrderReported(row),
    }),
    ...clocksOf(errand),
    ...moneyOf(errand, context),
    payment: paymentOf(errand, context),
  }
}

const PROBLEMS: Readonly<Record<PaymentFailure, string>> = {
  declined: "the payment was declined",
  expired: "the payment credential has expired",
  over_limit: "the delivery fee is over the limit of the payment credential",
}

/** All known fields. */
export function statusEnvelope(errand: Errand, context: EnvelopeContext): CourierEnvelope {
  const { row, state, order } = errand
  const isQuoted = state === "quoted"
  const isHeld = state === "held"
  const isBooked = errand.delivery !== null
  const wasReserved = row.details.pickupTime !== null
  return {
    ...commonFields(errand, context),
    ...storeOf(errand),
    ...(state === "declined" ? {} : dropoffOf(errand)),
    price: priceOf(context),
    ...moneyOf(errand, context),
    ...(isQuoted ? offerOf(errand, context.nowMs) : {}),
    ...(isHeld || state === "expired" ? clocksOf(errand) : {}),
    ...(wasReserved && (isQuoted || isHeld || isBooked) ? curbOf(errand, context) : {}),
    ...(wasReserved && (isQuoted || isHeld) ? { payment: paymentOf(errand, context) } : {}),
    ...orderNumberOf(row.details.order),
    ...(isBooked ? journeyOf(errand, context) : {}),
    ...(state === "declined" ? declineOf(errand) : {}),
    ...(order.failureReason === null ? {} : { failure_reason: order.failureReason }),
    ...endsOf(errand),
    ...pollOf(state, isHeld && hasCheckout(errand, context)),
    updated_at: isoMs(Math.max(row.updatedAtMs, errand.delivery?.updatedAtMs ?? 0)),
  }
}

/** The status after an update, and what was done with it. */
export function updateEnvelope(errand: Errand, result: string, context: EnvelopeContext): CourierEnvelope {
  return { ...statusEnvelope(errand, context), update_result: result }
}

export function cancelEnvelope(errand: Errand, context: EnvelopeContext): CourierEnvelope {
  return {
    ...commonFields(errand, context),
    ...storeOf(errand),
    ...moneyOf(errand, context),
    ...endsOf(errand),
    ...chargedOf(errand, context),
  }
}

function chargedOf({ paymentStatus }: Errand, { settings }: EnvelopeContext) {
  return { charged_cents: paymentStatus === "captured" ? settings.feeCents : 0 }
}

/** Adds the ids of released holds to answers in which they are optional. */
export function withReleased(envelope: CourierEnvelope, released: readonly string[]): CourierEnvelope {
  return released.length === 0 ? envelope : { ...envelope, released_delivery_ids: [...released] }
}

/** Adds a new tracking link: links are not stored with the answer. */
export function withFreshLink(
  envelope: CourierEnvelope,
  { settings, nowMs, nonce }: EnvelopeContext,
): CourierEnvelope {
  if (envelope.tracking_url === undefined || envelope.delivery_id === undefined) return envelope
  return { ...envelope, tracking_url: trackingUrl(envelope.delivery_id, { settings, nowMs, nonce }) }
}

export function trackingUrl(deliveryId: string, { settings, nowMs, nonce }: EnvelopeContext): string {
  const token = linkToken("track", { deliveryId, atMs: nowMs }, { key: settings.linkKey, nonce })
  return `${settings.baseUrl}/track/${token}`
}

function commonFields(errand: Errand, context: EnvelopeContext) {
  const { row, state } = errand
  return {
    next_step: stepOf(errand, hasCheckout(errand, context)),
    user_message: messageOf(errand, dollarsOf(context.settings)),
    delivery_id: row.deliveryId,
    state,
  }
}

function storeOf({ row }: Errand) {
  const { street, city, state, zip } = row.details.storeAddress
  return { retailer_name: row.details.retailerName, store_address: { street, city, state, zip } }
}

/** Where the vehicle drives to; nothing once personal data is removed. */
function dropoffOf({ row }: Errand) {
  const { dropoffAddress: address, dropoffPlace: place, dropoffNotes: notes } = row.details
  if (place === null) return {}
  const { street, unit, city, state, zip, location } = address
  const isApproximate = row.details.isDropoffApproximate ?? location === undefined
  return {
    dropoff: {
      street,
      ...(unit === undefined || unit === "" ? {} : { unit }),
      city,
      state,
      zip,
      ...(notes === null || notes === "" ? {} : { notes }),
      location: { lat: place.latitude, lng: place.longitude },
      is_approximate: isApproximate,
      ...(isApproximate ? { hint: APPROXIMATE } : {}),
    },
  }
}

const APPROXIMATE =
  "Only the street or the area of this address is known. Send the address with its location, so that the vehicle drives to the door: in check_delivery, or after the reserve in update_delivery with update_type dropoff_address."

function priceOf({ settings }: EnvelopeContext) {
  return { amount: dollarsOf(settings), currency: FEE_CURRENCY }
}

export function dollarsOf({ feeCents }: CourierChoices): string {
  return (feeCents / 100).toFixed(2)
}

function offerOf({ row, order }: Errand, nowMs: EpochMs) {
  const ahead = row.details.windows.filter(({ startMs }) => startMs >= nowMs)
  return {
    pickup_windows: ahead.map(({ startMs, endMs, slot }) => ({
      start: isoMs(startMs),
      end: isoMs(endMs),
      ...(slot === null ? {} : { slot_id: slotIdOf(slot) }),
    })),
    terms: TERMS,
    consent: CONSENT,
    quote_expires_at: isoMs(order.quoteEndsAtMs),
  }
}

function declineOf({ row, order }: Errand) {
  const { disqualifying, restrictedItems } = row.details
  const { storeMatches, nextWindow } = helpOf(row.details, order.declineReason)
  return {
    ...(order.declineReason === null ? {} : { decline_reason: order.declineReason }),
    ...(disqualifying.length === 0 ? {} : { disqualifying_requirements: [...disqualifying] }),
    ...(restrictedItems.length === 0 ? {} : { restricted_items: [...restrictedItems] }),
    ...(storeMatches.length === 0 ? {} : { store_matches: storeMatches.map(matchOf) }),
    ...nextWindowOf(nextWindow),
  }
}

function matchOf({ name, street, zip }: StoreMatch) {
  return { retailer_name: name, street, zip }
}

function orderNumberOf(order: Errand["row"]["details"]["order"]) {
  return order === null || order.orderNumber === null ? {} : { order_number: order.orderNumber }
}

function clocksOf({ order }: Errand) {
  return {
    quote_expires_at: isoMs(order.quoteEndsAtMs),
    ...(order.holdEndsAtMs === null ? {} : { hold_expires_at: isoMs(order.holdEndsAtMs) }),
  }
}

function moneyOf({ paymentStatus }: Errand, { settings }: EnvelopeContext) {
  return { payment_status: paymentStatus, fee_cents: settings.feeCents }
}

/** Instructions for the store's checkout and curb, without names of people and license plates. */
function curbOf(errand: Errand, { settings }: EnvelopeContext) {
  const { row } = errand
  const { make, model, color } = settings.vehicle
  const { stallHint, pickupTime } = row.details
  return {
    pickup_profile: {
      vehicle: {
        make,
        model,
        color,
        description: `${color} ${make} ${model}, an autonomous delivery vehicle`,
      },
      pickup_phone: settings.pickupPhone,
      pickup_phone_note: "Voice calls only: this number takes no text messages.",
      order_contact_email: "Use the customer's own e-mail address for the store order.",
      notes_for_retailer: [
        "Curbside pickup by an autonomous vehicle.",
        "It calls on arrival; please bring the order out and put it into the open compartment.",
        ...(stallHint === null ? [] : [stallHint]),
      ].join(" "),
    },
    ...(pickupTime === null
      ? {}
      : { pickup_time: { select: pickupTime.select, instruction: pickupInstruction(errand, pickupTime) } }),
  }
}

/** After the order was placed, no instruction sends the agent to place another. */
function pickupInstruction({ row, delivery }: Errand, { instruction }: PickupTime): string {
  const isPlaced = delivery !== null || isOrderReported(row)
  return isPlaced ? "The store order is placed; do not place it again." : instruction
}

function paymentInstruction({ paymentStatus }: Errand, fee: string): string {
  switch (paymentStatus) {
    case "pending":
      return `Ask the user to approve the ${fee} USD delivery fee, charged separately from the store order, before sending a payment.`
    case "failed":
      return `The last payment failed. Ask the user to approve the ${fee} USD delivery fee, charged separately from the store order, before sending another payment.`
    case "authorized":
      return `The ${fee} USD delivery fee is approved and taken by confirm_delivery: send no other payment.`
    case "captured":
      return `The ${fee} USD delivery fee is paid: send no other payment.`
    case "refunded":
    case "voided":
      return "The delivery is over: send no payment."
  }
}

/** True when the fee is open and the link to pay it is valid. */
function hasCheckout({ row, paymentStatus }: Errand, { nowMs }: EnvelopeContext): boolean {
  const { checkout } = row.details
  const isOpen = paymentStatus === "pending" || paymentStatus === "failed"
  return isOpen && checkout !== null && nowMs < checkout.atMs + CHECKOUT_LINK_MS
}

function paymentOf(errand: Errand, context: EnvelopeContext) {
  const { settings } = context
  const { deliveryId, details } = errand.row
  const { checkout } = details
  return {
    amount_cents: settings.feeCents,
    currency: FEE_CURRENCY,
    seller_profile_id: settings.sellerProfileId,
    ...(checkout !== null && hasCheckout(errand, context)
      ? {
          checkout_url: `${settings.baseUrl}/pay/${linkToken(
            "pay",
            { deliveryId, atMs: checkout.atMs },
            { key: settings.linkKey, nonce: checkout.nonce },
          )}`,
        }
      : {}),
    instruction: paymentInstruction(errand, dollarsOf(settings)),
  }
}

function journeyOf(errand: Errand, context: EnvelopeContext) {
  const { row, fix, state } = errand
  const estimates = estimatesOf(errand, context.nowMs)
  if (estimates === null) return {}
  const { pickupAtMs, deliveryAtMs } = estimates
  const isNear = state === "en_route_to_customer" || state === "arrived_at_customer"
  return {
    planned_pickup_time: isoMs(pickupAtMs),
    estimated_delivery_window: {
      start: isoMs(deliveryAtMs),
      end: isoMs(deliveryAtMs + PICKUP_WINDOW_MS),
    },
    tracking_url: trackingUrl(row.deliveryId, context),
    ...(isNear && fix !== null
      ? {
          vehicle_location: {
            lat: fix.latitude,
            lng: fix.longitude,
            recorded_at: isoMs(fix.recordedAtMs),
          },
        }
      : {}),
  }
}

function endsOf(errand: Errand) {
  const endedAtMs = endOf(errand)
  if (endedAtMs === null) return {}
  if (errand.state === "cancelled") return { cancelled_at: isoMs(endedAtMs) }
  return errand.state === "completed" ? { completed_at: isoMs(endedAtMs) } : {}
}
