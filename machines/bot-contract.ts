/** Contract of the bot. */

import { Schema } from "effect"
import { Flag, Moment, optional } from "../src/model/event-fields.ts"
import { RepeatReply, machineContract, noFields } from "../src/model/machine-contract.ts"

/** One report. An absent `etaMs` keeps the estimate, null clears it. */
const report = Schema.Struct({
  occurredAtMs: Moment,
  etaMs: optional(Schema.NullOr(Moment)),
  /** True when the sandbox advance made this report. No open link is called for it. */
  isWalked: optional(Flag),
})

export const botContract = machineContract({
  input: Schema.Struct({ hasRunner: Schema.Boolean }),
  events: {
    "bot.inbound": report,
    "bot.arrived": report,
    "bot.ready": report,
    "bot.secured": report,
    "bot.departed": report,
    "bot.aborted": report,
    "reservation.ended": noFields,
  },
  reply: RepeatReply,
})
