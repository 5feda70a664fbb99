/**
 * Texts for an agent and its user: the exact call to make next, after an answer or a refusal, and one sentence without
 * ids. Source: courier connector contract, tool call convention; choice 2.2.
 */

import type {
  CourierEnvelope,
  CourierErrorCode,
  CourierState,
  DeclineReason,
  PaymentFailure,
  PaymentStatus,
} from "../../model/courier.ts"
import {
  COURIER_HORIZON_MS,
  COURIER_POLL_MOVING_SECONDS,
  COURIER_POLL_PAYING_SECONDS,
  COURIER_POLL_QUOTED_SECONDS,
  COURIER_POLL_SECONDS,
} from "../../model/values/limits.ts"
import { stageFor } from "../../model/courier-fields.ts"
import type { CourierStage } from "../../model/courier-fields.ts"
import { MINUTE_MS, isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Errand } from "./errand.ts"
import type { CourierDetails, CourierRow, StoreMatch } from "./rows.ts"
import { NEW_QUOTE_STEP, failedText } from "./ways-out.ts"
import type { Span } from "./windows.ts"

/** Why a tool refuses. */
export interface CourierRefusal {
  readonly code: CourierErrorCode
  readonly message: string
  readonly field?: string
  readonly paymentFailure?: PaymentFailure
  readonly retryAfterSeconds?: number
  readonly deliveryId?: string
  readonly state?: CourierEnvelope["state"]
  /** The agent has reported a store order that is not booked yet. */
  readonly isOrderPlaced?: boolean
  /** There is a valid payment link. */
  readonly hasCheckout?: boolean
  /** Replaces the default step when that would mislead. */
  readonly nextStep?: string
  readonly userMessage?: string
  /** The next possible pickup. */
  readonly nextWindow?: Span | null
  /** With `no_capacity`: when a vehicle is expected to be free. */
  readonly earliestAtMs?: EpochMs | null
  /** The vehicle has the order, so that it is too late for a change. */
  readonly isCollected?: boolean
}

/** The message for the user about a refusal. */
export function messageAfter({ code, paymentFailure: failure, isCollected }: CourierRefusal): string {
  if (isCollected === true) return "The vehicle has the order already, so this cannot be changed any more."
  return failure === undefined ? SAYING[code] : UNPAID[failure]
}

const UNPAID: Readonly<Record<PaymentFailure, string>> = {
  declined: "The payment of the delivery fee was declined; another way to pay can be tried.",
  expired: "The approval of the delivery fee has expired; it can be given again.",
  over_limit: "The delivery fee is over the limit of this payment; another way to pay can be tried.",
}

const SAYING: Readonly<Record<CourierErrorCode, string>> = {
  hold_expired: "The vehicle is no longer held for this order.",
  idempotency_conflict: "Something went wrong with this request; nothing was changed.",
  internal_error: "Something went wrong on our side; the request can be sent again.",
  invalid_request: "Some of the details cannot be used as they are.",
  invalid_state: "This delivery is at a point where that is not possible.",
  no_capacity: "No vehicle is free right now.",
  not_found: "There is no such delivery.",
  payment_failed: "The delivery fee could not be paid; another way to pay can be tried.",
  quote_expired: "The offer for this delivery has run out.",
  rate_limited: "There were too many requests in a short time.",
  timing_not_feasible: "A pickup at that time is not possible.",
}

/** What to do after a refusal. */
export function stepAfter({
  code,
  deliveryId = "",
  isOrderPlaced,
  hasCheckout,
  retryAfterSeconds,
  nextWindow = null,
}: CourierRefusal): string {
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
      return `Call reserve_delivery with delivery_id ${deliveryId} again in a few minutes; pay, and then place the store order, only once it answers held.`
    case "not_found":
      return "Call check_delivery to begin a delivery."
    case "payment_failed":
      return `Call update_delivery with delivery_id ${deliveryId}, update_type payment and another shared_payment_token after the user approves${hasCheckout === true ? ", or have the user pay at checkout_url" : ""}.${isOrderPlaced === true ? CONFIRM_AGAIN : ""}`
    case "quote_expired":
      return "Call check_delivery with a new idempotency_key for a new quote."
    case "rate_limited":
      return `Call the same tool again with the same arguments after ${retryAfterSeconds ?? 60} seconds.`
    case "timing_not_feasible":
      return `Call the same tool again with a time within the next ${COURIER_HORIZON_MS / MINUTE_MS} minutes and inside the store's hours${nextWindow === null ? "" : `; the next possible pickup is at ${isoMs(nextWindow.startMs)}`}.`
  }
}

