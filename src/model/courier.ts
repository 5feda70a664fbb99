/**
 * Courier: an agent's errand for a user, from the first check to the customer's door, and the answers of the tools
 * about it. Source: courier connector contract, resources and states; the words that it leaves open are ours
 * (src/DECISIONS.md §75).
 */

import { Schema } from "effect"
import { DELIVERY_STATUSES } from "./delivery.ts"
import type { DeliveryStatus } from "./delivery.ts"
import { loggable } from "./values/schema.ts"

/** The tools, in the order in which an agent usually calls them. */
export const COURIER_TOOLS = [
  "check_delivery",
  "reserve_delivery",
  "confirm_delivery",
  "update_delivery",
  "get_delivery_status",
  "cancel_delivery",
] as const

export type CourierTool = (typeof COURIER_TOOLS)[number]

/** The state of a booked errand for each status of its delivery. */
export const COURIER_STATE_BY_STATUS = {
  SCHEDULED: "confirmed",
  ASSIGNED: "assigned",
  EN_ROUTE_TO_STORE: "en_route_to_store",
  ARRIVED_AT_STORE: "arrived_at_store",
  WAITING_FOR_LOAD: "waiting_for_load",
  LOADED: "loaded",
  EN_ROUTE_TO_CUSTOMER: "en_route_to_customer",
  ARRIVED_AT_CUSTOMER: "arrived_at_customer",
  COMPLETED: "completed",
  CANCELLED: "cancelled",
} as const satisfies Record<DeliveryStatus, string>

/** `expired` means that the time of the quote has run out. */
export const COURIER_STATES = [
  "quoted",
  "declined",
  "expired",
  "held",
  ...DELIVERY_STATUSES.map((status) => COURIER_STATE_BY_STATUS[status]),
  "failed",
] as const

export type CourierState = (typeof COURIER_STATES)[number]

/** In the order of the contract. */
export const DECLINE_REASONS = [
  "no_curbside",
  "store_not_supported",
  "disqualifying_requirement",
  "out_of_zone",
  "outside_service_hours",
  "timing_not_feasible",
  "no_capacity",
] as const

export type DeclineReason = (typeof DECLINE_REASONS)[number]

/** Properties of a pickup that a vehicle can never serve. */
export const DISQUALIFYING_REQUIREMENTS = [
  "id_required",
  "name_must_match",
  "signature",
  "age_restricted",
  "app_only_check_in",
] as const

export type DisqualifyingRequirement = (typeof DISQUALIFYING_REQUIREMENTS)[number]

export const PAYMENT_STATUSES = ["pending", "authorized", "captured", "failed", "voided", "refunded"] as const

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

/** Why a processor refused a payment, in terms that an agent can act on. */
export const PAYMENT_FAILURES = ["declined", "expired", "over_limit"] as const

export type PaymentFailure = (typeof PAYMENT_FAILURES)[number]

/** Why a booked errand was not delivered. */
export const FAILURE_REASONS = [
  "store_no_handover",
  "items_not_carriable",
  "customer_unavailable",
  "vehicle_fault",
] as const

export type FailureReason = (typeof FAILURE_REASONS)[number]

/** Retries and time limits of calls to the payment processor. */
export const CourierPaymentPolicy = Schema.Struct({
  triesMax: Schema.Number,
  backoffMs: Schema.Array(Schema.Number),
  /** Pauses between attempts to return money. There is one more attempt than there are pauses. */
  returnBackoffMs: Schema.Array(Schema.Number),
  leaseMs: Schema.Number,
})

export type CourierPaymentPolicy = typeof CourierPaymentPolicy.Type

