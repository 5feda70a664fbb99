/** `/dd/v1/webhooks/{id}/…`: the log of events sent to an endpoint, sending one again, and a test event. */

import { Effect, Schema } from "effect"
import { ListWebhookDeliveriesRequest } from "../../../model/requests/delivery-requests.ts"
import { isoMs } from "../../../model/values/time.ts"
import { PICKUP_EVENT_TYPES, TEST_EVENT_TYPE } from "../../../model/webhook.ts"
import { WebhookLog } from "../../webhooks/webhook-log.ts"
import type { DeliveryLine } from "../../webhooks/webhook-log.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { Query } from "../../../http/endpoint.ts"
import { listParameters } from "../../../http/pages.ts"
import { DateTime, LoggedNumber, LoggedText } from "../../../http/records/date-time.ts"
import { Pagination } from "./schemas.ts"
import type { OfOrganization } from "./site-header.ts"

export const PickupWebhookLine = Schema.Struct({
  delivery_id: LoggedText.annotations({ description: "As sent in `X-Service-Delivery-Id`." }),
  event: Schema.Literal(...PICKUP_EVENT_TYPES, TEST_EVENT_TYPE),
  external_delivery_id: Schema.NullOr(LoggedText),
  is_redelivery: Schema.Boolean,
  state: Schema.NullOr(Schema.Literal("sending", "queued", "waiting", "delivered", "dropped", "discarded")),
  attempts: LoggedNumber.annotations({ jsonSchema: { type: "integer", minimum: 0 } }),
  created_at: DateTime,
}).annotations({ identifier: "WebhookDelivery", description: "One event on its way to one endpoint." })

const offered = { permission: "webhooks:manage", needsSite: false, budget: "requests", body: null } as const

const page = listParameters(ListWebhookDeliveriesRequest.fields)

/** The parameters of a page of a log. */
export const pageParameters = {
  parameters: page,
  read: (query: Query) => decodeQuery(ListWebhookDeliveriesRequest, query, page),
}

const list: OfOrganization<WebhookLog> = {
  ...offered,
  method: "GET",
  path: "/dd/v1/webhooks/{id}/deliveries",
  operationId: "listWebhookDeliveries",
  summary: "What was sent to the endpoint and what became of it, newest first, for 30 days",
  parameters: pageParameters.parameters,
  answers: { 200: Schema.Array(PickupWebhookLine) },
  beside: { pagination: Pagination },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
  handle: ({ caller, id, query }) =>
    Effect.gen(function* () {
      const log = yield* WebhookLog
      const { lines, nextCursor } = yield* log.page(caller, id, yield* pageParameters.read(query))
      const pagination = { next_cursor: nextCursor, has_more: nextCursor !== null }
      return { status: 200, data: lines.map(lineRecord), beside: { pagination } }
    }),
}

const redeliver: OfOrganization<WebhookLog> = {
  ...offered,
  method: "POST",
  path: "/dd/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver",
  operationId: "redeliverWebhook",
  summary: "Send an event again that has come to its end: the same bytes under the same delivery id",
  parameters: [],
  answers: { 202: PickupWebhookLine },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  handle: ({ caller, id, parts }) =>
    Effect.gen(function* () {
      const log = yield* WebhookLog
      return { status: 202, data: lineRecord(yield* log.redeliver(caller, id, parts["delivery_id"] ?? "")) }
    }),
}

const test: OfOrganization<WebhookLog> = {
  ...offered,
  method: "POST",
  path: "/dd/v1/webhooks/{id}/test",
  operationId: "testWebhook",
  summary: "Send a signed `webhook.test`, with attempts, log and count of failures as for any event",
  parameters: [],
  answers: { 202: PickupWebhookLine },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      const log = yield* WebhookLog
      return { status: 202, data: lineRecord(yield* log.test(caller, id)) }
    }),
}

export function lineRecord(line: DeliveryLine) {
  return {
    delivery_id: line.deliveryId,
    event: line.eventType,
    external_delivery_id: line.externalDeliveryId,
    is_redelivery: line.isRedelivery,
    state: line.state,
    attempts: line.attempts,
    created_at: isoMs(line.createdAtMs),
  }
}

export const webhookLog = [list, redeliver, test]