/** When to request a pickup that is possible next: at once if it is within the horizon. */
export function checkLaterStep({ startMs }: Span, nowMs: EpochMs): string {
  const pickup = isoMs(startMs)
  const fromMs = startMs - COURIER_HORIZON_MS
  const step = `For a pickup at ${pickup}, call check_delivery with a new idempotency_key`
  return fromMs <= nowMs
    ? `${step} and a requested_timing that begins then.`
    : `${step} from ${isoMs(fromMs)} on.`
}

/** When no vehicle is free before. */
export function checkFromStep(earliestAtMs: EpochMs): string {
  return `A vehicle is expected to be free at ${isoMs(earliestAtMs)}: call check_delivery with a new idempotency_key from then on.`
}

/** Where an errand stands, as far as it decides the next call and the fields of an answer. */
export function stageOf({ row, state, phase, paymentStatus }: Errand): CourierStage {
  return stageFor({
    state,
    isNew: phase === "quoted",
    isOverdue: phase === "overdue",
    isOrdered: isOrderReported(row),
    paymentStatus,
  })
}

interface AskedStep {
  readonly hasCheckout?: boolean
  readonly nowMs: EpochMs
}

/** The exact call to make next. */
export function stepOf(errand: Errand, { hasCheckout = false, nowMs }: AskedStep): string {
  const { row, state, paymentStatus } = errand
  const id = row.deliveryId
  const stage = stageOf(errand)
  switch (stage) {
    case "quoted":
      return `Call reserve_delivery with delivery_id ${id} after the user accepts price, terms and consent.`
    case "quoted_ordered":
      return `Call reserve_delivery with delivery_id ${id} after the user accepts price, terms and consent, then update_delivery with the payment.${CONFIRM_AGAIN}`
    case "lapsed":
      return paymentStatus === "authorized"
        ? `Call reserve_delivery with delivery_id ${id} to hold a vehicle again before the store order is placed.`
        : `Call reserve_delivery with delivery_id ${id} to hold a vehicle again before the fee is paid and then the store order is placed.`
    case "held_unpaid":
    case "held_paid":
    case "held_ordered":
    case "lapsed_ordered":
      return heldStep(errand, hasCheckout)
    case "overdue":
      return `Call check_delivery for a new quote, or confirm_delivery with delivery_id ${id} if the store order is already placed.`
    case "overdue_ordered":
      return `Call confirm_delivery with delivery_id ${id} again: the store order is placed already.`
    case "expired":
      return isOrderReported(row)
        ? NEW_QUOTE_STEP
        : "Call check_delivery with a new idempotency_key for a new quote."
    case "declined":
      if (row.details.order === null && row.details.restrictedItems.length > 0) {
        return "Do not place the store order for this delivery. Call check_delivery with a new idempotency_key once the cart holds none of restricted_items."
      }
      return row.details.order === null
        ? `Do not place the store order for this delivery. ${afterDecline(errand, nowMs)}`
        : "Do not wait for a vehicle: tell the user to collect the store order or to cancel it with the store. No further call is needed."
    case "completed":
    case "failed":
      return "No further call is needed."
    case "cancelled":
      return row.details.pickupTime === null && !isOrderReported(row)
        ? "No further call is needed."
        : "No further call is needed; cancel the store order with the store if one was placed."
    default:
      return `Call get_delivery_status with delivery_id ${id} in ${pollOf(state).poll_after_seconds ?? COURIER_POLL_SECONDS} seconds, and give the user tracking_url.`
  }
}

