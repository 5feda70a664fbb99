/** Requests of the reservations area, as schemas: one definition gives the type, the check and the JSON Schema. */

import { Schema } from "effect"
import { BOT_STATUSES } from "../bot.ts"
import { EXCEPTION_CODES } from "../handoff.ts"
import {
  BOT_LABEL_LENGTH_MAX,
  BOT_REASON_LENGTH_MAX,
  CANCEL_REASON_LENGTH_MAX,
  CATALOG_ID_LENGTH_MAX,
  END_USER_NAME_LENGTH_MAX,
  EXCEPTION_MESSAGE_LENGTH_MAX,
  IDEMPOTENCY_KEY_LENGTH_MAX,
  ORDER_NUMBER_LENGTH_MAX,
  PAGE_SIZE_MAX,
  PAYLOAD_MEASURE_MAX,
  PICKUP_REF_LENGTH_MAX,
  URL_LENGTH_MAX,
} from "../values/limits.ts"
import { RESERVATION_STATUSES } from "../reservation.ts"
import { KEEPS_NULLS } from "../values/null-fields.ts"
import { Instant, Phone, holdsOneOf, loggable, measure, rules, text } from "../values/schema.ts"
import { EVENT_TYPES } from "../webhook.ts"

const Dimensions = Schema.Struct({
  length: measure(PAYLOAD_MEASURE_MAX),
  width: measure(PAYLOAD_MEASURE_MAX),
  height: measure(PAYLOAD_MEASURE_MAX),
})

/** `max_weight_kg`, `max_dimensions_cm`, or both; kilograms and centimetres. */
const PayloadLimitRequest = Schema.Struct({
  max_weight_kg: Schema.optional(Schema.NullOr(measure(PAYLOAD_MEASURE_MAX))),
  max_dimensions_cm: Schema.optional(Schema.NullOr(Dimensions)),
}).pipe(
  Schema.filter(
    (limit) =>
      (limit.max_weight_kg ?? limit.max_dimensions_cm ?? null) !== null ||
      "must hold max_weight_kg or max_dimensions_cm",
  ),
  Schema.annotations(rules(holdsOneOf(["max_weight_kg", "max_dimensions_cm"]))),
)

export const CreateReservationRequest = Schema.Struct({
  zone_id: loggable(text({ max: CATALOG_ID_LENGTH_MAX })),
  retailer_id: loggable(text({ max: CATALOG_ID_LENGTH_MAX })),
  order_number: loggable(text({ max: ORDER_NUMBER_LENGTH_MAX })),
  end_user_name: text({ max: END_USER_NAME_LENGTH_MAX }),
  end_user_phone: Phone,
  arrival_window_start: Instant,
  arrival_window_end: Instant,
  open_link_url: text({ max: URL_LENGTH_MAX }),
  retailer_pickup_ref: Schema.optional(Schema.NullOr(text({ max: PICKUP_REF_LENGTH_MAX }))),
  payload_limit: Schema.optional(Schema.NullOr(PayloadLimitRequest)),
}).annotations({
  description:
    "The arrival window starts in the future and at most 24 hours ahead; its end is 5 to 120 minutes after its start.",
})

export type CreateReservationRequest = typeof CreateReservationRequest.Type

/** The idempotency key of a create request. */
export const IdempotencyKeyHeader = Schema.Struct({
  "Idempotency-Key": text({ max: IDEMPOTENCY_KEY_LENGTH_MAX }),
})

/** An empty reason counts as none. */
export const CancelRequest = Schema.Struct({
  reason: Schema.optional(text({ min: 0, max: CANCEL_REASON_LENGTH_MAX })),
})

/** The runner who takes a task. */
export const AssignRunnerRequest = Schema.Struct({ runner_id: text({ max: CATALOG_ID_LENGTH_MAX }) })

/** At least one bound; an absent one keeps its value. */
export const MoveWindowRequest = Schema.Struct({
  arrival_window_start: Schema.optional(Instant),
  arrival_window_end: Schema.optional(Instant),
}).pipe(
  Schema.filter(
    (window) =>
      window.arrival_window_start !== undefined ||
      window.arrival_window_end !== undefined ||
      "must hold arrival_window_start or arrival_window_end",
  ),
  Schema.annotations(rules(holdsOneOf(["arrival_window_start", "arrival_window_end"]))),
)

export type MoveWindowRequest = typeof MoveWindowRequest.Type

