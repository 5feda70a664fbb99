/** Requests of the direct delivery area, as schemas. Source: direct delivery contract, endpoints. */

import { Schema } from "effect"
import { DELIVERY_EVENT_BY_STATUS, DELIVERY_STATUSES } from "../delivery.ts"
import type { ReportedStatus } from "../delivery.ts"
import {
  ADDRESS_LINE_LENGTH_MAX,
  CANCEL_REASON_LENGTH_MAX,
  EMAIL_LENGTH_MAX,
  EXTERNAL_ID_LENGTH_MAX,
  FIXES_PER_REPORT_MAX,
  ITEM_NAME_LENGTH_MAX,
  ITEM_QUANTITY_MAX,
  ORDER_ITEMS_MAX,
  PAGE_SIZE_MAX,
  PERSON_NAME_LENGTH_MAX,
  PICKUP_INSTRUCTIONS_LENGTH_MAX,
  SMS_REPLY_LENGTH_MAX,
  STATE_LENGTH_MAX,
  UNIT_LENGTH_MAX,
  URL_LENGTH_MAX,
  ZIP_LENGTH_MAX,
} from "../values/limits.ts"
import {
  Instant,
  NOT_BLANK,
  Phone,
  emailAddress,
  holdsOneOf,
  loggable,
  rules,
  text,
} from "../values/schema.ts"
import { LOAD_REPORTS } from "../vehicle.ts"
import { PICKUP_EVENT_TYPES } from "../webhook.ts"

/** The id is a segment of URL paths, where clients and proxies remove "." and resolve ".." to the parent folder. */
const ExternalDeliveryId = loggable(text({ max: EXTERNAL_ID_LENGTH_MAX })).pipe(
  Schema.filter((id) => (id !== "." && id !== "..") || 'must not be "." or ".."'),
  Schema.annotations({
    jsonSchema: {
      type: "string",
      minLength: 1,
      maxLength: EXTERNAL_ID_LENGTH_MAX,
      pattern: NOT_BLANK,
      not: { enum: [".", ".."] },
    },
  }),
)
const latitude = Schema.Number.pipe(Schema.between(-90, 90))
const longitude = Schema.Number.pipe(Schema.between(-180, 180))
const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

const names = {
  first_name: maybe(text({ min: 0, max: PERSON_NAME_LENGTH_MAX })),
  last_name: maybe(text({ min: 0, max: PERSON_NAME_LENGTH_MAX })),
  email: maybe(emailAddress(EMAIL_LENGTH_MAX)),
}

const DeliveryAddressRequest = Schema.Struct({
  street: text({ max: ADDRESS_LINE_LENGTH_MAX }),
  city: text({ max: ADDRESS_LINE_LENGTH_MAX }),
  state: text({ max: STATE_LENGTH_MAX }),
  zip: text({ max: ZIP_LENGTH_MAX }),
  unit: maybe(text({ min: 0, max: UNIT_LENGTH_MAX })),
  /** An alternative to `delivery_location`. */
  location: maybe(Schema.Struct({ lat: latitude, lng: longitude })),
})

const OrderItems = Schema.Array(
  Schema.Struct({
    name: text({ max: ITEM_NAME_LENGTH_MAX }),
    quantity: loggable(Schema.Number).pipe(Schema.int(), Schema.between(1, ITEM_QUANTITY_MAX)),
  }),
).pipe(
  Schema.filter(
    (items) =>
      (items.length >= 1 && items.length <= ORDER_ITEMS_MAX) || `must hold 1 to ${ORDER_ITEMS_MAX} items`,
  ),
  Schema.annotations({ jsonSchema: { minItems: 1, maxItems: ORDER_ITEMS_MAX } }),
)

export const QuoteRequest = Schema.Struct({
  external_delivery_id: ExternalDeliveryId,
  customer: Schema.Struct({ phone: Phone, ...names }),
  delivery_address: DeliveryAddressRequest,
  /** When present, the address is not geocoded. */
  delivery_location: maybe(Schema.Struct({ latitude, longitude })),
  ready_by: Instant,
  order_items: OrderItems,
  pickup_instructions: maybe(text({ min: 0, max: PICKUP_INSTRUCTIONS_LENGTH_MAX })),
})

export type QuoteRequest = typeof QuoteRequest.Type

/** Names and e-mail given here replace those of the quote; the phone number must equal the quote's. */
export const CreateDeliveryRequest = Schema.Struct({
  external_delivery_id: ExternalDeliveryId,
  customer: maybe(Schema.Struct({ phone: maybe(Phone), ...names })),
})

export type CreateDeliveryRequest = typeof CreateDeliveryRequest.Type

