/**
 * What is left to do about a store order that a refusal leaves without a pickup: another time, a cancel and its price,
 * or the user's own way to the store. Source: our choice (src/DECISIONS.md §389).
 */

import type { CourierTool, FailureReason, PaymentStatus } from "../../model/courier.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Errand } from "./errand.ts"
import type { CourierDetails } from "./rows.ts"
import type { Span } from "./windows.ts"

/** A refused call about a pickup. */
export interface RefusedPickup {
  readonly tool: CourierTool
  /** The time of the call; null when it had none. */
  readonly askedMs: EpochMs | null
  readonly nowMs: EpochMs
  /** In dollars. */
  readonly fee: string
  /** The next possible pickup. */
  readonly nextWindow: Span | null
  /** When a vehicle is expected to be free; null when that is not known. */
  readonly earliestAtMs: EpochMs | null
}

const ONCE = "Do not place the store order a second time."

/** For a time that is too far ahead. */
export function anotherTimeStep(errand: Errand, refused: RefusedPickup): string {
  const { row, order, delivery, paymentStatus } = errand
  const { tool, askedMs, nowMs, fee, nextWindow } = refused
  const { horizonMs, reportMs } = order.policy
  const fromMs = askedMs === null ? null : askedMs - horizonMs
  // An order is reported for a limited time; a booked delivery may be moved until its vehicle collects the order.
  const lastReportMs = (order.holdEndsAtMs ?? nowMs) + reportMs
  const isLater = fromMs !== null && fromMs > nowMs && (delivery !== null || fromMs <= lastReportMs)
  const later = isLater ? `, or with the same time from ${isoMs(fromMs)} on` : ""
  const next = nextWindow === null ? "" : ` (the next possible pickup is at ${isoMs(nextWindow.startMs)})`
  const planned = delivery === null ? "" : " The pickup stays planned as it was until then."
  return `Call ${tool} with delivery_id ${row.deliveryId} again with a time until ${isoMs(nowMs + horizonMs)}${next}, if the store can have the order ready by then${later}; or ${giveUp(paymentStatus, fee)}.${planned} ${ONCE}`
}

/** While no vehicle is free. */
export function laterStep(
  { row, order, paymentStatus }: Errand,
  { tool, fee, earliestAtMs }: RefusedPickup,
): string {
  if (earliestAtMs !== null && earliestAtMs >= order.quoteEndsAtMs)
    return `The quote ends before a vehicle is free. From ${isoMs(earliestAtMs)} on: ${NEW_QUOTE_STEP}`
  const later = earliestAtMs === null ? "in a few minutes" : `from ${isoMs(earliestAtMs)} on`
  return `Call ${tool} with delivery_id ${row.deliveryId} again ${later}; or ${giveUp(paymentStatus, fee)}. ${ONCE}`
}

/** Without a delivery that could collect the order. */
export const NEW_QUOTE_STEP = `Call check_delivery with a new idempotency_key, then reserve, pay and report the same store order with confirm_delivery; or have the user collect the store order or cancel it with the store. ${ONCE}`

export const NO_VEHICLE_STEP =
  "No further call is needed: no vehicle collects the store order, so have the user collect it or cancel it with the store."

function giveUp(paymentStatus: PaymentStatus, fee: string): string {
  return `call cancel_delivery, which ${PRICE_OF_CANCEL[paymentStatus](fee)}, and have the user collect the store order or cancel it with the store`
}

const COSTS_NOTHING = () => "costs nothing"

/** A cancel before the vehicle collects the order gives the whole fee back. */
const PRICE_OF_CANCEL: Readonly<Record<PaymentStatus, (fee: string) => string>> = {
  pending: COSTS_NOTHING,
  failed: COSTS_NOTHING,
  authorized: (fee) => `costs nothing and releases the delivery fee of ${fee} US dollars`,
  captured: (fee) => `costs nothing and gives the delivery fee of ${fee} US dollars back`,
  voided: COSTS_NOTHING,
  refunded: COSTS_NOTHING,
}

/** For the user, of an errand that continues. `fee` is in dollars. */
export function uncollectedText({ paymentStatus }: Errand, fee: string): string {
  return `A vehicle cannot collect the order then: an earlier time, your own way to the store or a cancellation is possible. ${openMoneyText(paymentStatus, fee)}`
}

function openMoneyText(paymentStatus: PaymentStatus, fee: string): string {
  switch (paymentStatus) {
    case "authorized":
      return `The delivery fee of ${fee} US dollars is approved and not charged.`
    case "captured":
      return `The delivery fee of ${fee} US dollars is charged, and goes back if you cancel.`
    default:
      return "Nothing is charged."
  }
}

const WHY_FAILED: Readonly<Record<FailureReason, string>> = {
  store_no_handover: "The store did not hand the order over.",
  items_not_carriable: "The vehicle could not carry the items.",
  customer_unavailable: "The order was not taken out of the vehicle.",
  vehicle_fault: "The vehicle had a fault.",
}

/** Why an errand failed and where its order is, for the user. */
export function failedText(reason: FailureReason, { wasAboard }: CourierDetails): string {
  const isAboard = wasAboard ?? ABOARD_BY_REASON[reason]
  const why = WHY_FAILED[reason]
  if (isAboard === null) return why
  return `${why} ${
    isAboard
      ? "The order was on board and is not brought again; prepared food is not kept."
      : "The order is still at the store: you can collect it there, or ask the store for your money."
  }`
}

/** Where the order is by the reason alone, for rows that do not say it; null: unknown. */
const ABOARD_BY_REASON: Readonly<Record<FailureReason, boolean | null>> = {
  store_no_handover: false,
  items_not_carriable: false,
  customer_unavailable: true,
  vehicle_fault: null,
}
