/** Contract of the webhook endpoint. */

import { Schema } from "effect"
import { RepeatReply, machineContract, noFields } from "../src/model/machine-contract.ts"

export const webhookEndpointContract = machineContract({
  input: Schema.Struct({ failuresMax: Schema.Number }),
  events: {
    "attempt.failed": noFields,
    "attempt.succeeded": noFields,
    "endpoint.removed": noFields,
    "endpoint.switched_off": noFields,
    "endpoint.switched_on": noFields,
  },
  reply: RepeatReply,
  publishes: { "webhook.disabled": Schema.Struct({ reason: Schema.Literal("consecutive_failures") }) },
})
