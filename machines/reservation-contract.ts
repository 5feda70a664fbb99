/** Contract of the reservation. */

import { Schema } from "effect"
import { Moment, choice, optional } from "../src/model/event-fields.ts"
import { Refusal, RepeatReply, machineContract, noFields } from "../src/model/machine-contract.ts"
import { PayloadLimit } from "../src/model/payload-limit.ts"
import { CANCELERS, RESERVATION_STATUSES, ReservationPolicy, WindowLimits } from "../src/model/reservation.ts"

const StallLoad = Schema.Struct({
  stallId: Schema.String,
  label: Schema.NullOr(Schema.String),
  overlapping: Schema.Number,
})

/** An active stall, and how many open reservations at it overlap the window. */
export type StallLoad = typeof StallLoad.Type

/** What a booking reads outside the group. */
const BookingFacts = Schema.Struct({
  zone: Schema.Literal("known", "unknown"),
  retailer: Schema.Literal("supported", "unsupported"),
  limits: WindowLimits,
  openLinkText: Schema.Literal("fine", "refused"),
  openLinkHost: Schema.Literal("public", "refused", "unavailable"),
  stalls: Schema.Array(StallLoad),
})

export const reservationContract = machineContract({
  input: Schema.Struct({
    zoneId: Schema.String,
    retailerId: Schema.String,
    startsAtMs: Schema.Number,
    endsAtMs: Schema.Number,
    payloadLimit: Schema.NullOr(PayloadLimit),
    /** False in a zone without runner service, where a reservation has no runner task. */
    hasRunner: Schema.Boolean,
    policy: ReservationPolicy,
  }),
  events: {
    "bot.arrived": noFields,
    "bot.departed": noFields,
    "cancel.requested": Schema.Struct({ by: choice(CANCELERS.filter((by) => by !== "system")) }),
    "order.loaded": noFields,
    "parts.ended": noFields,
    "window.moved": Schema.Struct({ startsAtMs: Moment, endsAtMs: Moment }),
  },
  reply: RepeatReply,
  publishes: {
    "reservation.status_changed": Schema.Struct({
      previous_status: Schema.NullOr(Schema.Literal(...RESERVATION_STATUSES)),
    }),
  },
  decisions: {
    "book@1": {
      about: ["@start"],
      facts: BookingFacts,
      result: Schema.Union(Refusal, Schema.Struct({ stallId: Schema.String })),
    },
    "move-window@1": {
      about: ["window.moved"],
      facts: Schema.Struct({ limits: WindowLimits }),
      /** The requested bounds, and the code of the rule that they break. */
      result: Schema.Struct({
        startsAtMs: Schema.Number,
        endsAtMs: Schema.Number,
        refusal: optional(Refusal.fields.refusal),
      }),
    },
  },
})
