/** Answers that several resources share, as schemas. Source: direct delivery contract, resources and their fields. */

import { Schema } from "effect"
import { DateTime, LoggedNumber, LoggedText } from "../../../http/records/date-time.ts"
import { EARLIEST_AT } from "../../../http/openapi.ts"
import { DELIVERY_STATUSES, UNAVAILABLE_REASONS } from "../../../model/delivery.ts"

const DateTimeOrNull = Schema.NullOr(DateTime)
const TextOrNull = Schema.NullOr(Schema.String)
const Cents = LoggedNumber.annotations({ jsonSchema: { type: "integer", minimum: 0 } })

export const Quote = Schema.Struct({
  external_delivery_id: LoggedText,
  available: Schema.Boolean,
  pickup_eta: DateTimeOrNull,
  delivery_eta: DateTimeOrNull,
  delivery_fee_cents: Schema.NullOr(Cents),
  currency: Schema.NullOr(LoggedText),
  expires_at: DateTime,
  unavailable_reason: Schema.NullOr(Schema.Literal(...UNAVAILABLE_REASONS)),
  earliest_at: DateTimeOrNull.annotations({
    description: `Of a quote with \`NO_CAPACITY\`: ${EARLIEST_AT} Null for every other quote.`,
  }),
}).annotations({ identifier: "Quote", description: "Terms that hold until `expires_at`." })

export const Delivery = Schema.Struct({
  external_delivery_id: LoggedText,
  status: Schema.Literal(...DELIVERY_STATUSES),
  pickup_eta: DateTime.annotations({ description: "As quoted; it does not change." }),
  delivery_eta: DateTime.annotations({ description: "As quoted; it does not change." }),
  estimated_pickup_at: DateTimeOrNull.annotations({
    description:
      "As it looks by now, from the vehicle's position and the runs before; null once the order is on board.",
  }),
  estimated_delivery_at: DateTimeOrNull.annotations({
    description: "As it looks by now, from the vehicle's position and the runs before; null after the end.",
  }),
  delivery_fee_cents: Cents,
  currency: LoggedText,
  ready_by: DateTime,
  customer: Schema.Struct({
    first_name: TextOrNull,
    last_name: TextOrNull,
    email: TextOrNull,
    phone: Schema.String,
  }),
  delivery_address: Schema.Struct({
    street: Schema.String,
    city: Schema.String,
    state: Schema.String,
    zip: Schema.String,
    unit: TextOrNull,
  }),
  delivery_location: Schema.Struct({ latitude: Schema.Number, longitude: Schema.Number }),
  order_items: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      quantity: LoggedNumber.annotations({ jsonSchema: { type: "integer", minimum: 1 } }),
    }),
  ),
  pickup_instructions: TextOrNull,
  tracking_url: TextOrNull,
  cancellation_reason: TextOrNull,
  cancelled_at: DateTimeOrNull,
  completed_at: DateTimeOrNull,
  created_at: DateTime,
  updated_at: DateTime,
}).annotations({ identifier: "Delivery", description: "One order on its way from a site to a customer." })

/** Goes beside the `data` of a list. */
export const Pagination = Schema.Struct({
  next_cursor: Schema.NullOr(LoggedText),
  has_more: Schema.Boolean,
})
