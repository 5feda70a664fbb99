/**
 * `/internal/v1/connector/errands`: actions on courier errands that only operations may take. Only the production host
 * has it.
 */

import { Schema } from "effect"
import { CourierItem } from "../../../model/requests/courier-requests.ts"
import { FAILURE_REASONS } from "../../../model/courier.ts"
import { CourierOperations } from "../courier-operations.ts"
import type { CommandInput, CommandNoun } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"

const PATH = "/internal/v1/connector/errands/{id}"

const FailureRequest = Schema.Struct({
  reason: Schema.Literal(...FAILURE_REASONS),
  refund: Schema.optional(Schema.Boolean),
})

const OneErrand = Schema.Struct({
  errand: Schema.Struct({
    delivery_id: Schema.String,
    state: Schema.String,
    failure_reason: Schema.NullOr(Schema.Literal(...FAILURE_REASONS)),
    payment_status: Schema.String,
  }).annotations({
    identifier: "Errand",
    description: "The state of a courier errand, without names of people.",
  }),
})

const ERRANDS: CommandNoun = {
  word: "errands",
  description: "courier errands, which agents know as deliveries; the service must be running",
  isShared: true,
}
const ERRAND: CommandInput = [
  "id",
  "<delivery-id>",
  "as its agent knows it, such as dlv_ and 22 letters and digits",
]

const readErrand = operatorEndpoint({
  method: "GET",
  path: PATH,
  operationId: "readErrand",
  summary: "How far an errand is, and what became of its fee",
  answers: { 200: OneErrand },
  errors: ["DELIVERY_NOT_FOUND"],
  commands: [
    { noun: ERRANDS, verb: "show", description: "the state of an errand and of its fee", inputs: [ERRAND] },
  ],
  *handle({ id }) {
    return { errand: yield* (yield* CourierOperations).show(id) }
  },
})

const Text = Schema.NullOr(Schema.String)

const OneHandover = Schema.Struct({
  handover: Schema.Struct({
    delivery_id: Schema.String,
    state: Schema.String,
    store: Schema.Struct({
      name: Schema.String,
      street: Schema.String,
      city: Schema.String,
      zip: Schema.String,
    }),
    pickup_time: Text,
    ready_at: Text,
    order_number: Text,
    pickup_code: Text,
    items: Schema.Array(CourierItem),
    check_in: Schema.Struct({ method: Text, url: Text, phone: Text, instructions: Text }),
    requirements: Schema.Array(Schema.String),
    requirements_notes: Text,
    dropoff: Schema.Struct({
      street: Schema.String,
      unit: Text,
      city: Schema.String,
      zip: Schema.String,
      notes: Text,
    }),
    customer: Schema.NullOr(
      Schema.Struct({ first_name: Schema.String, last_name: Schema.String, phone: Text, email: Text }),
    ),
    notes: Schema.Array(Schema.String),
    cancel_reason: Text,
  }).annotations({
    identifier: "Handover",
    description: "What people at the curb and at the door have to know. It names people.",
  }),
})

const readHandover = operatorEndpoint({
  method: "GET",
  path: `${PATH}/handover`,
  operationId: "readErrandHandover",
  summary: "What people at the curb and at the door have to know of an errand",
  answers: { 200: OneHandover },
  errors: ["DELIVERY_NOT_FOUND"],
  commands: [
    {
      noun: ERRANDS,
      verb: "handover",
      description: "what people at the curb and at the door need to know; contains names",
      inputs: [ERRAND],
    },
  ],
  *handle({ id }) {
    return { handover: yield* (yield* CourierOperations).handover(id) }
  },
})

const failErrand = operatorEndpoint({
  method: "POST",
  path: `${PATH}/failure`,
  operationId: "failErrand",
  summary: "End a booked errand that does not reach the door; the fee stays unless it is refunded",
  body: FailureRequest,
  answers: { 200: OneErrand },
  errors: ["DELIVERY_NOT_FOUND", "INVALID_STATE"],
  commands: [
    {
      noun: ERRANDS,
      verb: "fail",
      description: "end a booked errand that does not reach the door; --refund gives the fee back",
      inputs: [ERRAND, ["reason", "--reason <word>", "why"], ["refund", "--refund", "give the fee back"]],
    },
  ],
  *handle({ id }, sent) {
    const { reason, refund: refunds = false } = yield* sent
    return { errand: yield* (yield* CourierOperations).fail(id, { reason, refunds }) }
  },
})

const refundErrand = operatorEndpoint({
  method: "POST",
  path: `${PATH}/refund`,
  operationId: "refundErrand",
  summary:
    "Give the fee of a failed errand back, or ask again for one that the processor kept; safe to repeat",
  answers: { 200: OneErrand },
  errors: ["DELIVERY_NOT_FOUND", "INVALID_STATE"],
  commands: [
    {
      noun: ERRANDS,
      verb: "refund",
      description: "refund the fee of a failed errand, or one that the processor kept; safe to repeat",
      inputs: [ERRAND],
    },
  ],
  *handle({ id }) {
    return { errand: yield* (yield* CourierOperations).refund(id) }
  },
})

export const errands = [readErrand, readHandover, failErrand, refundErrand]
