/** `/portal/api/webhooks`: the endpoints of reservations, and the log of their events. */

import { Schema } from "effect"
import { ChangeWebhookRequest, RegisterWebhookRequest } from "../../../model/requests/requests.ts"
import { isoMs } from "../../../model/values/time.ts"
import { EVENT_TYPES } from "../../../model/webhook.ts"
import { WebhookLog } from "../../../areas/webhooks/webhook-log.ts"
import { Webhooks } from "../../../areas/webhooks/webhooks.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { OneWebhook, Webhook } from "../../../areas/reservations/http/webhooks.ts"
import { ENVIRONMENT_PARAMETER, partnerIn } from "./endpoint.ts"
import { memberEndpoint } from "./endpoint.ts"

const Line = Schema.Struct({
  delivery_id: Schema.String,
  event_id: Schema.String,
  event_type: Schema.Literal(...EVENT_TYPES),
  reservation_id: Schema.String,
  state: Schema.NullOr(Schema.Literal("sending", "queued", "waiting", "delivered", "dropped", "discarded")),
  attempts: Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } }),
  created_at: DateTime,
}).annotations({ identifier: "WebhookDelivery", description: "One event on its way to one endpoint." })

const offered = { asks: "member", parameters: [ENVIRONMENT_PARAMETER] } as const

const list = memberEndpoint({
  ...offered,
  method: "GET",
  path: "/portal/api/webhooks",
  operationId: "listWebhooks",
  summary: "The reservations' endpoints of one environment, oldest first",
  answers: { 200: Schema.Struct({ webhooks: Schema.Array(Webhook) }) },
  *handle(ask) {
    const webhooks = yield* (yield* Webhooks).list(yield* partnerIn(ask))
    return { webhooks }
  },
})

const register = memberEndpoint({
  ...offered,
  method: "POST",
  path: "/portal/api/webhooks",
  operationId: "registerWebhook",
  summary: "Register an endpoint; the answer shows its secret, which nothing shows again",
  body: RegisterWebhookRequest,
  answers: { 201: OneWebhook },
  errors: ["INVALID_WEBHOOK_URL", "WEBHOOK_LIMIT_REACHED", "URL_VALIDATION_UNAVAILABLE"],
  *handle(ask, sent) {
    const caller = yield* partnerIn(ask)
    const request = yield* sent
    return { webhook: yield* (yield* Webhooks).register(caller, request) }
  },
})

const change = memberEndpoint({
  ...offered,
  method: "PUT",
  path: "/portal/api/webhooks/{id}",
  operationId: "changeWebhook",
  summary: "Change an endpoint, switch it on again, or rotate its secret",
  body: ChangeWebhookRequest,
  answers: { 200: OneWebhook },
  errors: ["NOT_FOUND", "INVALID_WEBHOOK_URL", "URL_VALIDATION_UNAVAILABLE"],
  *handle(ask, sent) {
    const caller = yield* partnerIn(ask)
    const request = yield* sent
    return { webhook: yield* (yield* Webhooks).change(caller, ask.id, request) }
  },
})

const log = memberEndpoint({
  ...offered,
  method: "GET",
  path: "/portal/api/webhooks/{id}/deliveries",
  operationId: "readWebhookLog",
  summary: "The endpoint's newest 50 deliveries with their attempts and outcome, newest first",
  answers: { 200: Schema.Struct({ deliveries: Schema.Array(Line) }) },
  errors: ["NOT_FOUND"],
  *handle(ask) {
    const lines = yield* (yield* WebhookLog).of(yield* partnerIn(ask), ask.id)
    const deliveries = lines.map((line) => ({
      delivery_id: line.deliveryId,
      event_id: line.eventId,
      event_type: line.eventType,
      reservation_id: line.subjectId,
      state: line.state,
      attempts: line.attempts,
      created_at: isoMs(line.createdAtMs),
    }))
    return { deliveries }
  },
})

export const webhooks = [list, register, change, log]
