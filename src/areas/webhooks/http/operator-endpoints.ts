/** `/internal/v1/webhook-endpoints`: operations switch an endpoint on again. Their list is in `apps/operations/http/lists.ts`. */

import { Schema } from "effect"
import { SwitchEndpointOnRequest } from "../../../model/requests/operations-lists.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import { EndpointOperations } from "../endpoint-operations.ts"

const switchOn = operatorEndpoint({
  method: "PATCH",
  path: "/internal/v1/webhook-endpoints/{id}",
  operationId: "switchEndpointOn",
  summary: "Switch an endpoint on: it gets events from now on, and its failures are counted from 0",
  body: SwitchEndpointOnRequest,
  answers: { 200: Schema.Struct({ webhook_id: Schema.String, is_active: Schema.Boolean }) },
  errors: ["NOT_FOUND"],
  *handle({ caller, id }, sent) {
    yield* sent
    const { webhookId, isActive } = yield* (yield* EndpointOperations).switchOn(caller, id)
    return { webhook_id: webhookId, is_active: isActive }
  },
})

export const endpointOperations = [switchOn]