export const CancelDeliveryRequest = Schema.Struct({
  status: Schema.Literal("CANCELLED"),
  cancellation_reason: maybe(text({ min: 0, max: CANCEL_REASON_LENGTH_MAX })),
})

export type CancelDeliveryRequest = typeof CancelDeliveryRequest.Type

/** Filters of a list. The bounds of the creation time are exclusive. */
export const ListDeliveriesRequest = Schema.Struct({
  status: Schema.optional(Schema.Array(Schema.Literal(...DELIVERY_STATUSES))),
  created_after: Schema.optional(Instant),
  created_before: Schema.optional(Instant),
  limit: Schema.optional(Schema.Number.pipe(Schema.int(), Schema.between(1, PAGE_SIZE_MAX))),
  cursor: Schema.optional(Schema.String),
})

export type ListDeliveriesRequest = typeof ListDeliveriesRequest.Type

/** One position fix, and the state of the vehicle's load. */
export const Fix = Schema.Struct({
  latitude,
  longitude,
  recorded_at: Instant,
  speed_mps: maybe(Schema.Number.pipe(Schema.between(0, 100))),
  load: maybe(Schema.Literal(...LOAD_REPORTS)),
  /** The id of its next delivery, once that order is on board beside the one that it delivers first. */
  also_on_board: maybe(text({ max: EXTERNAL_ID_LENGTH_MAX })),
  /** Charge of the vehicle's battery, in percent. */
  battery_percent: maybe(Schema.Number.pipe(Schema.between(0, 100))),
  /** The vehicle's own counter: of two fixes with one instant, the higher counter is later. */
  sequence: maybe(Schema.Number.pipe(Schema.int(), Schema.nonNegative())),
})

export type Fix = typeof Fix.Type

/** Fixes in any order; the service sorts them by recording time. */
export const TelemetryRequest = Schema.Array(Fix).pipe(
  Schema.filter(
    (fixes) =>
      (fixes.length >= 1 && fixes.length <= FIXES_PER_REPORT_MAX) ||
      `must hold 1 to ${FIXES_PER_REPORT_MAX} fixes`,
  ),
  Schema.annotations({ jsonSchema: { minItems: 1, maxItems: FIXES_PER_REPORT_MAX } }),
)

export type TelemetryRequest = typeof TelemetryRequest.Type

const REPORTED = Object.keys(DELIVERY_EVENT_BY_STATUS) as ReportedStatus[]

/** A delivery status that a supervisor at the site reports. */
export const SupervisorRequest = Schema.Struct({ status: Schema.Literal(...REPORTED) })

export type SupervisorRequest = typeof SupervisorRequest.Type

/** A text message from a customer. */
export const InboundSmsRequest = Schema.Struct({
  from: Phone,
  text: text({ min: 0, max: SMS_REPLY_LENGTH_MAX }),
})

const Events = Schema.Array(Schema.Literal(...PICKUP_EVENT_TYPES)).pipe(
  Schema.filter(
    (events) =>
      (events.length >= 1 && new Set(events).size === events.length) ||
      `must name 1 to 2 distinct event types of ${PICKUP_EVENT_TYPES.join(", ")}`,
  ),
  Schema.annotations({
    jsonSchema: { minItems: 1, maxItems: PICKUP_EVENT_TYPES.length, uniqueItems: true },
  }),
)

export const RegisterPickupWebhookRequest = Schema.Struct({
  url: text({ max: URL_LENGTH_MAX }),
  events: Events,
})

export type RegisterPickupWebhookRequest = typeof RegisterPickupWebhookRequest.Type

export const ChangePickupWebhookRequest = Schema.Struct({
  url: Schema.optional(text({ max: URL_LENGTH_MAX })),
  events: Schema.optional(Events),
  is_active: Schema.optional(Schema.Boolean),
  rotate_secret: Schema.optional(Schema.Boolean),
}).pipe(
  Schema.filter(
    (change) =>
      Object.values(change).some((value) => value !== undefined) ||
      "must hold url, events, is_active or rotate_secret",
  ),
  Schema.annotations(rules(holdsOneOf(["url", "events", "is_active", "rotate_secret"]))),
)

export type ChangePickupWebhookRequest = typeof ChangePickupWebhookRequest.Type

/** A page of the webhook deliveries of one endpoint. */
export const ListWebhookDeliveriesRequest = Schema.Struct({
  limit: ListDeliveriesRequest.fields.limit,
  cursor: ListDeliveriesRequest.fields.cursor,
})

export type ListWebhookDeliveriesRequest = typeof ListWebhookDeliveriesRequest.Type
