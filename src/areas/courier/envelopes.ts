/**
 * Envelopes: the answers of the tools about an errand. `next_step` is the exact call to make, so that an agent needs no
 * other knowledge; `user_message` is one sentence without ids. Source: courier connector contract, resources.
 */

import { COURIER_ERRORS } from "../../model/courier.ts"
import type { CourierEnvelope, CourierTool, PaymentFailure } from "../../model/courier.ts"
import { CHECKOUT_LINK_MS, PICKUP_WINDOW_MS } from "../../model/values/limits.ts"
import { isoMs } from "../../model/values/time.ts"
import { timesIn } from "../../model/values/zoned-times.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { holdsAt } from "../../model/courier-fields.ts"
import type { CourierField, CourierStage } from "../../model/courier-fields.ts"
import { isTrackingOver } from "../direct-delivery/tracking-links.ts"
import { endOf, estimatesOf } from "./errand.ts"
import type { Errand } from "./errand.ts"
import type { OfferedWindow, PickupTime, StoreMatch } from "./rows.ts"
import { linkToken } from "../../engine/services/signed-links.ts"
import { FEE_CURRENCY, purposesOf } from "./settings.ts"
import type { CourierChoices } from "./settings.ts"
import { CONSENT, TERMS } from "./terms.ts"
import { leadTimeOf } from "./times.ts"
import { slotIdOf } from "./windows.ts"
import type { Span } from "./windows.ts"
import {
  helpOf,
  isOrderReported,
  messageAfter,
  messageOf,
  pollOf,
  stageOf,
  stepAfter,
  stepOf,
} from "./wording.ts"
import type { CourierRefusal } from "./wording.ts"

/** The inputs of an envelope. The `nonce` makes each tracking link unique. */
export interface EnvelopeContext {
  readonly settings: CourierChoices
  readonly nowMs: EpochMs
  readonly nonce: string
}

export function refusal(refused: CourierRefusal): CourierEnvelope {
  const { code, message, field, paymentFailure, retryAfterSeconds, deliveryId, state, nextStep } = refused
  const { nextWindow = null, earliestAtMs = null, userMessage } = refused
  return {
    next_step: nextStep ?? stepAfter(refused),
    user_message: userMessage ?? messageAfter(refused),
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
    ...(earliestAtMs === null ? {} : { earliest_at: isoMs(earliestAtMs) }),
  }
}

function nextWindowOf(span: Span | null) {
  return span === null ? {} : { next_pickup_window: { start: isoMs(span.startMs), end: isoMs(span.endMs) } }
}

/** Serviceable or declined. */
export function checkEnvelope(errand: Errand, context: EnvelopeContext): CourierEnvelope {
  const fields = errand.order.declineReason === null ? OFFER_FIELDS : DECLINE_FIELDS
  return envelopeOf(errand, context, fields)
}

export function declineEnvelope(errand: Errand, context: EnvelopeContext): CourierEnvelope {
  const wasReserved = errand.row.details.pickupTime !== null
  return envelopeOf(errand, context, [...DECLINE_FIELDS, ...(wasReserved ? CHARGE_FIELDS : [])])
}

export function reserveEnvelope(
  errand: Errand,
  released: readonly string[],
  context: EnvelopeContext,
): CourierEnvelope {
  return { ...envelopeOf(errand, context, RESERVE_FIELDS), released_delivery_ids: [...released] }
}

export function confirmEnvelope(errand: Errand, context: EnvelopeContext): CourierEnvelope {
  return envelopeOf(errand, context, CONFIRM_FIELDS)
}

/** A refusal about a store order that is placed: with the state of its money and of its pickup. */
export function orderedRefusal(
  refused: CourierRefusal,
  errand: Errand,
  context: Omit<EnvelopeContext, "nonce">,
): CourierEnvelope {
  // Only links need a nonce.
  const known = fieldsOf(errand, { ...context, nonce: "" }, REFUSED_FIELDS)
  return { ...refusal(refused), ...known }
}

/** The status, with sentences about what has just been reported. */
export function reportedEnvelope(
  errand: Errand,
  context: EnvelopeContext,
  said: Partial<Pick<CourierEnvelope, "next_step" | "update_result" | "user_message">>,
): CourierEnvelope {
  return { ...statusEnvelope(errand, context), ...said }
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
    ...fieldsOf(errand, context, [...CLOCK_FIELDS, ...MONEY_FIELDS, "payment"]),
  }
}

const PROBLEMS: Readonly<Record<PaymentFailure, string>> = {
  declined: "the payment was declined",
  expired: "the payment credential has expired",
  over_limit: "the delivery fee is over the limit of the payment credential",
}

