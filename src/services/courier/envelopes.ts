/**
 * Envelopes: what each tool answers about an errand. `next_step` is the exact call to make, so that an agent needs no
 * other knowledge; `user_message` is one sentence without ids. Source: courier connector contract, resources.
 */

import { COURIER_ERRORS } from "../../model/courier.ts"
import type { CourierEnvelope, CourierErrorCode, DeclineReason } from "../../model/courier.ts"
import {
  CHECKOUT_LINK_MS,
  COURIER_POLL_MOVING_SECONDS,
  COURIER_POLL_SECONDS,
  PICKUP_WINDOW_MS,
} from "../../model/limits.ts"
import { isoMs } from "../../model/time.ts"
import type { EpochMs } from "../../model/time.ts"
import { endOf } from "./errand.ts"
import type { Errand } from "./errand.ts"
import { linkToken } from "./links.ts"
import type { CourierChoices } from "./settings.ts"
import { CONSENT, TERMS } from "./terms.ts"
import { slotIdOf } from "./windows.ts"

/** With what an envelope is written. `nonce` makes the tracking link another than the last. */
export interface Pen {
  readonly settings: CourierChoices
  readonly nowMs: EpochMs
  readonly nonce: string
}

/** Why a tool refuses. */
export interface CourierRefusal {
  readonly code: CourierErrorCode
  readonly message: string
  readonly field?: string
  readonly retryAfterSeconds?: number
  readonly deliveryId?: string
  readonly state?: CourierEnvelope["state"]
  /** Where the usual one would mislead. */
  readonly nextStep?: string
}

export function refusal(refused: CourierRefusal): CourierEnvelope {
  const { code, message, field, retryAfterSeconds, deliveryId, state, nextStep } = refused
  return {
    next_step: nextStep ?? stepAfter(refused),
    user_message: SAYING[code],
    error: {
      code,
      message,
      retryable: COURIER_ERRORS[code].retryable,
      ...(field === undefined ? {} : { field }),
      ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
    },
    ...(deliveryId === undefined ? {} : { delivery_id: deliveryId }),
    ...(state === undefined ? {} : { state }),
  }
}

const SAYING: Readonly<Record<CourierErrorCode, string>> = {
  hold_expired: "The vehicle is no longer held for this order.",
  idempotency_conflict: "Something went wrong with this request; nothing was changed.",
  internal_error: "Something went wrong on our side; the request can be sent again.",
  invalid_request: "Some of the details cannot be used as they are.",
  invalid_state: "This delivery is at a point where that is not possible.",
  no_capacity: "No vehicle is free right now.",
  not_found: "There is no such delivery.",
  payment_failed: "The delivery fee could not be paid; nothing was charged.",
  quote_expired: "The offer for this delivery has run out.",
  rate_limited: "There were too many requests in a short time.",
  timing_not_feasible: "A pickup at that time is not possible.",
}

function stepAfter({ code, deliveryId = "", retryAfterSeconds }: CourierRefusal): string {
  switch (code) {
    case "hold_expired":
      return `Call reserve_delivery with delivery_id ${deliveryId} to hold a vehicle again.`
    case "idempotency_conflict":
      return "Call the same tool with a new idempotency_key, or with the arguments that the key was first used with."
    case "internal_error":
      return "Call the same tool again with the same idempotency_key and arguments."
    case "invalid_request":
      return "Call the same tool again with the named field corrected."
    case "invalid_state":
      return `Call get_delivery_status with delivery_id ${deliveryId} to see what is possible.`
    case "no_capacity":
      return `Call reserve_delivery with delivery_id ${deliveryId} again in a few minutes; do not place the store order before it answers held.`
    case "not_found":
      return "Call check_delivery to begin a delivery."
    case "payment_failed":
      return `Call update_delivery with delivery_id ${deliveryId}, update_type payment and another shared_payment_token after the user approves, or have the user pay at checkout_url.`
    case "quote_expired":
      return "Call check_delivery with a new idempotency_key for a new quote."
    case "rate_limited":
      return `Call the same tool again with the same arguments after ${retryAfterSeconds ?? 60} seconds.`
    case "timing_not_feasible":
      return "Call the same tool again with a time within the next 90 minutes and inside the store's hours."
  }
}

/** Serviceable or declined. */
export function checkEnvelope(errand: Errand, pen: Pen): CourierEnvelope {
  const isServiceable = errand.order.declineReason === null
  return {
    ...told(errand),
    serviceable: isServiceable,
    ...storeOf(errand),
    ...(isServiceable ? { price: priceOf(pen), ...offerOf(errand) } : declineOf(errand)),
  }
}

export function declineEnvelope(errand: Errand): CourierEnvelope {
  return { ...told(errand), ...storeOf(errand), serviceable: false, ...declineOf(errand) }
}

export function reserveEnvelope(errand: Errand, released: readonly string[], pen: Pen): CourierEnvelope {
  return {
    ...told(errand),
    ...storeOf(errand),
    ...clocksOf(errand),
    ...moneyOf(errand, pen),
    ...curbOf(errand, pen),
    payment: paymentOf(errand, pen),
    released_delivery_ids: [...released],
  }
}

