/** Operations' actions on the runs of direct deliveries. Source: production moves. */

import { Schema } from "effect"
import { SupervisorRequest } from "../../../model/requests/delivery-requests.ts"
import { CancelDeliveryByOperatorRequest } from "../../../model/requests/operations-requests.ts"
import { CATALOG_ID_LENGTH_MAX } from "../../../model/values/limits.ts"
import { text } from "../../../model/values/schema.ts"
import { DeliveryOperations } from "../delivery-operations.ts"
import { Delivery } from "./schemas.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"

const ReassignRequest = Schema.Struct({ vehicle_id: text({ max: CATALOG_ID_LENGTH_MAX }) })
const Run = Schema.Struct({
  delivery_id: Schema.String,
  external_delivery_id: Schema.String,
  status: Schema.String,
  vehicle_id: Schema.String,
})

const listRuns = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/sites/{id}/deliveries",
  operationId: "listRuns",
  summary: "A site's deliveries that have not ended, newest first, and who carries them",
  answers: { 200: Schema.Struct({ deliveries: Schema.Array(Run) }) },
  errors: ["NOT_FOUND"],
  *handle({ caller, id }) {
    const deliveries = yield* DeliveryOperations
    const runs = yield* deliveries.runs(caller, id)
    return {
      deliveries: runs.map(({ deliveryId, externalDeliveryId, status, vehicleId }) => ({
        delivery_id: deliveryId,
        external_delivery_id: externalDeliveryId,
        status,
        vehicle_id: vehicleId,
      })),
    }
  },
})

const contact = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/deliveries/{id}/contact",
  operationId: "showDeliveryContact",
  summary: "The customer's name and phone number; who looked is in the audit log",
  answers: {
    200: Schema.Struct({
      contact: Schema.Struct({ end_user_name: Schema.String, end_user_phone: Schema.String }),
    }),
  },
  errors: ["DELIVERY_NOT_FOUND"],
  *handle({ caller, id }) {
    const { first_name, last_name, phone } = yield* (yield* DeliveryOperations).contact(caller, id)
    const name = [first_name, last_name].filter(Boolean).join(" ")
    return { contact: { end_user_name: name, end_user_phone: phone } }
  },
})

const cancel = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/deliveries/{id}/cancel",
  operationId: "cancelDeliveryForOperations",
  summary: "Cancel in the name of operations, at any status before the end; a repeat changes nothing",
  body: CancelDeliveryByOperatorRequest,
  isBodyOptional: true,
  answers: { 200: Schema.Struct({ delivery: Delivery }) },
  errors: ["DELIVERY_NOT_FOUND", "INVALID_STATE"],
  *handle({ caller, id }, sent) {
    const { reason } = yield* sent
    const deliveries = yield* DeliveryOperations
    return { delivery: yield* deliveries.cancel(caller, id, reason ?? null) }
  },
})

const supervise = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/deliveries/{id}/status",
  operationId: "superviseDelivery",
  summary: "A later status, as people at the site see it; what lies between is passed through",
  body: SupervisorRequest,
  answers: { 200: Schema.Struct({ delivery: Delivery }) },
  errors: ["DELIVERY_NOT_FOUND", "INVALID_STATE"],
  *handle({ caller, id }, sent) {
    const request = yield* sent
    const deliveries = yield* DeliveryOperations
    return { delivery: yield* deliveries.supervise(caller, id, request) }
  },
})

const reassign = operatorEndpoint({
  method: "PUT",
  path: "/internal/v1/deliveries/{id}/vehicle",
  operationId: "reassignDelivery",
  summary: "Give a run to another vehicle of its fleet; its times move",
  body: ReassignRequest,
  answers: { 200: Schema.Struct({ delivery: Delivery }) },
  errors: ["NOT_FOUND", "DELIVERY_NOT_FOUND", "INVALID_STATE", "NO_CAPACITY"],
  *handle({ caller, id }, sent) {
    const { vehicle_id } = yield* sent
    const deliveries = yield* DeliveryOperations
    return { delivery: yield* deliveries.reassign(caller, id, vehicle_id) }
  },
})

export const deliveries = [listRuns, contact, cancel, supervise, reassign]
