/** `/rs/v1/webhooks`: register, list and change the endpoints that receive signed events. */

import { Effect, Schema } from "effect"
import { WEBHOOK_ENDPOINTS_MAX } from "../../../model/values/limits.ts"
import { ChangeWebhookRequest, RegisterWebhookRequest } from "../../../model/requests/requests.ts"
import { EVENT_TYPES } from "../../../model/webhook.ts"
import { Webhooks } from "../../webhooks/webhooks.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import { ROTATION, SigningSecret } from "../../../http/signing-secret.ts"
import type { Endpoint } from "../../../http/endpoint.ts"
import { DateTime, LoggedText } from "../../../http/records/date-time.ts"

export const Webhook = Schema.Struct({
  webhook_id: LoggedText,
  url: Schema.String,
  subscribed_events: Schema.Array(Schema.Literal(...EVENT_TYPES)),
  is_active: Schema.Boolean,
  secret: SigningSecret,
  created_at: DateTime,
  updated_at: DateTime,
}).annotations({ identifier: "Webhook" })

export const OneWebhook = Schema.Struct({ webhook: Webhook })

const register: Endpoint<Webhooks> = {
  method: "POST",
  path: "/rs/v1/webhooks",
  operationId: "registerWebhook",
  summary: "Register an endpoint; the answer shows its secret, which nothing shows again",
  details:
    `An organization has at most ${WEBHOOK_ENDPOINTS_MAX} endpoints, inactive ones included, and none can be deleted. \`Idempotency-Key\` is ` +
    "not read here: before you repeat a call whose answer was lost, look whether the list has its endpoint.",
  permissions: ["webhooks:manage", "reservations:read"],
  budget: "requests",
  parameters: [],
  body: RegisterWebhookRequest,
  answers: { 201: OneWebhook },
  errors: ["VALIDATION_ERROR", "INVALID_WEBHOOK_URL", "WEBHOOK_LIMIT_REACHED", "URL_VALIDATION_UNAVAILABLE"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(RegisterWebhookRequest, body)
      const webhooks = yield* Webhooks
      return { status: 201, data: { webhook: yield* webhooks.register(caller, request) } }
    }),
}

const list: Endpoint<Webhooks> = {
  method: "GET",
  path: "/rs/v1/webhooks",
  operationId: "listWebhooks",
  summary: "The organization's endpoints, oldest first",
  permissions: ["webhooks:manage"],
  budget: "requests",
  parameters: [],
  body: null,
  answers: { 200: Schema.Struct({ webhooks: Schema.Array(Webhook) }) },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      return { status: 200, data: { webhooks: yield* webhooks.list(caller) } }
    }),
}

/** Some changes need `reservations:read` as well; that depends on the endpoint, so the service checks it. */
const change: Endpoint<Webhooks> = {
  method: "PUT",
  path: "/rs/v1/webhooks/{id}",
  operationId: "changeWebhook",
  summary: "Change an endpoint, or rotate its secret; every sent field is written",
  details:
    "`webhooks:manage` alone suffices to switch an endpoint off and to rotate its secret. Everything that sends events somewhere " +
    "(`url`, `subscribed_events`, `is_active: true`) needs `reservations:read` as well. " +
    ROTATION,
  permissions: ["webhooks:manage"],
  budget: "requests",
  parameters: [],
  body: ChangeWebhookRequest,
  answers: { 200: OneWebhook },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "INVALID_WEBHOOK_URL", "URL_VALIDATION_UNAVAILABLE"],
  handle: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(ChangeWebhookRequest, body)
      const webhooks = yield* Webhooks
      return { status: 200, data: { webhook: yield* webhooks.change(caller, id, request) } }
    }),
}

export const webhooks = [register, list, change]