/** All fields that are known and hold. */
export function statusEnvelope(errand: Errand, context: EnvelopeContext): CourierEnvelope {
  return envelopeOf(errand, context, STATUS_FIELDS)
}

export function cancelEnvelope(errand: Errand, context: EnvelopeContext): CourierEnvelope {
  return envelopeOf(errand, context, CANCEL_FIELDS)
}

const STORE_FIELDS = ["delivery_id", "state", "retailer_name", "store_address"] as const
const CHARGE_FIELDS = ["payment_status", "fee_cents", "charged_cents"] as const
const OFFERED = ["pickup_windows", "terms", "consent", "quote_expires_at"] as const
const OFFER_FIELDS = [...STORE_FIELDS, "serviceable", "dropoff", "price", ...OFFERED] as const
const WHY_DECLINED = [
  "decline_reason",
  "disqualifying_requirements",
  "restricted_items",
  "store_matches",
  "next_pickup_window",
  "earliest_at",
] as const
const DECLINE_FIELDS = [...STORE_FIELDS, "serviceable", ...WHY_DECLINED] as const
const MONEY_FIELDS = ["payment_status", "fee_cents"] as const
const CURB_FIELDS = ["pickup_profile", "pickup_time"] as const
const CLOCK_FIELDS = ["quote_expires_at", "hold_expires_at"] as const
const RESERVE_FIELDS = [
  ...STORE_FIELDS,
  "dropoff",
  "poll_after_seconds",
  ...CLOCK_FIELDS,
  ...MONEY_FIELDS,
  ...CURB_FIELDS,
  "payment",
] as const
const TIME_FIELDS = ["planned_pickup_time", "estimated_delivery_window"] as const
const REFUSED_FIELDS = [...MONEY_FIELDS, "order_number", ...TIME_FIELDS] as const
const JOURNEY_FIELDS = [...TIME_FIELDS, "tracking_url", "vehicle_location"] as const
const CONFIRM_FIELDS = [
  ...STORE_FIELDS,
  "dropoff",
  ...MONEY_FIELDS,
  ...CURB_FIELDS,
  "order_number",
  ...JOURNEY_FIELDS,
] as const
const END_FIELDS = ["cancelled_at", "completed_at"] as const
const CANCEL_FIELDS = [...STORE_FIELDS, ...CHARGE_FIELDS, ...END_FIELDS] as const
const STATUS_FIELDS = [
  ...STORE_FIELDS,
  "dropoff",
  "price",
  ...MONEY_FIELDS,
  ...OFFERED,
  "hold_expires_at",
  ...CURB_FIELDS,
  "payment",
  "order_number",
  ...JOURNEY_FIELDS,
  ...WHY_DECLINED,
  "failure_reason",
  ...END_FIELDS,
  "poll_after_seconds",
  "updated_at",
] as const

/** The fields that each tool makes or changes, beside the two sentences and a refusal. An answer may have others, which earlier calls made. */
export const RESULT_FIELDS: Readonly<Record<CourierTool, readonly (keyof CourierEnvelope)[]>> = {
  check_delivery: ["warnings", ...new Set([...OFFER_FIELDS, ...DECLINE_FIELDS])],
  reserve_delivery: [
    "state",
    "hold_expires_at",
    ...MONEY_FIELDS,
    ...CURB_FIELDS,
    "payment",
    "released_delivery_ids",
    "poll_after_seconds",
  ],
  confirm_delivery: ["state", "payment_status", "order_number", ...JOURNEY_FIELDS],
  update_delivery: [
    "state",
    "update_result",
    "dropoff",
    "payment_status",
    "hold_expires_at",
    "pickup_windows",
    "pickup_time",
    ...TIME_FIELDS,
  ],
  get_delivery_status: [
    "state",
    ...MONEY_FIELDS,
    "order_number",
    ...JOURNEY_FIELDS,
    "failure_reason",
    ...END_FIELDS,
    "poll_after_seconds",
    "updated_at",
  ],
  cancel_delivery: ["state", ...CHARGE_FIELDS, ...END_FIELDS],
}

/** The fields of a tool that hold at the errand's stage and have a value. */
function envelopeOf(
  errand: Errand,
  context: EnvelopeContext,
  fields: readonly EnvelopeField[],
): CourierEnvelope {
  return {
    next_step: stepOf(errand, { hasCheckout: hasCheckout(errand, context), nowMs: context.nowMs }),
    user_message: messageOf(errand, { fee: dollarsOf(context.settings), when: whenOf(errand, context) }),
    ...fieldsOf(errand, context, fields),
  }
}

/** Without the two sentences, for an answer that has its own. */
function fieldsOf(
  errand: Errand,
  context: EnvelopeContext,
  fields: readonly EnvelopeField[],
): Partial<CourierEnvelope> {
  const stage = stageOf(errand)
  const holding = fields.filter((field) => holdsAt(field, stage))
  const valued = holding.map((field) => [field, VALUES[field](errand, context)] as const)
  return Object.fromEntries(valued.filter(([, value]) => value !== undefined))
}

