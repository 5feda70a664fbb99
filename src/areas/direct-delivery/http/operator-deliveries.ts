/** Operations' actions on the runs of direct deliveries. Source: production moves. */

import { Effect, Schema } from "effect"
import { SupervisorRequest } from "../../../model/delivery-requests.ts"
import { CATALOG_ID_LENGTH_MAX } from "../../../model/limits.ts"
import { text } from "../../../model/schema.ts"
import { DeliveryOperations } from "../delivery-operations.ts"
import { Delivery } from "./schemas.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"

const ReassignRequest = Schema.Struct({ vehicle_id: text({ max: CATALOG_ID_LENGTH_MAX }) })
const Run = Schema.Struct({
  delivery_id: Schema.String,
  external_delivery_id: Schema.String,
  status: Schema.String,
  vehicle_id: Schema.String,
})

const listRuns: OperatorEndpoint<DeliveryOperations> = {
  method: "GET",
  path: "/internal/v1/sites/{id}/deliveries",
  operationId: "listRuns",
  summary: "A site's deliveries that have not ended, newest first, and who carries them",
  parameters: [],
  body: null,
  answers: { 200: Schema.Struct({ deliveries: Schema.Array(Run) }) },
  errors: ["NOT_FOUND"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryOperations
      const runs = yield* deliveries.runs(caller, id)
      return {
        status: 200,
        data: {
          deliveries: runs.map(({ deliveryId, externalDeliveryId, status, vehicleId }) => ({
            delivery_id: deliveryId,
            external_delivery_id: externalDeliveryId,
            status,
            vehicle_id: vehicleId,
          })),
        },
      }
    }),
}

const supervise: OperatorEndpoint<DeliveryOperations> = {
  method: "POST",
  path: "/internal/v1/deliveries/{id}/status",
  operationId: "superviseDelivery",
  summary: "A later status, as people at the site see it; what lies between is passed through",
  parameters: [],
  body: SupervisorRequest,
  answers: { 200: Schema.Struct({ delivery: Delivery }) },
  errors: ["VALIDATION_ERROR", "DELIVERY_NOT_FOUND", "INVALID_STATE"],
  handle: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(SupervisorRequest, body)
      const deliveries = yield* DeliveryOperations
      return { status: 200, data: { delivery: yield* deliveries.supervise(caller, id, request) } }
    }),
}

const reassign: OperatorEndpoint<DeliveryOperations> = {
  method: "PUT",
  path: "/internal/v1/deliveries/{id}/vehicle",
  operationId: "reassignDelivery",
  summary: "Give a run to another vehicle of its fleet; its times move",
  parameters: [],
  body: ReassignRequest,
  answers: { 200: Schema.Struct({ delivery: Delivery }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "DELIVERY_NOT_FOUND", "INVALID_STATE", "NO_CAPACITY"],
  handle: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const { vehicle_id } = yield* decodeBody(ReassignRequest, body)
      const deliveries = yield* DeliveryOperations
      return { status: 200, data: { delivery: yield* deliveries.reassign(caller, id, vehicle_id) } }
    }),
}

export const deliveries = [listRuns, supervise, reassign]
