/**
 * `/portal/api/delivery-webhooks`: the endpoints of direct deliveries, their log, sending an event again, and a test
 * event.
 */

import { Schema } from "effect"
import {
  ChangePickupWebhookRequest,
  RegisterPickupWebhookRequest,
} from "../../../model/requests/delivery-requests.ts"
import { text } from "../../../model/values/schema.ts"
import { DirectDelivery } from "../../../areas/direct-delivery/direct-delivery.ts"
import { PickupWebhooks } from "../../../areas/webhooks/webhooks.ts"
import { WebhookLog } from "../../../areas/webhooks/webhook-log.ts"
import {
  PickupWebhookLine,
  lineRecord,
  pageParameters,
} from "../../../areas/direct-delivery/http/webhook-log.ts"
import { PickupWebhook } from "../../../areas/direct-delivery/http/webhooks.ts"
import { ENVIRONMENT_PARAMETER, partnerIn } from "./endpoint.ts"
import { memberEndpoint } from "./endpoint.ts"

const PATH = "/portal/api/delivery-webhooks"

const RegisterRequest = Schema.Struct({
  ...RegisterPickupWebhookRequest.fields,
  /** Events of this site only; absent or null, of every site of the organization. */
  site_id: Schema.optional(Schema.NullOr(text({ max: 64 }))),
})

const RedeliverRequest = Schema.Struct({ delivery_id: text({ max: 64 }) })

/** Has a name of its own, because the document also has the endpoints of reservations. */
const Webhook = PickupWebhook.annotations({ identifier: "DirectDeliveryWebhook" })
const Line = PickupWebhookLine.annotations({ identifier: "DirectDeliveryWebhookDelivery" })

const OneWebhook = Schema.Struct({ webhook: Webhook })
const OneLine = Schema.Struct({ delivery: Line })

const offered = { asks: "member", parameters: [ENVIRONMENT_PARAMETER] } as const

const list = memberEndpoint({
  ...offered,
  method: "GET",
  path: PATH,
  operationId: "listDeliveryWebhooks",
  summary: "The endpoints of direct deliveries in one environment, oldest first",
  answers: { 200: Schema.Struct({ webhooks: Schema.Array(Webhook) }) },
  *handle(ask) {
    const webhooks = yield* (yield* PickupWebhooks).list(yield* partnerIn(ask))
    return { webhooks }
  },
})

const register = memberEndpoint({
  ...offered,
  method: "POST",
  path: PATH,
  operationId: "registerDeliveryWebhook",
  summary: "Register an endpoint; the answer shows its secret, which nothing shows again",
  body: RegisterRequest,
  answers: { 201: OneWebhook },
  errors: [
    "RETAILER_NOT_FOUND",
    "RETAILER_INACTIVE",
    "INVALID_WEBHOOK_URL",
    "WEBHOOK_LIMIT_REACHED",
    "URL_VALIDATION_UNAVAILABLE",
  ],
  *handle(ask, sent) {
    const caller = yield* partnerIn(ask)
    const request = yield* sent
    const siteId = request.site_id ?? null
    if (siteId !== null) yield* (yield* DirectDelivery).enter(caller, siteId, "webhooks:manage")
    const webhook = yield* (yield* PickupWebhooks).register(caller, request)
    return { webhook }
  },
})

const change = memberEndpoint({
  ...offered,
  method: "PUT",
  path: `${PATH}/{id}`,
  operationId: "changeDeliveryWebhook",
  summary: "Change an endpoint, switch it on again, or rotate its secret",
  body: ChangePickupWebhookRequest,
  answers: { 200: OneWebhook },
  errors: ["NOT_FOUND", "INVALID_WEBHOOK_URL", "URL_VALIDATION_UNAVAILABLE"],
  *handle(ask, sent) {
    const caller = yield* partnerIn(ask)
    const request = yield* sent
    return { webhook: yield* (yield* PickupWebhooks).change(caller, ask.id, request) }
  },
})

const remove = memberEndpoint({
  ...offered,
  method: "DELETE",
  path: `${PATH}/{id}`,
  operationId: "deleteDeliveryWebhook",
  summary: "Delete an endpoint; what waits for it is dropped",
  answers: { 200: Schema.Struct({ webhook_id: Schema.String }) },
  errors: ["NOT_FOUND"],
  *handle(ask) {
    yield* (yield* PickupWebhooks).remove(yield* partnerIn(ask), ask.id)
    return { webhook_id: ask.id }
  },
})

const log = memberEndpoint({
  ...offered,
  method: "GET",
  path: `${PATH}/{id}/deliveries`,
  operationId: "readDeliveryWebhookLog",
  summary: "What was sent to the endpoint and what became of it, newest first, for 30 days",
  parameters: [ENVIRONMENT_PARAMETER, ...pageParameters.parameters],
  answers: {
    200: Schema.Struct({
      deliveries: Schema.Array(Line),
      next_cursor: Schema.NullOr(Schema.String),
    }),
  },
  errors: ["NOT_FOUND"],
  *handle(ask) {
    const caller = yield* partnerIn(ask)
    const page = yield* (yield* WebhookLog).page(caller, ask.id, yield* pageParameters.read(ask.query))
    return { deliveries: page.lines.map(lineRecord), next_cursor: page.nextCursor }
  },
})

const redeliver = memberEndpoint({
  ...offered,
  method: "POST",
  path: `${PATH}/{id}/redeliver`,
  operationId: "redeliverDeliveryWebhook",
  summary: "Send an event again that has come to its end: the same bytes under the same delivery id",
  body: RedeliverRequest,
  answers: { 202: OneLine },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  *handle(ask, sent) {
    const caller = yield* partnerIn(ask)
    const { delivery_id: deliveryId } = yield* sent
    const line = yield* (yield* WebhookLog).redeliver(caller, ask.id, deliveryId)
    return { delivery: lineRecord(line) }
  },
})

const test = memberEndpoint({
  ...offered,
  method: "POST",
  path: `${PATH}/{id}/test`,
  operationId: "testDeliveryWebhook",
  summary: "Send a signed `webhook.test`, with attempts, log and count of failures as for any event",
  answers: { 202: OneLine },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  *handle(ask) {
    const line = yield* (yield* WebhookLog).test(yield* partnerIn(ask), ask.id)
    return { delivery: lineRecord(line) }
  },
})

export const deliveryWebhooks = [list, register, change, remove, log, redeliver, test]