/** Help after a decline: listings that were probably meant, a possible time, or when a vehicle is free. No time in it is past. */
export function helpOf(
  { row: { details }, order: { declineReason: reason } }: Pick<Errand, "order" | "row">,
  nowMs: EpochMs,
): DeclineHelp {
  const { storeMatches = [], nextWindow = null, earliestAtMs = null } = details
  const isForTime = reason === "outside_service_hours" || reason === "timing_not_feasible"
  const startMs = isForTime ? (nextWindow?.startMs ?? null) : null
  const freeAtMs = reason === "no_capacity" ? earliestAtMs : null
  return {
    storeMatches: reason === "store_not_supported" ? storeMatches : [],
    nextWindow: isAhead(startMs, nowMs) ? nextWindow : null,
    earliestAtMs: isAhead(freeAtMs, nowMs) ? freeAtMs : null,
    isOver: (startMs ?? freeAtMs) !== null && !isAhead(startMs ?? freeAtMs, nowMs),
  }
}

function isAhead(instantMs: EpochMs | null, nowMs: EpochMs): boolean {
  return instantMs !== null && instantMs > nowMs
}

interface DeclineHelp {
  readonly storeMatches: readonly StoreMatch[]
  readonly nextWindow: Span | null
  readonly earliestAtMs: EpochMs | null
  /** A time was named at the decline, and it is past. */
  readonly isOver: boolean
}

function afterDecline(errand: Errand, nowMs: EpochMs): string {
  const { storeMatches, nextWindow, earliestAtMs, isOver } = helpOf(errand, nowMs)
  if (storeMatches.length > 0) {
    return "If the user means one of store_matches, call check_delivery with a new idempotency_key and that store's name and address."
  }
  if (earliestAtMs !== null) return checkFromStep(earliestAtMs)
  if (isOver) return "That may have changed: call check_delivery with a new idempotency_key for a new quote."
  if (nextWindow === null) return "No further call is needed."
  return checkLaterStep(nextWindow, nowMs)
}

function heldStep({ row, paymentStatus }: Errand, hasCheckout: boolean): string {
  const id = row.deliveryId
  const isPlaced = isOrderReported(row)
  if (paymentStatus === "authorized") {
    return isPlaced
      ? `Call confirm_delivery with delivery_id ${id} again: the store order is placed already.`
      : `Call confirm_delivery with delivery_id ${id} right after placing the store order as pickup_time says.`
  }
  const elsewhere = hasCheckout
    ? ", or have the user pay at checkout_url and call get_delivery_status until payment_status is authorized"
    : ""
  const pay = `Call update_delivery with delivery_id ${id} and update_type payment after the user approves the fee${elsewhere}`
  return isPlaced ? `${pay}.${CONFIRM_AGAIN}` : `${pay}; only then place the store order.`
}

const CONFIRM_AGAIN = " Then call confirm_delivery again; do not place the store order a second time."

/** True when a confirm has reported the order, even if its payment failed. */
export function isOrderReported({ details }: Pick<CourierRow, "details">): boolean {
  return details.order !== null && details.order.confirmationText !== null
}

