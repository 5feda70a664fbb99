/** `/dd/v1/webhooks`: register, list, read, change and delete the endpoints that receive signed events. */

import { Effect, Schema } from "effect"
import {
  ChangePickupWebhookRequest,
  RegisterPickupWebhookRequest,
} from "../../../model/requests/delivery-requests.ts"
import { PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import { PickupWebhooks } from "../../webhooks/webhooks.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import { ROTATION, SigningSecret } from "../../../http/signing-secret.ts"
import { DateTime, LoggedNumber, LoggedText } from "../../../http/records/date-time.ts"
import type { OfOrganization } from "./site-header.ts"

export const PickupWebhook = Schema.Struct({
  webhook_id: LoggedText,
  retailer_id: Schema.NullOr(LoggedText).annotations({
    description:
      "The only site whose events it gets, as it was registered with `x-retailer-id`; null for all of the organization's.",
  }),
  url: Schema.String,
  events: Schema.Array(Schema.Literal(...PICKUP_EVENT_TYPES)),
  is_active: Schema.Boolean,
  secret: SigningSecret,
  consecutive_failures: LoggedNumber.annotations({ jsonSchema: { type: "integer", minimum: 0 } }),
  disabled_at: Schema.NullOr(DateTime),
  disabled_reason: Schema.NullOr(Schema.String),
  created_at: DateTime,
  updated_at: DateTime,
}).annotations({ identifier: "Webhook" })

const offered = {
  permission: "webhooks:manage",
  needsSite: false,
  budget: "requests",
  parameters: [],
} as const

const register: OfOrganization<PickupWebhooks> = {
  ...offered,
  method: "POST",
  path: "/dd/v1/webhooks",
  operationId: "registerWebhook",
  summary: "Register an endpoint; the answer shows its secret, which nothing shows again",
  body: RegisterPickupWebhookRequest,
  answers: { 201: PickupWebhook },
  errors: ["VALIDATION_ERROR", "INVALID_WEBHOOK_URL", "WEBHOOK_LIMIT_REACHED", "URL_VALIDATION_UNAVAILABLE"],
  handle: ({ caller, site, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(RegisterPickupWebhookRequest, body)
      const webhooks = yield* PickupWebhooks
      const made = yield* webhooks.register(caller, { ...request, site_id: site?.siteId })
      return { status: 201, data: made }
    }),
}

const list: OfOrganization<PickupWebhooks> = {
  ...offered,
  method: "GET",
  path: "/dd/v1/webhooks",
  operationId: "listWebhooks",
  summary: "The organization's endpoints, oldest first",
  body: null,
  answers: { 200: Schema.Array(PickupWebhook) },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const webhooks = yield* PickupWebhooks
      return { status: 200, data: yield* webhooks.list(caller) }
    }),
}

const read: OfOrganization<PickupWebhooks> = {
  ...offered,
  method: "GET",
  path: "/dd/v1/webhooks/{id}",
  operationId: "readWebhook",
  summary: "One endpoint, with its failures in a row",
  body: null,
  answers: { 200: PickupWebhook },
  errors: ["NOT_FOUND"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      const webhooks = yield* PickupWebhooks
      return { status: 200, data: yield* webhooks.read(caller, id) }
    }),
}

const change: OfOrganization<PickupWebhooks> = {
  ...offered,
  method: "PUT",
  path: "/dd/v1/webhooks/{id}",
  operationId: "changeWebhook",
  summary: "Change an endpoint, switch it on again, or rotate its secret",
  details: ROTATION,
  body: ChangePickupWebhookRequest,
  answers: { 200: PickupWebhook },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "INVALID_WEBHOOK_URL", "URL_VALIDATION_UNAVAILABLE"],
  handle: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(ChangePickupWebhookRequest, body)
      const webhooks = yield* PickupWebhooks
      return { status: 200, data: yield* webhooks.change(caller, id, request) }
    }),
}

const remove: OfOrganization<PickupWebhooks> = {
  ...offered,
  method: "DELETE",
  path: "/dd/v1/webhooks/{id}",
  operationId: "deleteWebhook",
  summary: "Delete an endpoint; what waits for it is dropped",
  body: null,
  answers: { 200: Schema.Struct({ webhook_id: LoggedText }) },
  errors: ["NOT_FOUND"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      const webhooks = yield* PickupWebhooks
      yield* webhooks.remove(caller, id)
      return { status: 200, data: { webhook_id: id } }
    }),
}

export const webhooks = [register, list, read, change, remove]
