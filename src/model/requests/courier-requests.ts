/**
 * Inputs of the six tools, as schemas: one definition gives the type, the check and the JSON Schema in the tool list.
 * Unknown fields are ignored. Source: courier connector contract, tools; the inputs that it leaves open are ours
 * (src/DECISIONS.md §76).
 */

import { Schema } from "effect"
import {
  CHECK_IN_METHODS,
  CONSENT_VERSION,
  ISSUE_CODES,
  PICKUP_METHODS,
  PICKUP_REQUIREMENTS,
  TERMS_VERSION,
  UPDATE_TYPES,
} from "../courier.ts"
import type { UpdateType } from "../courier.ts"
import {
  ADDRESS_LINE_LENGTH_MAX,
  CANCEL_REASON_LENGTH_MAX,
  CART_ITEMS_MAX,
  CHECK_IN_INSTRUCTIONS_LENGTH_MAX,
  CHECK_IN_URL_LENGTH_MAX,
  CONFIRMATION_TEXT_LENGTH_MAX,
  COURIER_KEY_LENGTH_MAX,
  COURIER_KEY_LENGTH_MIN,
  COURIER_NOTE_LENGTH_MAX,
  DROPOFF_NOTES_LENGTH_MAX,
  EMAIL_LENGTH_MAX,
  ITEM_MODIFIERS_MAX,
  ITEM_MODIFIER_LENGTH_MAX,
  ITEM_NAME_LENGTH_MAX,
  ITEM_QUANTITY_MAX,
  ORDER_ITEMS_MAX,
  ORDER_NUMBER_LENGTH_MAX,
  PAYMENT_TOKEN_LENGTH_MAX,
  PERSON_NAME_LENGTH_MAX,
  PICKUP_CODE_LENGTH_MAX,
  PICKUP_METHODS_MAX,
  PICKUP_REQUIREMENTS_MAX,
  RETAILER_NAME_LENGTH_MAX,
  RETAILER_SLOTS_MAX,
  SLOT_ID_LENGTH_MAX,
  SLOT_LABEL_LENGTH_MAX,
  STATE_LENGTH_MAX,
  STORE_URL_LENGTH_MAX,
  UNIT_LENGTH_MAX,
  ZIP_LENGTH_MAX,
} from "../values/limits.ts"
import { Instant, Phone, loggable, text } from "../values/schema.ts"

const DELIVERY_ID = /^dlv_[0-9A-Za-z]{22}$/
const KEY_PATTERN = String.raw`^[^\u0000]*$`

const described = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  schema.annotations({ description })
const optional = Schema.optional

const DeliveryId = loggable(
  Schema.String.pipe(
    Schema.filter((id) => DELIVERY_ID.test(id) || "must be dlv_ and 22 letters or digits"),
    Schema.annotations({
      description: "From check_delivery.",
      jsonSchema: { type: "string", pattern: DELIVERY_ID.source },
    }),
  ),
)

/** Unlike other texts it may be blank: the contract only bounds its length and forbids NUL. */
const IdempotencyKey = Schema.String.pipe(
  Schema.filter((key) => {
    const { length } = [...key]
    if (length < COURIER_KEY_LENGTH_MIN || length > COURIER_KEY_LENGTH_MAX) {
      return `must be ${COURIER_KEY_LENGTH_MIN} to ${COURIER_KEY_LENGTH_MAX} characters long, is ${length}`
    }
    if (key.includes("\0")) return "must not contain NUL"
    return key.isWellFormed() || "must not contain half of a surrogate pair"
  }),
  Schema.annotations({
    description: "A new one for each call; the same one only to retry that call.",
    jsonSchema: {
      type: "string",
      minLength: COURIER_KEY_LENGTH_MIN,
      maxLength: COURIER_KEY_LENGTH_MAX,
      pattern: KEY_PATTERN,
    },
  }),
)

/** An absolute http or https URL. */
function webUrl(max: number): Schema.Schema<string> {
  return Schema.String.pipe(
    Schema.filter((url) => {
      if ([...url].length > max) return `must be at most ${max} characters long`
      const protocol = URL.canParse(url) ? new URL(url).protocol : null
      return protocol === "https:" || protocol === "http:" || "must be an absolute http or https URL"
    }),
    Schema.annotations({ jsonSchema: { type: "string", format: "uri", maxLength: max } }),
  )
}

