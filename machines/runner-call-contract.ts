/** Contract of a call to the runners of a site. */

import { Schema } from "effect"
import { Id } from "../src/model/event-fields.ts"
import { RepeatReply, machineContract, noFields } from "../src/model/machine-contract.ts"

export const runnerCallContract = machineContract({
  input: Schema.Struct({
    siteId: Schema.String,
    /** The task that it is about; null: none. */
    reservationId: Schema.NullOr(Schema.String),
    /** How long it rings. */
    ringMs: Schema.Number,
  }),
  events: {
    "operator.withdrew": noFields,
    "runner.answered": Schema.Struct({ runnerId: Id }),
  },
  reply: RepeatReply,
  notByHand: { "runner.answered": "a runner's phone answers in the name of its runner" },
})
