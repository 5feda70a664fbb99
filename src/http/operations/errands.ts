/** `/internal/v1/connector/errands`: what only operations may do with a courier errand. The production host alone has it. */

import { Effect, Schema } from "effect"
import { FAILURE_REASONS } from "../../model/courier.ts"
import { CourierOperations } from "../../services/courier/courier-operations.ts"
import type { ErrandRecord } from "../../services/courier/courier-operations.ts"
import { decodeBody } from "../endpoint.ts"
import type { Answer } from "../endpoint.ts"
import type { OperatorEndpoint } from "./endpoint.ts"

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
  }).annotations({ identifier: "Errand", description: "How far a courier errand is. It names nobody." }),
})

const answered = (errand: ErrandRecord): Answer => ({ status: 200, data: { errand } })

const readErrand: OperatorEndpoint<CourierOperations> = {
  method: "GET",
  path: PATH,
  operationId: "readErrand",
  summary: "How far an errand is, and what became of its fee",
  parameters: [],
  body: null,
  answers: { 200: OneErrand },
  errors: ["DELIVERY_NOT_FOUND"],
  handle: ({ id }) => Effect.flatMap(CourierOperations, (errands) => Effect.map(errands.show(id), answered)),
}

const failErrand: OperatorEndpoint<CourierOperations> = {
  method: "POST",
  path: `${PATH}/failure`,
  operationId: "failErrand",
  summary: "End a booked errand that does not reach the door; the fee stays unless it is refunded",
  parameters: [],
  body: FailureRequest,
  answers: { 200: OneErrand },
  errors: ["VALIDATION_ERROR", "DELIVERY_NOT_FOUND", "INVALID_STATE"],
  handle: ({ id, body }) =>
    Effect.gen(function* () {
      const { reason, refund: refunds = false } = yield* decodeBody(FailureRequest, body)
      return answered(yield* (yield* CourierOperations).fail(id, { reason, refunds }))
    }),
}

const refundErrand: OperatorEndpoint<CourierOperations> = {
  method: "POST",
  path: `${PATH}/refund`,
  operationId: "refundErrand",
  summary: "Give the fee of a failed errand back; again is fine",
  parameters: [],
  body: null,
  answers: { 200: OneErrand },
  errors: ["DELIVERY_NOT_FOUND", "INVALID_STATE"],
  handle: ({ id }) =>
    Effect.flatMap(CourierOperations, (errands) => Effect.map(errands.refund(id), answered)),
}

export const errands = [readErrand, failErrand, refundErrand]