function whole(min: number, max: number): Schema.Schema<number> {
  return loggable(Schema.Int.pipe(Schema.between(min, max)))
}

function list<A, I>(
  element: Schema.Schema<A, I>,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): Schema.Schema<readonly A[], readonly I[]> {
  return Schema.Array(element).pipe(
    Schema.filter((all) => (all.length >= min && all.length <= max) || `must hold ${min} to ${max} entries`),
    Schema.annotations({ jsonSchema: { minItems: min, maxItems: max } }),
  )
}

export const CourierAddress = Schema.Struct({
  street: text({ max: ADDRESS_LINE_LENGTH_MAX }),
  unit: optional(text({ min: 0, max: UNIT_LENGTH_MAX })),
  city: text({ max: ADDRESS_LINE_LENGTH_MAX }),
  state: text({ max: STATE_LENGTH_MAX }),
  zip: text({ max: ZIP_LENGTH_MAX }),
  location: optional(
    described(
      Schema.Struct({
        lat: Schema.Number.pipe(Schema.between(-90, 90)),
        lng: Schema.Number.pipe(Schema.between(-180, 180)),
      }),
      "Where it is, if known; it wins over the written address.",
    ),
  ),
})

export type CourierAddress = typeof CourierAddress.Type

/** A pickup time that the store offers in its own checkout. */
export const RetailerSlot = Schema.Struct({
  id: optional(text({ min: 0, max: SLOT_ID_LENGTH_MAX })),
  start: Instant,
  end: Instant,
  label: optional(text({ min: 0, max: SLOT_LABEL_LENGTH_MAX })),
}).pipe(Schema.filter(({ start, end }) => end > start || { path: ["end"], message: "must be after start" }))

export type RetailerSlot = typeof RetailerSlot.Type

/** One of the `pickup_windows` of an answer. */
export const ChosenWindow = Schema.Struct({ start: Instant, end: Instant }).pipe(
  Schema.filter(({ start, end }) => end > start || { path: ["end"], message: "must be after start" }),
)

export type ChosenWindow = typeof ChosenWindow.Type

/** A slot and a window could contradict each other. */
const oneTimeOnly = (slot: string) => ({
  path: ["pickup_window"],
  message: `must be left out when ${slot} is given`,
})

export const CourierItem = Schema.Struct({
  name: text({ max: ITEM_NAME_LENGTH_MAX }),
  quantity: whole(1, ITEM_QUANTITY_MAX),
  modifiers: optional(list(text({ min: 0, max: ITEM_MODIFIER_LENGTH_MAX }), { max: ITEM_MODIFIERS_MAX })),
})

export type CourierItem = typeof CourierItem.Type

const Items = list(CourierItem, { min: 1, max: ORDER_ITEMS_MAX })
const OrderNumber = loggable(text({ max: ORDER_NUMBER_LENGTH_MAX }))
const ConfirmationText = text({ max: CONFIRMATION_TEXT_LENGTH_MAX })
const PickupCode = text({ min: 0, max: PICKUP_CODE_LENGTH_MAX })
const DropoffNotes = text({ min: 0, max: DROPOFF_NOTES_LENGTH_MAX })
const Payment = Schema.Struct({ shared_payment_token: text({ max: PAYMENT_TOKEN_LENGTH_MAX }) })
const RequirementsSeen = list(Schema.Literal(...PICKUP_REQUIREMENTS), { max: PICKUP_REQUIREMENTS_MAX })

const RequestedTiming = Schema.Union(
  Schema.Struct({ type: Schema.Literal("asap") }),
  Schema.Struct({ type: Schema.Literal("window"), start: Instant, end: Instant }).pipe(
    Schema.filter(({ start, end }) => end > start || { path: ["end"], message: "must be after start" }),
  ),
).annotations({
  // Some hosts refuse an `anyOf` inside of an object.
  jsonSchema: {
    type: "object",
    required: ["type"],
    properties: {
      type: { type: "string", enum: ["asap", "window"] },
      start: { type: "string", format: "date-time" },
      end: { type: "string", format: "date-time" },
    },
  },
})