export function confirmEnvelope(errand: Errand, pen: Pen): CourierEnvelope {
  const { order } = errand.row.details
  return {
    ...told(errand),
    ...storeOf(errand),
    ...moneyOf(errand, pen),
    ...curbOf(errand, pen),
    ...(order === null ? {} : { order_number: order.orderNumber }),
    ...journeyOf(errand, pen),
  }
}

/** An error with what the agent needs to pay again. */
export function paymentFailedEnvelope(errand: Errand, pen: Pen): CourierEnvelope {
  const { row, state } = errand
  return {
    ...refusal({
      code: "payment_failed",
      message:
        "the delivery fee is not authorized; send another credential, or have the user pay at checkout_url",
      deliveryId: row.deliveryId,
      state,
    }),
    ...clocksOf(errand),
    ...moneyOf(errand, pen),
    payment: paymentOf(errand, pen),
  }
}

/** Everything that is known. */
export function statusEnvelope(errand: Errand, pen: Pen): CourierEnvelope {
  const { row, phase, state, order } = errand
  const isQuoted = state === "quoted"
  const isHeld = state === "held"
  const isBooked = errand.delivery !== null
  const wasReserved = row.details.pickupTime !== null
  return {
    ...told(errand),
    ...storeOf(errand),
    ...(phase === "unserved" ? {} : { price: priceOf(pen), ...moneyOf(errand, pen) }),
    ...(isQuoted ? offerOf(errand) : {}),
    ...(isHeld || state === "expired" ? clocksOf(errand) : {}),
    ...(wasReserved && (isQuoted || isHeld || isBooked) ? curbOf(errand, pen) : {}),
    ...(wasReserved && (isQuoted || isHeld) ? { payment: paymentOf(errand, pen) } : {}),
    ...(row.details.order === null ? {} : { order_number: row.details.order.orderNumber }),
    ...(isBooked ? journeyOf(errand, pen) : {}),
    ...(state === "declined" ? declineOf(errand) : {}),
    ...(order.failureReason === null ? {} : { failure_reason: order.failureReason }),
    ...endsOf(errand),
    ...pollOf(errand),
    updated_at: isoMs(Math.max(row.updatedAtMs, errand.delivery?.updatedAtMs ?? 0)),
  }
}

export function cancelEnvelope(errand: Errand, pen: Pen): CourierEnvelope {
  return { ...told(errand), ...storeOf(errand), ...moneyOf(errand, pen), ...endsOf(errand), charged_cents: 0 }
}

/** Adds the tracking link, which is never kept: every answer has one of its own. */
export function withFreshLink(envelope: CourierEnvelope, { settings, nowMs, nonce }: Pen): CourierEnvelope {
  if (envelope.tracking_url === undefined || envelope.delivery_id === undefined) return envelope
  return { ...envelope, tracking_url: trackingUrl(envelope.delivery_id, { settings, nowMs, nonce }) }
}

export function trackingUrl(deliveryId: string, { settings, nowMs, nonce }: Pen): string {
  const token = linkToken("track", { deliveryId, atMs: nowMs }, { key: settings.linkKey, nonce })
  return `${settings.baseUrl}/track/${token}`
}

function told(errand: Errand) {
  const { row, state } = errand
  return {
    next_step: stepOf(errand),
    user_message: messageOf(errand),
    delivery_id: row.deliveryId,
    state,
  }
}

function storeOf({ row }: Errand) {
  const { street, city, state, zip } = row.details.storeAddress
  return { retailer_name: row.details.retailerName, store_address: { street, city, state, zip } }
}

function priceOf({ settings }: Pen) {
  return { amount: (settings.feeCents / 100).toFixed(2), currency: "usd" }
}