/** The time limits of an errand, with the defaults in `limits.ts`. */
export const CourierPolicy = Schema.Struct({
  /** How long a quote is valid. */
  quoteMs: Schema.Number,
  /** How long a vehicle is held. */
  holdMs: Schema.Number,
  /** By how much a failed payment lengthens a live hold. */
  retryMs: Schema.Number,
  /** A quote stays valid for at least this long after its hold. */
  quoteAfterHoldMs: Schema.Number,
  /** How long after its last hold a placed order may still be reported. */
  reportMs: Schema.Number,
  /** How far ahead a pickup window or a hold may reach. */
  horizonMs: Schema.Number,
  payment: CourierPaymentPolicy,
})

export type CourierPolicy = typeof CourierPolicy.Type

/** The refusals that a tool may answer with, and whether a retry of the same call may succeed. */
export const COURIER_ERRORS = {
  hold_expired: { retryable: false },
  idempotency_conflict: { retryable: false },
  internal_error: { retryable: true },
  invalid_request: { retryable: false },
  invalid_state: { retryable: false },
  no_capacity: { retryable: true },
  not_found: { retryable: false },
  payment_failed: { retryable: true },
  quote_expired: { retryable: false },
  rate_limited: { retryable: true },
  timing_not_feasible: { retryable: false },
} as const satisfies Record<string, { readonly retryable: boolean }>

export type CourierErrorCode = keyof typeof COURIER_ERRORS

/** The version of the delivery terms that a reserve call must name. */
export const TERMS_VERSION = "2026-09-27"

/** The version of the text-message consent that a reserve call must name. */
export const CONSENT_VERSION = "2026-09-27"

/** How the store hands an order to a customer. */
export const PICKUP_METHODS = ["curbside", "counter", "drive_thru", "locker", "delivery", "other"] as const

export const PICKUP_REQUIREMENTS = [
  "none",
  "id_required",
  "name_must_match",
  "signature",
  "age_restricted",
  "other",
] as const

export type PickupRequirement = (typeof PICKUP_REQUIREMENTS)[number]

export const CHECK_IN_METHODS = ["email_link", "order_page", "call_store", "unknown", "app_only"] as const

export type CheckInMethod = (typeof CHECK_IN_METHODS)[number]

/** The updates that may be reported after a reserve call. */
export const UPDATE_TYPES = [
  "payment",
  "ready_time",
  "slot",
  "order",
  "check_in",
  "pickup_requirements",
  "dropoff_address",
  "dropoff_notes",
  "contact",
  "issue",
] as const

export type UpdateType = (typeof UPDATE_TYPES)[number]

export const ISSUE_CODES = ["order_cancelled_by_store", "order_delayed", "other"] as const

/** UTC with milliseconds: the format of every time in an answer. */
const Time = loggable(Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } }))
const Code = loggable(Schema.String)
const Whole = loggable(Schema.Int)
const Versioned = Schema.Struct({ version: Schema.String, text: Schema.String })
const field = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(schema)

const StoreAddress = Schema.Struct({
  street: Schema.String,
  city: Schema.String,
  state: Schema.String,
  zip: Schema.String,
})

const Dropoff = Schema.Struct({
  street: Schema.String,
  unit: field(Schema.String),
  city: Schema.String,
  state: Schema.String,
  zip: Schema.String,
  notes: field(Schema.String),
  location: Schema.Struct({ lat: Schema.Number, lng: Schema.Number }),
  is_approximate: Schema.Boolean,
  /** Present when the place is approximate: what to do about it. */
  hint: field(Schema.String),
})

const PickupWindow = Schema.Struct({
  start: Time,
  end: Time,
  /** Present when the window matches one of the store's slots. */
  slot_id: field(Schema.String),
})

const PickupProfile = Schema.Struct({
  vehicle: Schema.Struct({
    make: Schema.String,
    model: Schema.String,
    color: Schema.String,
    description: field(Schema.String),
  }),
  /** The description and the others are for the store's checkout, so they are absent once the order is booked. */
  pickup_phone: field(Schema.String),
  pickup_phone_note: field(Schema.String),
  order_contact_email: field(Schema.String),
  notes_for_retailer: field(Schema.String),
})

