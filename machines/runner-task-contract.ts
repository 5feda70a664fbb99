/** Contract of the runner task. */

import { Schema } from "effect"
import { Flag, Id, Measured, Moment, choice, optional } from "../src/model/event-fields.ts"
import { EXCEPTION_CODES, MILESTONES } from "../src/model/handoff.ts"
import { RepeatReply, machineContract, noFields } from "../src/model/machine-contract.ts"
import { PayloadLimit } from "../src/model/payload-limit.ts"
import { ReservationPolicy } from "../src/model/reservation.ts"

/** True when the sandbox advance took this step. No open link is called for it. */
const walked = Schema.Struct({ isWalked: optional(Flag) })
const exception = Schema.Struct({ code: choice(EXCEPTION_CODES) })

export const runnerTaskContract = machineContract({
  input: Schema.Struct({
    windowStartsAtMs: Schema.Number,
    windowEndsAtMs: Schema.Number,
    payloadLimit: Schema.NullOr(PayloadLimit),
    policy: ReservationPolicy,
  }),
  events: {
    "bot.inbound": walked,
    "bot.arrived": walked,
    "bot.ready": walked,
    "bot.secured": walked,
    "bot.departed": walked,
    "bot.aborted": walked,
    "bot.eta_changed": Schema.Struct({ etaMs: Schema.NullOr(Moment) }),
    "exception.cleared": exception,
    "exception.raised": exception,
    "load.recorded": Schema.Struct({ photoId: Schema.NullOr(Id) }),
    "open_link.failed": noFields,
    "open_link.opened": noFields,
    "open_link.retried": noFields,
    "order.given_up": noFields,
    "order.in_hand": noFields,
    "order.not_ready": Schema.Struct({ readyEstimateAtMs: Schema.NullOr(Moment) }),
    "order.ready": noFields,
    "payload.measured": Schema.Struct({ measure: Measured }),
    "reservation.ended": noFields,
    "runner.assigned": Schema.Struct({ runnerId: Schema.NullOr(Id) }),
    "runner.at_store": noFields,
    "runner.at_unit": walked,
    "window.moved": Schema.Struct({ startsAtMs: Moment, endsAtMs: Moment }),
  },
  reply: Schema.Struct({ ...RepeatReply.fields, fits: optional(Schema.Literal(true)) }),
  publishes: {
    "reservation.handoff_updated": Schema.Struct({ milestone: Schema.Literal(...MILESTONES) }),
    "reservation.exception": Schema.Struct({
      reason_code: Schema.Literal(...EXCEPTION_CODES),
      occurred_at_ms: Schema.Number,
    }),
  },
})