function offerOf({ row, order }: Errand) {
  return {
    pickup_windows: row.details.windows.map(({ startMs, endMs, slot }) => ({
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
  return {
    ...(order.declineReason === null ? {} : { decline_reason: order.declineReason }),
    ...(disqualifying.length === 0 ? {} : { disqualifying_requirements: [...disqualifying] }),
    ...(restrictedItems.length === 0 ? {} : { restricted_items: [...restrictedItems] }),
  }
}

function clocksOf({ order }: Errand) {
  return {
    quote_expires_at: isoMs(order.quoteEndsAtMs),
    ...(order.holdEndsAtMs === null ? {} : { hold_expires_at: isoMs(order.holdEndsAtMs) }),
  }
}

function moneyOf({ paymentStatus }: Errand, { settings }: Pen) {
  return { payment_status: paymentStatus, fee_cents: settings.feeCents }
}

/** What stands at the store's checkout and curb: never a person's name, never a plate. */
function curbOf({ row }: Errand, { settings }: Pen) {
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
      : { pickup_time: { select: pickupTime.select, instruction: pickupTime.instruction } }),
  }
}

function paymentOf({ row, paymentStatus }: Errand, { settings, nowMs }: Pen) {
  const { checkout } = row.details
  const isOpen = paymentStatus === "pending" || paymentStatus === "failed"
  const isLive = checkout !== null && nowMs < checkout.atMs + CHECKOUT_LINK_MS
  const { deliveryId } = row
  return {
    amount_cents: settings.feeCents,
    currency: "usd",
    seller_profile_id: settings.sellerProfileId,
    ...(isOpen && isLive
      ? {
          checkout_url: `${settings.baseUrl}/pay/${linkToken(
            "pay",
            { deliveryId, atMs: checkout.atMs },
            { key: settings.linkKey, nonce: checkout.nonce },
          )}`,
        }
      : {}),
    instruction:
      "Ask the user to approve the 4.95 USD delivery fee, charged separately from the store order, before sending a payment.",
  }
}

function journeyOf({ row, delivery, fix, state }: Errand, pen: Pen) {
  if (delivery === null) return {}
  const { pickupEtaMs, deliveryEtaMs } = delivery
  const isNear = state === "en_route_to_customer" || state === "arrived_at_customer"
  return {
    planned_pickup_time: isoMs(pickupEtaMs),
    estimated_delivery_window: {
      start: isoMs(deliveryEtaMs),
      end: isoMs(deliveryEtaMs + PICKUP_WINDOW_MS),
    },
    tracking_url: trackingUrl(row.deliveryId, pen),
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

function pollOf({ state }: Errand) {
  if (["cancelled", "completed", "declined", "expired", "failed"].includes(state)) return {}
  const isMoving = ["en_route_to_store", "en_route_to_customer", "arrived_at_customer"].includes(state)
  return { poll_after_seconds: isMoving ? COURIER_POLL_MOVING_SECONDS : COURIER_POLL_SECONDS }
}

function stepOf(errand: Errand): string {
  const { row, state, phase, paymentStatus } = errand
  const id = row.deliveryId
  switch (state) {
    case "quoted":
      return phase === "lapsed"
        ? `Call reserve_delivery with delivery_id ${id} to hold a vehicle again before the store order is placed.`
        : `Call reserve_delivery with delivery_id ${id} after the user accepts price, terms and consent.`
    case "held":
      return paymentStatus === "authorized"
        ? `Call confirm_delivery with delivery_id ${id} right after placing the store order as pickup_time says.`
        : `Call update_delivery with delivery_id ${id} and update_type payment after the user approves the fee, or have the user pay at checkout_url and call get_delivery_status until payment_status is authorized; only then place the store order.`
    case "expired":
      return phase === "overdue"
        ? `Call check_delivery for a new quote, or confirm_delivery with delivery_id ${id} if the store order is already placed.`
        : "Call check_delivery with a new idempotency_key for a new quote."
    case "declined":
      return row.details.order === null
        ? "Do not place the store order for this delivery. No further call is needed."
        : "Do not wait for a vehicle: tell the user to collect the store order or to cancel it with the store. No further call is needed."
    case "completed":
    case "failed":
      return "No further call is needed."
    case "cancelled":
      return row.details.pickupTime === null
        ? "No further call is needed."
        : "No further call is needed; cancel the store order with the store if one was placed."
    default:
      return `Call get_delivery_status with delivery_id ${id} in ${pollOf(errand).poll_after_seconds ?? COURIER_POLL_SECONDS} seconds, and give the user tracking_url.`
  }
}

const DECLINED: Readonly<Record<DeclineReason, string>> = {
  no_curbside: "This store does not offer curbside pickup, so the order cannot be delivered.",
  store_not_supported: "Orders from this store cannot be delivered.",
  disqualifying_requirement: "This order needs something at pickup that a vehicle cannot do.",
  out_of_zone: "The store or the address is outside the service area.",
  outside_service_hours: "There is no pickup time left inside the opening hours.",
  timing_not_feasible: "The order cannot be picked up at that time.",
  no_capacity: "No vehicle is free for this order right now.",
}

function messageOf({ state, order, paymentStatus }: Errand): string {
  switch (state) {
    case "quoted":
      return "An autonomous vehicle can bring this order for 4.95 US dollars."
    case "expired":
      return "The offer for this delivery has run out."
    case "declined":
      return DECLINED[order.declineReason ?? "no_capacity"]
    case "held":
      return paymentStatus === "authorized"
        ? "A vehicle is held and the delivery fee is approved."
        : "A vehicle is held; the delivery fee of 4.95 US dollars is still to be approved."
    case "confirmed":
      return "The delivery is booked."
    case "assigned":
      return "A vehicle has taken the delivery."
    case "en_route_to_store":
      return "The vehicle is on its way to the store."
    case "arrived_at_store":
    case "waiting_for_load":
      return "The vehicle is at the store and waits for the order."
    case "loaded":
      return "The order is in the vehicle."
    case "en_route_to_customer":
      return "The order is on its way."
    case "arrived_at_customer":
      return "The vehicle has arrived with the order."
    case "completed":
      return "The order has been delivered."
    case "cancelled":
      return "The delivery is cancelled."
    case "failed":
      return "The delivery did not work out."
  }
}