/** An absent `label` or `eta` keeps the value, null clears it. */
export const BotReportRequest = Schema.Struct({
  status: Schema.Literal(...BOT_STATUSES),
  label: Schema.optional(Schema.NullOr(text({ min: 0, max: BOT_LABEL_LENGTH_MAX }))),
  eta: Schema.optional(Schema.NullOr(Instant)),
  occurred_at: Schema.optional(Schema.NullOr(Instant)),
  reason: Schema.optional(Schema.NullOr(text({ min: 0, max: BOT_REASON_LENGTH_MAX }))),
}).annotations({
  description:
    "`eta` lies within 24 hours of now, either way; `occurred_at` at most 5 minutes in the future. `reason` goes with `ABORTED`.",
})

export type BotReportRequest = typeof BotReportRequest.Type

/**
 * An empty body takes the next step of the sandbox advance. With a `reason_code` that exception is raised instead.
 * Unknown fields are ignored only beside a `reason_code`: a body that misspells it, or has null in its place, must not take a
 * step, because steps cannot be undone.
 */
export const AdvanceRequest = Schema.Struct(
  {
    reason_code: Schema.optional(Schema.Literal(...EXCEPTION_CODES)),
    message: Schema.optional(Schema.NullOr(text({ max: EXCEPTION_MESSAGE_LENGTH_MAX }))),
  },
  Schema.Record({ key: Schema.String, value: Schema.Unknown }),
).pipe(
  Schema.annotations({ [KEEPS_NULLS]: true }),
  Schema.filter((body) =>
    Object.keys(body).length === 0 || body.reason_code !== undefined
      ? true
      : { path: ["reason_code"], message: "must be there, unless the body is empty" },
  ),
  Schema.annotations(rules({ not: { minProperties: 1, not: { required: ["reason_code"] } } })),
)

export type AdvanceRequest = Pick<typeof AdvanceRequest.Type, "reason_code" | "message">

export const MeasureRequest = Schema.Struct({
  weight_kg: Schema.optional(Schema.NullOr(measure(PAYLOAD_MEASURE_MAX * 10))),
  dimensions_cm: Schema.optional(
    Schema.NullOr(
      Schema.Struct({
        length: measure(PAYLOAD_MEASURE_MAX * 10),
        width: measure(PAYLOAD_MEASURE_MAX * 10),
        height: measure(PAYLOAD_MEASURE_MAX * 10),
      }),
    ),
  ),
})

export type MeasureRequest = typeof MeasureRequest.Type

const Events = Schema.Array(Schema.Literal(...EVENT_TYPES)).pipe(
  Schema.filter(
    (events) =>
      (events.length >= 1 && new Set(events).size === events.length) ||
      `must name 1 to 3 distinct event types of ${EVENT_TYPES.join(", ")}`,
  ),
  Schema.annotations({ jsonSchema: { minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true } }),
)

export const RegisterWebhookRequest = Schema.Struct({
  url: text({ max: URL_LENGTH_MAX }),
  subscribed_events: Events,
  is_active: Schema.optional(Schema.Boolean),
})

export type RegisterWebhookRequest = typeof RegisterWebhookRequest.Type

export const ChangeWebhookRequest = Schema.Struct({
  url: Schema.optional(text({ max: URL_LENGTH_MAX })),
  subscribed_events: Schema.optional(Events),
  is_active: Schema.optional(Schema.Boolean),
  rotate_secret: Schema.optional(Schema.Boolean),
}).pipe(
  Schema.filter(
    (change) =>
      change.url !== undefined ||
      change.subscribed_events !== undefined ||
      change.is_active !== undefined ||
      change.rotate_secret !== undefined ||
      "must hold url, subscribed_events, is_active or rotate_secret",
  ),
  Schema.annotations(rules(holdsOneOf(["url", "subscribed_events", "is_active", "rotate_secret"]))),
)

export type ChangeWebhookRequest = typeof ChangeWebhookRequest.Type

/** Filters of a list. The bounds apply to the arrival window's start and are half-open. */
export const ListReservationsRequest = Schema.Struct({
  status: Schema.optional(Schema.Array(Schema.Literal(...RESERVATION_STATUSES))),
  zone_id: Schema.optional(text({ max: CATALOG_ID_LENGTH_MAX })),
  retailer_id: Schema.optional(text({ max: CATALOG_ID_LENGTH_MAX })),
  order_number: Schema.optional(text({ max: ORDER_NUMBER_LENGTH_MAX })),
  arrival_from: Schema.optional(Instant),
  arrival_to: Schema.optional(Instant),
  limit: Schema.optional(Schema.Number.pipe(Schema.int(), Schema.between(1, PAGE_SIZE_MAX))),
  cursor: Schema.optional(Schema.String),
})

export type ListReservationsRequest = typeof ListReservationsRequest.Type