type EnvelopeField = Exclude<CourierField, `${string}.${string}`>

type Value<F extends EnvelopeField> = (errand: Errand, context: EnvelopeContext) => CourierEnvelope[F]

/** The value of each field; undefined when it is not known. */
const VALUES: { readonly [F in EnvelopeField]: Value<F> } = {
  delivery_id: ({ row }) => row.deliveryId,
  state: ({ state }) => state,
  serviceable: ({ order }) => order.declineReason === null,
  retailer_name: ({ row }) => row.details.retailerName,
  store_address: ({ row }) => {
    const { street, city, state, zip } = row.details.storeAddress
    return { street, city, state, zip }
  },
  dropoff: dropoffOf,
  price: (_, { settings }) => ({ amount: dollarsOf(settings), currency: FEE_CURRENCY }),
  payment_status: ({ paymentStatus }) => paymentStatus,
  fee_cents: (_, { settings }) => settings.feeCents,
  pickup_windows: ({ row }, { nowMs }) => windowsOf(row, nowMs).map(shownWindow),
  terms: () => TERMS,
  consent: () => CONSENT,
  quote_expires_at: ({ order }) => isoMs(order.quoteEndsAtMs),
  hold_expires_at: ({ order }) => (order.holdEndsAtMs === null ? undefined : isoMs(order.holdEndsAtMs)),
  pickup_profile: profileOf,
  pickup_time: pickupTimeOf,
  payment: paymentOf,
  order_number: ({ row }) => row.details.order?.orderNumber ?? undefined,
  planned_pickup_time: (errand, { nowMs }) => {
    const estimates = estimatesOf(errand, nowMs)
    return estimates === null ? undefined : isoMs(estimates.pickupAtMs)
  },
  estimated_delivery_window: (errand, { nowMs }) => {
    const estimates = estimatesOf(errand, nowMs)
    if (estimates === null) return undefined
    const { deliveryAtMs } = estimates
    return { start: isoMs(deliveryAtMs), end: isoMs(deliveryAtMs + PICKUP_WINDOW_MS) }
  },
  tracking_url: (errand, context) => {
    const isShown = errand.delivery !== null && !isTrackingOver(endOf(errand), context.nowMs)
    return isShown ? trackingUrl(errand.row.deliveryId, context) : undefined
  },
  vehicle_location: ({ fix }) =>
    fix === null
      ? undefined
      : { lat: fix.latitude, lng: fix.longitude, recorded_at: isoMs(fix.recordedAtMs) },
  decline_reason: ({ order }) => order.declineReason ?? undefined,
  disqualifying_requirements: ({ row }) => filled(row.details.disqualifying),
  restricted_items: ({ row }) => filled(row.details.restrictedItems),
  store_matches: (errand, { nowMs }) => filled(helpOf(errand, nowMs).storeMatches.map(matchOf)),
  next_pickup_window: (errand, { nowMs }) =>
    nextWindowOf(helpOf(errand, nowMs).nextWindow).next_pickup_window,
  earliest_at: (errand, { nowMs }) => {
    const { earliestAtMs } = helpOf(errand, nowMs)
    return earliestAtMs === null ? undefined : isoMs(earliestAtMs)
  },
  failure_reason: ({ order }) => order.failureReason ?? undefined,
  charged_cents: ({ paymentStatus }, { settings }) => (paymentStatus === "captured" ? settings.feeCents : 0),
  cancelled_at: endedAt,
  completed_at: endedAt,
  poll_after_seconds: (errand, context) =>
    pollOf(errand.state, errand.state === "held" && hasCheckout(errand, context)).poll_after_seconds,
  updated_at: ({ row, delivery }) => isoMs(Math.max(row.updatedAtMs, delivery?.updatedAtMs ?? 0)),
}

/** The times that matter to the user next, in the service area's time; null when none is known. */
function whenOf(errand: Errand, context: EnvelopeContext): string | null {
  const { settings, nowMs } = context
  const { time, range } = timesIn(settings.timeZone)
  const [first] = errand.state === "quoted" ? windowsOf(errand.row, nowMs) : []
  if (first !== undefined) return `from ${time(first.startMs)} Austin time`
  const { earliestAtMs } = helpOf(errand, nowMs)
  if (earliestAtMs !== null) return `about ${time(earliestAtMs)} Austin time`
  const estimates = holdsAt("estimated_delivery_window", stageOf(errand)) ? estimatesOf(errand, nowMs) : null
  if (estimates === null) return null
  const { deliveryAtMs } = estimates
  return `about ${range(deliveryAtMs, deliveryAtMs + PICKUP_WINDOW_MS)} Austin time`
}

