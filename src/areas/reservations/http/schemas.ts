/** Answers that several resources share, as schemas. Source: reservations contract, resources and their fields. */

import { Schema } from "effect"
import { BOT_STATUSES } from "../../../model/bot.ts"
import { HANDOFF_STATUSES } from "../../../model/handoff.ts"
import { CANCELERS, RESERVATION_STATUSES } from "../../../model/reservation.ts"
import { DateTime, LoggedNumber, LoggedText } from "../../../http/records/date-time.ts"

const DateTimeOrNull = Schema.NullOr(DateTime)
const Measure = LoggedNumber.annotations({
  jsonSchema: { type: "number", exclusiveMinimum: 0, maximum: 1_000 },
})

/** As it was sent. */
const PayloadLimit = Schema.Struct({
  max_weight_kg: Schema.optional(Schema.NullOr(Measure)),
  max_dimensions_cm: Schema.optional(
    Schema.NullOr(Schema.Struct({ length: Measure, width: Measure, height: Measure })),
  ),
}).annotations({ identifier: "PayloadLimit", description: "Kilograms and centimetres; at least one part." })

const Bot = Schema.Struct({
  status: Schema.Literal(...BOT_STATUSES),
  label: Schema.NullOr(Schema.String),
  eta: DateTimeOrNull,
  asserted_at: DateTimeOrNull,
}).annotations({ identifier: "Bot", description: "The bot as it last reported itself." })

const Handoff = Schema.Struct({
  status: Schema.Literal(...HANDOFF_STATUSES),
  task_started_at: DateTimeOrNull,
  order_in_hand_at: DateTimeOrNull,
  runner_at_unit_at: DateTimeOrNull,
  handoff_completed_at: DateTimeOrNull,
  ready_estimate: DateTimeOrNull,
  load_photo_url: Schema.NullOr(Schema.String),
  load_photo_skipped: Schema.NullOr(Schema.Boolean),
  runner_delay_seconds: Schema.NullOr(
    LoggedNumber.annotations({ jsonSchema: { type: "integer", minimum: 1 } }),
  ),
}).annotations({ identifier: "Handoff", description: "What the runner task shows of itself." })

export const Reservation = Schema.Struct({
  reservation_id: LoggedText,
  status: Schema.Literal(...RESERVATION_STATUSES),
  zone_id: LoggedText,
  stall_id: LoggedText,
  stall_label: Schema.NullOr(LoggedText),
  retailer_id: LoggedText,
  order_number: LoggedText,
  end_user_name: Schema.String,
  end_user_phone: Schema.String,
  arrival_window_start: DateTime,
  arrival_window_end: DateTime,
  open_link_url: Schema.String,
  canceled_by: Schema.NullOr(Schema.Literal(...CANCELERS)),
  cancel_reason: Schema.NullOr(Schema.String),
  retailer_pickup_ref: Schema.NullOr(Schema.String),
  payload_limit: Schema.NullOr(PayloadLimit),
  bot: Schema.NullOr(Bot),
  handoff: Schema.NullOr(Handoff),
  created_at: DateTime,
  updated_at: DateTime,
}).annotations({ identifier: "Reservation", description: "One arrival window at one stall." })

/** `data` of most answers of this API. */
export const OneReservation = Schema.Struct({ reservation: Reservation })