const PaymentRequest = Schema.Struct({
  amount_cents: Whole,
  currency: Code,
  seller_profile_id: Schema.String,
  /** Present while no payment is authorized. */
  checkout_url: field(Schema.String),
  instruction: Schema.String,
})

const CourierError = Schema.Struct({
  code: Schema.Literal(...(Object.keys(COURIER_ERRORS) as CourierErrorCode[])),
  message: Schema.String,
  retryable: Schema.Boolean,
  field: field(Schema.String),
  /** Present with `payment_failed` once a processor has refused a credential. */
  payment_failure: field(Schema.Literal(...PAYMENT_FAILURES)),
  retry_after_seconds: field(Whole),
})

/**
 * The envelope of every tool answer. Two fields are always present; the others when their values are known. An answer
 * with `error` is a refusal: nothing happened and nothing was stored. A decline is a normal answer without `error`.
 */
export const CourierEnvelope = Schema.Struct({
  next_step: Schema.String.annotations({ description: "The exact call to make next." }),
  user_message: Schema.String.annotations({ description: "One sentence that may be shown to the user." }),
  error: field(CourierError),
  /** Arguments that the tool does not know and has ignored. Of a call, never stored with its answer. */
  warnings: field(Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))),
  delivery_id: field(Code),
  state: field(Schema.Literal(...COURIER_STATES)),
  retailer_name: field(Schema.String),
  store_address: field(StoreAddress),
  dropoff: field(
    Dropoff.annotations({
      description: "Where the vehicle drives to; is_approximate: only street or area is known.",
    }),
  ),
  update_result: field(Schema.String.annotations({ description: "What the update did." })),
  serviceable: field(Schema.Boolean),
  decline_reason: field(Schema.Literal(...DECLINE_REASONS)),
  disqualifying_requirements: field(Schema.Array(Schema.Literal(...DISQUALIFYING_REQUIREMENTS))),
  restricted_items: field(Schema.Array(Schema.String)),
  /** Present with `store_not_supported`: at most three listings that the caller may have meant. */
  store_matches: field(
    Schema.Array(
      Schema.Struct({ retailer_name: Schema.String, street: Schema.String, zip: Schema.String }),
    ).annotations({ description: "Listings that may be meant; ask the user first." }),
  ),
  /** Present when the decline is about the time. */
  next_pickup_window: field(
    Schema.Struct({ start: Time, end: Time }).annotations({
      description: "The next possible pickup; check it from 90 minutes before.",
    }),
  ),
  /** Present with `no_capacity` while that is known: when a vehicle is expected to be free. An extension of the contract. */
  earliest_at: field(Time),
  failure_reason: field(Schema.Literal(...FAILURE_REASONS)),
  price: field(Schema.Struct({ amount: Code, currency: Code })),
  pickup_windows: field(Schema.Array(PickupWindow)),
  terms: field(Versioned),
  consent: field(Versioned),
  quote_expires_at: field(Time),
  hold_expires_at: field(Time),
  payment_status: field(Schema.Literal(...PAYMENT_STATUSES)),
  fee_cents: field(Whole),
  charged_cents: field(Whole),
  pickup_profile: field(PickupProfile),
  /** The instruction is present while a vehicle is held. */
  pickup_time: field(Schema.Struct({ select: Schema.String, instruction: field(Schema.String) })),
  payment: field(PaymentRequest),
  released_delivery_ids: field(Schema.Array(Code)),
  order_number: field(Code),
  planned_pickup_time: field(Time),
  estimated_delivery_window: field(Schema.Struct({ start: Time, end: Time })),
  tracking_url: field(Schema.String),
  vehicle_location: field(
    Schema.Struct({ lat: Schema.Number, lng: Schema.Number, recorded_at: Time }).annotations({
      description: "The vehicle on its way to the customer.",
    }),
  ),
  cancelled_at: field(Time),
  completed_at: field(Time),
  poll_after_seconds: field(Whole),
  updated_at: field(Time),
})

export type CourierEnvelope = typeof CourierEnvelope.Type