/** The poll interval; empty once nothing can change without a call. The user can pay only while there is a payment link. */
export function pollOf(
  state: CourierState,
  isPaying: boolean = false,
): { readonly poll_after_seconds?: number } {
  if (isPaying) return { poll_after_seconds: COURIER_POLL_PAYING_SECONDS }
  switch (state) {
    case "cancelled":
    case "completed":
    case "declined":
    case "expired":
    case "failed":
      return {}
    case "en_route_to_store":
    case "en_route_to_customer":
    case "arrived_at_customer":
      return { poll_after_seconds: COURIER_POLL_MOVING_SECONDS }
    case "quoted":
      return { poll_after_seconds: COURIER_POLL_QUOTED_SECONDS }
    default:
      return { poll_after_seconds: COURIER_POLL_SECONDS }
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

function declineText({ details }: CourierRow, { declineReason }: Errand["order"]): string {
  if (details.restrictedItems.length > 0) return "This order holds something that may not be delivered."
  if (declineReason === "timing_not_feasible") return untimelyText(details)
  return DECLINED[declineReason ?? "no_capacity"]
}

/** `when`: such as `about 12:40 PM Austin time`. */
export function freeText(when: string | null): string {
  return when === null ? "" : ` One is expected to be free ${when}.`
}

function untimelyText({ timingProblem, leadTimeMs }: CourierDetails): string {
  const lead = `${Math.ceil(leadTimeMs / MINUTE_MS)} minutes`
  switch (timingProblem) {
    case "before_lead_time":
      return `The store needs ${lead} for an order, so that pickup time is too soon.`
    case "slots_out_of_reach":
      return `A vehicle can come ${lead} to ${COURIER_HORIZON_MS / MINUTE_MS} minutes from now, and the store offers no pickup time then.`
    default:
      return DECLINED.timing_not_feasible
  }
}

/** What happened to the fee of an ended errand. `fee` is in dollars. */
export function moneyText(paymentStatus: PaymentStatus, fee: string): string {
  switch (paymentStatus) {
    case "pending":
    case "failed":
      return "Nothing was charged."
    case "authorized":
      return "The delivery fee was approved and not charged; releasing it takes longer than usual."
    case "captured":
      return `The delivery fee of ${fee} US dollars stays charged.`
    case "voided":
      return "The delivery fee is released; nothing was charged."
    case "refunded":
      return `The delivery fee of ${fee} US dollars goes back.`
  }
}

/** After a delay without a time. */
export function delayedStep(errand: Errand, nowMs: EpochMs): string {
  const { row, delivery } = errand
  const id = row.deliveryId
  return delivery === null
    ? `${stepOf(errand, { nowMs })} Report the time at which the store order is ready as ready_at of confirm_delivery: no pickup is planned yet, and nothing has moved.`
    : `Call update_delivery with delivery_id ${id}, update_type ready_time and the new ready_at as soon as the store says it: the pickup stays planned as it was, and nothing has moved.`
}

export const DELAYED_TEXT = "The store is late; nothing has moved until it says when the order is ready."

export const DELAYED_UNTIL_TEXT = "The store is late; the pickup has moved to when the order is ready."

/** What a sentence for the user says beside the state. */
interface Said {
  /** In dollars. */
  readonly fee: string
  /** Such as `about 12:40 to 12:55 PM Austin time`; null when it is not known. */
  readonly when: string | null
}

/** For the user, without ids. */
export function messageOf({ row, state, order, paymentStatus }: Errand, { fee, when }: Said): string {
  const arriving = when === null ? "" : `; arrival ${when}`
  switch (state) {
    case "quoted":
      return `An autonomous vehicle can bring this order for ${fee} US dollars${when === null ? "" : `, collected ${when}`}.`
    case "expired":
      return "The offer for this delivery has run out."
    case "declined":
      return `${declineText(row, order)}${freeText(order.declineReason === "no_capacity" ? when : null)} ${moneyText(paymentStatus, fee)}`
    case "held":
      return paymentStatus === "authorized"
        ? "A vehicle is held and the delivery fee is approved."
        : `A vehicle is held; the delivery fee of ${fee} US dollars is still to be approved.`
    case "confirmed":
      return `The delivery is booked${arriving}.`
    case "assigned":
      return `A vehicle has taken the delivery${arriving}.`
    case "en_route_to_store":
      return `The vehicle is on its way to the store${arriving}.`
    case "arrived_at_store":
    case "waiting_for_load":
      return `The vehicle is at the store and waits for the order${arriving}.`
    case "loaded":
      return `The order is in the vehicle${arriving}.`
    case "en_route_to_customer":
      return `The order is on its way${arriving}.`
    case "arrived_at_customer":
      return "The vehicle has arrived with the order."
    case "completed":
      return "The order has been delivered."
    case "cancelled":
      return `The delivery is cancelled. ${moneyText(paymentStatus, fee)}`
    case "failed":
      return `${failedText(order.failureReason ?? "vehicle_fault", row.details)} ${moneyText(paymentStatus, fee)}`
  }
}