/** Where the vehicle drives to; undefined once personal data is removed. */
function dropoffOf(errand: Errand) {
  const { row } = errand
  const { dropoffAddress: address, dropoffPlace: place, dropoffNotes: notes } = row.details
  if (place === null) return undefined
  const { street, unit, city, state, zip, location } = address
  const isApproximate = row.details.isDropoffApproximate ?? location === undefined
  const stage = stageOf(errand)
  return {
    street,
    ...(unit === undefined || unit === "" ? {} : { unit }),
    city,
    state,
    zip,
    ...(notes === null || notes === "" ? {} : { notes }),
    location: { lat: place.latitude, lng: place.longitude },
    is_approximate: isApproximate,
    ...(isApproximate && holdsAt("dropoff.hint", stage) ? { hint: hintAt(stage) } : {}),
  }
}

/** Before the reserve there is nothing to update. */
function hintAt(stage: CourierStage): string {
  const call =
    stage === "quoted"
      ? "in check_delivery with a new idempotency_key"
      : "in update_delivery with update_type dropoff_address"
  return `Only the street or the area of this address is known. Send the address with its location ${call}, so that the vehicle drives to the door.`
}

function filled<T>(list: readonly T[]): T[] | undefined {
  return list.length === 0 ? undefined : [...list]
}

/** The offered windows that can still be reached. */
function windowsOf(row: Errand["row"], nowMs: EpochMs): readonly OfferedWindow[] {
  const firstMs = nowMs + leadTimeOf(row, nowMs)
  return row.details.windows.filter(({ startMs }) => startMs >= firstMs)
}

function shownWindow({ startMs, endMs, slot }: OfferedWindow) {
  const slotId = slot === null ? {} : { slot_id: slotIdOf(slot) }
  return { start: isoMs(startMs), end: isoMs(endMs), ...slotId }
}

function endedAt(errand: Errand): string | undefined {
  const endedAtMs = endOf(errand)
  return endedAtMs === null ? undefined : isoMs(endedAtMs)
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
  const token = linkToken(
    purposesOf(settings).track,
    { deliveryId, atMs: nowMs },
    { key: settings.linkKey, nonce },
  )
  return `${settings.baseUrl}/track/${token}`
}

export function dollarsOf({ feeCents }: CourierChoices): string {
  return (feeCents / 100).toFixed(2)
}

function matchOf({ name, street, zip }: StoreMatch) {
  return { retailer_name: name, street, zip }
}

/** Instructions for the store's checkout and curb, without names of people and license plates. */
function profileOf(errand: Errand, { settings }: EnvelopeContext) {
  const { make, model, color } = settings.vehicle
  const { stallHint } = errand.row.details
  if (!holdsAt("pickup_profile.for_store", stageOf(errand))) return { vehicle: { make, model, color } }
  return {
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
  }
}

function pickupTimeOf(errand: Errand) {
  const { pickupTime } = errand.row.details
  if (pickupTime === null) return undefined
  const { select } = pickupTime
  const isInstructed = holdsAt("pickup_time.instruction", stageOf(errand))
  return isInstructed ? { select, instruction: pickupInstruction(errand, pickupTime) } : { select }
}

/** The fee is authorized before the store order is placed, and no order is placed twice. */
function pickupInstruction(errand: Errand, { instruction }: PickupTime): string {
  switch (stageOf(errand)) {
    case "held_ordered":
      return "The store order is placed; do not place it again."
    case "held_paid":
      return instruction
    default:
      return `Once payment_status is authorized: ${instruction.charAt(0).toLowerCase()}${instruction.slice(1)}`
  }
}

function paymentInstruction(errand: Errand, fee: string): string {
  const ask = `Ask the user to approve the ${fee} USD delivery fee, charged separately from the store order, before sending`
  // An order that is placed is booked by its report, which takes a vehicle itself.
  const first = stageOf(errand) === "lapsed" ? "First call reserve_delivery to hold a vehicle again. " : ""
  switch (errand.paymentStatus) {
    case "pending":
      return `${first}${ask} a payment.`
    case "failed":
      return `The last payment failed. ${first}${ask} another payment.`
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
function hasCheckout(errand: Errand, { nowMs }: EnvelopeContext): boolean {
  const { row, paymentStatus } = errand
  if (!holdsAt("payment.checkout_url", stageOf(errand))) return false
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
            purposesOf(settings).pay,
            { deliveryId, atMs: checkout.atMs },
            { key: settings.linkKey, nonce: checkout.nonce },
          )}`,
        }
      : {}),
    instruction: paymentInstruction(errand, dollarsOf(settings)),
  }
}