export type RequestedTiming = typeof RequestedTiming.Type

export const CheckDeliveryArguments = Schema.Struct({
  retailer_name: described(text({ max: RETAILER_NAME_LENGTH_MAX }), "The store's name on its map listing."),
  store_address: described(CourierAddress, "Where the store hands out curbside orders."),
  store_url: optional(webUrl(STORE_URL_LENGTH_MAX)),
  dropoff_address: described(CourierAddress, "Where the user wants the order."),
  dropoff_notes: optional(described(DropoffNotes, "How to find the door.")),
  requested_timing: described(RequestedTiming, "asap, or a window from start to end for the pickup."),
  pickup_methods_offered: described(
    list(Schema.Literal(...PICKUP_METHODS), { min: 1, max: PICKUP_METHODS_MAX }),
    "Every way the store's checkout offers; without curbside the order is declined.",
  ),
  retailer_slots: optional(
    described(list(RetailerSlot, { max: RETAILER_SLOTS_MAX }), "Pickup slots that the checkout offers."),
  ),
  item_count: optional(whole(0, CART_ITEMS_MAX)),
  items: optional(
    described(
      list(CourierItem, { max: ORDER_ITEMS_MAX }),
      "The cart, as far as known: restricted items are found before the store is paid.",
    ),
  ),
  idempotency_key: IdempotencyKey,
})

export type CheckDeliveryArguments = typeof CheckDeliveryArguments.Type

export const ReserveDeliveryArguments = Schema.Struct({
  delivery_id: DeliveryId,
  customer: Schema.Struct({
    first_name: text({ max: PERSON_NAME_LENGTH_MAX }),
    last_name: text({ max: PERSON_NAME_LENGTH_MAX }),
  }),
  contact: described(
    Schema.Struct({
      phone: optional(described(Phone, "Only the linked number.")),
      email: optional(text({ min: 0, max: EMAIL_LENGTH_MAX })),
    }),
    "May be empty: the linked number is used.",
  ),
  contact_consent: described(
    Schema.Struct({ granted: Schema.Literal(true), consent_version: Schema.Literal(CONSENT_VERSION) }),
    "The user agreed to the texts that check_delivery described.",
  ),
  terms_acknowledged: described(
    Schema.Struct({ accepted: Schema.Literal(true), terms_version: Schema.Literal(TERMS_VERSION) }),
    "The user accepted the terms that check_delivery gave.",
  ),
  pickup_requirements_seen: described(
    RequirementsSeen,
    "What the store's checkout requires of the person who collects.",
  ),
  pickup_requirements_notes: optional(text({ min: 0, max: COURIER_NOTE_LENGTH_MAX })),
  alternate_pickup_person_supported: optional(described(Schema.Boolean, "Not used.")),
  check_in_method: optional(
    described(Schema.Literal(...CHECK_IN_METHODS), "How customers announce their arrival to the store."),
  ),
  intended_slot: optional(described(RetailerSlot, "The store's slot that the order is placed for.")),
  pickup_window: optional(
    described(ChosenWindow, "The one of pickup_windows that the user chose; not with intended_slot."),
  ),
  payment: optional(described(Payment, "Only after the user approved the delivery fee.")),
  idempotency_key: IdempotencyKey,
}).pipe(
  Schema.filter(
    ({ intended_slot: slot, pickup_window: window }) =>
      slot === undefined || window === undefined || oneTimeOnly("intended_slot"),
  ),
)

export type ReserveDeliveryArguments = typeof ReserveDeliveryArguments.Type

export const ConfirmDeliveryArguments = Schema.Struct({
  delivery_id: DeliveryId,
  order_number: described(OrderNumber, "The store's number of the order."),
  items: described(Items, "Every item of the order, as the store lists it."),
  confirmation_text: described(ConfirmationText, "The store's confirmation as it was shown."),
  pickup_code: optional(described(PickupCode, "When the store shows one.")),
  ready_at: optional(described(Instant, "When the store says that the order is ready.")),
  selected_slot: optional(described(RetailerSlot, "The slot that was chosen at checkout.")),
  idempotency_key: IdempotencyKey,
})

