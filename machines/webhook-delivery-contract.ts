/** Contracts of the webhook delivery. */

import { Schema } from "effect"
import { callLost, callQueue, callResults } from "../src/model/call-result.ts"
import { optional } from "../src/model/event-fields.ts"
import { machineContract } from "../src/model/machine-contract.ts"

const sending = {
  endpointId: Schema.String,
  eventId: Schema.String,
  attemptsMax: Schema.Number,
  backoffMs: Schema.Array(Schema.Number),
  leaseMs: Schema.Number,
  /** True when the endpoint's own actor counts its failures. */
  isCounted: optional(Schema.Literal(true)),
}

export const webhookDelivery1Contract = machineContract({
  input: Schema.Struct(sending),
  events: callResults,
})

export const webhookDeliveryContract = machineContract({
  input: Schema.Struct({ ...sending, resendsMax: Schema.Number }),
  events: { ...callResults, ...callLost, ...callQueue },
})
