/** `/dd/v1/webhooks`: register, list, read, change and delete the endpoints that receive signed events. */

import { Effect, Schema } from "effect"
import { ChangePickupWebhookRequest, RegisterPickupWebhookRequest } from "../../model/delivery-requests.ts"
import { PICKUP_EVENT_TYPES } from "../../model/webhook.ts"
import { DirectDelivery } from "../../services/direct-delivery/direct-delivery.ts"
import { PickupWebhooks } from "../../services/webhooks/pickup-webhooks.ts"
import { decodeBody } from "../endpoint.ts"
import type { Endpoint } from "../endpoint.ts"
import { DateTime } from "./schemas.ts"

export const PickupWebhook = Schema.Struct({
  webhook_id: Schema.String,
  url: Schema.String,
  events: Schema.Array(Schema.Literal(...PICKUP_EVENT_TYPES)),
  is_active: Schema.Boolean,
  secret: Schema.String.annotations({
    jsonSchema: {
      type: "string",
      pattern: "^(whsec_[0-9a-f]{48}|…[0-9a-f]{4})$",
      description: "In full where it is made, masked ever after.",
    },
  }),
  consecutive_failures: Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } }),
  disabled_at: Schema.NullOr(DateTime),
  disabled_reason: Schema.NullOr(Schema.String),
  created_at: DateTime,
  updated_at: DateTime,
}).annotations({ identifier: "Webhook" })

type Needs = DirectDelivery | PickupWebhooks

const offered = { permissions: ["webhooks:manage"], budget: "requests", parameters: [] } as const
const SITE_HEADER = "x-retailer-id"

const register: Endpoint<Needs> = {
  ...offered,
  method: "POST",
  path: "/dd/v1/webhooks",
  operationId: "registerWebhook",
  summary: "Register an endpoint; its secret is told here and never again",
  parameters: [
    {
      in: "header",
      name: SITE_HEADER,
      description: "Events of this site only; absent, of every site of the organization.",
      schema: Schema.String,
    },
  ],
  body: RegisterPickupWebhookRequest,
  answers: { 201: PickupWebhook },
  errors: [
    "VALIDATION_ERROR",
    "RETAILER_NOT_FOUND",
    "RETAILER_INACTIVE",
    "INVALID_WEBHOOK_URL",
    "WEBHOOK_LIMIT_REACHED",
    "URL_VALIDATION_UNAVAILABLE",
  ],
  handle: ({ caller, header, body }) =>
    Effect.gen(function* () {
      const sites = yield* DirectDelivery
      const sent = header(SITE_HEADER)
      const site = sent === undefined ? null : yield* sites.enter(caller, sent, "webhooks:manage")
      const request = yield* decodeBody(RegisterPickupWebhookRequest, body)
      const webhooks = yield* PickupWebhooks
      return { status: 201, data: yield* webhooks.register(caller, site?.siteId ?? null, request) }
    }),
}

const list: Endpoint<Needs> = {
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

const read: Endpoint<Needs> = {
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

const change: Endpoint<Needs> = {
  ...offered,
  method: "PUT",
  path: "/dd/v1/webhooks/{id}",
  operationId: "changeWebhook",
  summary: "Change an endpoint, switch it on again, or rotate its secret",
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

const remove: Endpoint<Needs> = {
  ...offered,
  method: "DELETE",
  path: "/dd/v1/webhooks/{id}",
  operationId: "deleteWebhook",
  summary: "Delete an endpoint; what waits for it is dropped",
  body: null,
  answers: { 200: Schema.Struct({ webhook_id: Schema.String }) },
  errors: ["NOT_FOUND"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      const webhooks = yield* PickupWebhooks
      yield* webhooks.remove(caller, id)
      return { status: 200, data: { webhook_id: id } }
    }),
}

export const webhooks = [register, list, read, change, remove]
