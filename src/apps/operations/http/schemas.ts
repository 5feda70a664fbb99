/** Answers for runners and operations, as schemas. */

import { Schema } from "effect"
import { EXCEPTION_CODES, HANDOFF_STATUSES } from "../../../model/handoff.ts"
import { RESERVATION_STATUSES } from "../../../model/reservation.ts"
import { HAPPY_MOVES, RUNNER_MOVES } from "../../../model/requests/runner-moves.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { Reservation } from "../../../areas/reservations/http/schemas.ts"

const TextOrNull = Schema.NullOr(Schema.String)

const AllowedMove = Schema.Struct({
  move: Schema.Literal(...RUNNER_MOVES),
  handoff_status: Schema.NullOr(Schema.Literal(...HANDOFF_STATUSES)),
  reservation_status: Schema.NullOr(Schema.Literal(...RESERVATION_STATUSES)),
}).annotations({
  identifier: "AllowedMove",
  description:
    "The last segment of a command's path, and the statuses after it; null when they depend on what the command says.",
})

/** The partner's record without phone number and open link, and the fields that a runner needs. */
export const BoardReservation = Schema.Struct({
  ...Reservation.omit("end_user_phone", "open_link_url").fields,
  site_id: TextOrNull,
  retailer_name: TextOrNull,
  retailer_support_phone: TextOrNull,
  pickup_requirements: TextOrNull,
  pickup_reference: Schema.String,
  staging_at: Schema.NullOr(DateTime),
  runner_id: TextOrNull,
  open_exceptions: Schema.Array(Schema.Literal(...EXCEPTION_CODES)),
  is_order_returning: Schema.NullOr(Schema.Boolean),
  next_move: Schema.NullOr(Schema.Literal(...HAPPY_MOVES)),
  moves: Schema.Array(AllowedMove),
  raisable_exceptions: Schema.Array(Schema.Literal(...EXCEPTION_CODES)),
}).annotations({
  identifier: "BoardReservation",
  description: "A reservation as the runner application shows it.",
})

export const OneBoardReservation = Schema.Struct({ reservation: BoardReservation })