export type ConfirmDeliveryArguments = typeof ConfirmDeliveryArguments.Type

/** The object that each type of update must contain. */
const UPDATE_FIELD_BY_TYPE = {
  payment: "payment",
  ready_time: "ready_at",
  slot: "selected_slot",
  order: "order",
  check_in: "check_in",
  pickup_requirements: "pickup_requirements_seen",
  dropoff_address: "dropoff_address",
  dropoff_notes: "dropoff_notes",
  contact: "contact",
  issue: "issue",
} as const satisfies Record<UpdateType, string>

function holdsOne(of: object): boolean {
  return Object.values(of).some((value) => value !== undefined)
}

const OrderChange = Schema.Struct({
  order_number: optional(OrderNumber),
  items: optional(Items),
  pickup_code: optional(PickupCode),
  confirmation_text: optional(ConfirmationText),
}).pipe(Schema.filter((order) => holdsOne(order) || "must hold at least one field"))

const CheckIn = Schema.Struct({
  url: optional(webUrl(CHECK_IN_URL_LENGTH_MAX)),
  phone: optional(Phone),
  instructions: optional(text({ min: 0, max: CHECK_IN_INSTRUCTIONS_LENGTH_MAX })),
}).pipe(Schema.filter((checkIn) => holdsOne(checkIn) || "must hold url, phone or instructions"))

export const UpdateDeliveryArguments = Schema.Struct({
  delivery_id: DeliveryId,
  update_type: described(
    Schema.Literal(...UPDATE_TYPES),
    "What is reported; the field that belongs to it must be present.",
  ),
  payment: optional(described(Payment, "With payment: after the user approved the delivery fee.")),
  ready_at: optional(
    described(Instant, "With ready_time, or with the issue order_delayed: when the order is ready."),
  ),
  selected_slot: optional(described(RetailerSlot, "With slot: the one chosen at checkout.")),
  pickup_window: optional(described(ChosenWindow, "With slot, instead of selected_slot.")),
  order: optional(described(OrderChange, "With order: what changed of the store order.")),
  check_in: optional(
    described(CheckIn, "With check_in: how the vehicle announces its arrival to the store."),
  ),
  pickup_requirements_seen: optional(
    described(RequirementsSeen, "With pickup_requirements: what the store requires of who collects."),
  ),
  dropoff_address: optional(
    described(CourierAddress, "With dropoff_address: another drop-off, until the vehicle has the order."),
  ),
  dropoff_notes: optional(described(DropoffNotes, "With dropoff_notes: how to find the door.")),
  contact: optional(
    described(
      Schema.Struct({ email: optional(text({ min: 0, max: EMAIL_LENGTH_MAX })) }),
      "With contact: the phone number cannot change.",
    ),
  ),
  issue: optional(
    described(
      Schema.Struct({
        code: Schema.Literal(...ISSUE_CODES),
        note: optional(text({ min: 0, max: COURIER_NOTE_LENGTH_MAX })),
      }),
      "With issue: the store's message.",
    ),
  ),
  note: optional(text({ min: 0, max: COURIER_NOTE_LENGTH_MAX })),
  idempotency_key: IdempotencyKey,
}).pipe(
  Schema.filter((update) => {
    const { update_type: type, pickup_window: window } = update
    const field = UPDATE_FIELD_BY_TYPE[type]
    const isPresent = update[field] !== undefined
    if (type === "slot" && window !== undefined) return !isPresent || oneTimeOnly("selected_slot")
    return isPresent || { path: [field], message: `must be present when update_type is ${type}` }
  }),
)

export type UpdateDeliveryArguments = typeof UpdateDeliveryArguments.Type

export const GetDeliveryStatusArguments = Schema.Struct({ delivery_id: DeliveryId })

export type GetDeliveryStatusArguments = typeof GetDeliveryStatusArguments.Type

export const CancelDeliveryArguments = Schema.Struct({
  delivery_id: DeliveryId,
  reason: optional(text({ min: 0, max: CANCEL_REASON_LENGTH_MAX })),
  idempotency_key: IdempotencyKey,
})

export type CancelDeliveryArguments = typeof CancelDeliveryArguments.Type
