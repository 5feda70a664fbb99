/** `/portal/api/webhook-endpoints` and `/webhook-events`: endpoints and log of both APIs; sending again; the check of a signature. */

import { Schema } from "effect"
import { ENDPOINT_FAILURES_MAX } from "../../../model/values/limits.ts"
import {
  CheckSignatureRequest,
  ListWebhookEventsRequest,
  ResendSinceRequest,
} from "../../../model/requests/portal.ts"
import { isoMs } from "../../../model/values/time.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import { SIGNATURE_VERDICTS } from "../../../areas/webhooks/signature.ts"
import type { WebhookEndpoint } from "../../../areas/webhooks/store.ts"
import { PortalWebhooks } from "../webhook-events.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import { ANY_OF, listParameters } from "../../../http/pages.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { SigningSecret } from "../../../http/signing-secret.ts"
import { ENVIRONMENT_PARAMETER, partnerIn } from "./endpoint.ts"
import { memberEndpoint } from "./endpoint.ts"
import { EventShown, eventRecord } from "./portal-events.ts"

const Count = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } })

const Endpoint = Schema.Struct({
  webhook_id: Schema.String,
  api: Schema.Literal("reservations", "direct_delivery"),
  url: Schema.String,
  events: Schema.Array(Schema.Literal(...EVENT_TYPES, ...PICKUP_EVENT_TYPES)),
  site_id: Schema.NullOr(Schema.String).annotations({
    description: "The only site whose events it gets; null for all.",
  }),
  is_active: Schema.Boolean,
  secret: SigningSecret,
  consecutive_failures: Schema.NullOr(Count).annotations({
    description: "Failed attempts in a row. Null for reservations, which do not count them.",
  }),
  failures_max: Schema.NullOr(Count).annotations({
    description: "The endpoint is switched off at this number.",
  }),
  disabled_at: Schema.NullOr(DateTime),
  disabled_reason: Schema.NullOr(Schema.String),
  created_at: DateTime,
  updated_at: DateTime,
}).annotations({ identifier: "WebhookEndpoint" })

const EventDetail = Schema.Struct({
  ...EventShown.fields,
  body: Schema.String.annotations({ description: "The bytes of every attempt, as text." }),
}).annotations({ identifier: "SentEventDetail" })

const filters = listParameters(ListWebhookEventsRequest.fields, {
  webhook_id: "To this endpoint alone.",
  event: "Of this type alone.",
  outcome: ANY_OF,
  subject_id: "About this delivery, reservation or endpoint alone.",
})

const offered = { asks: "member", parameters: [ENVIRONMENT_PARAMETER] } as const

const endpoints = memberEndpoint({
  ...offered,
  method: "GET",
  path: "/portal/api/webhook-endpoints",
  operationId: "listWebhookEndpoints",
  summary: "The endpoints of both APIs in one environment, with their failures in a row",
  answers: { 200: Schema.Struct({ endpoints: Schema.Array(Endpoint) }) },
  *handle(ask) {
    const found = yield* (yield* PortalWebhooks).endpoints(yield* partnerIn(ask))
    return { endpoints: found.map(endpointRecord) }
  },
})

const list = memberEndpoint({
  ...offered,
  method: "GET",
  path: "/portal/api/webhook-events",
  operationId: "listWebhookEvents",
  summary: "Events that were sent to endpoints of both APIs, with every attempt, newest first, for 30 days",
  parameters: [ENVIRONMENT_PARAMETER, ...filters],
  answers: {
    200: Schema.Struct({
      events: Schema.Array(EventShown),
      next_cursor: Schema.NullOr(Schema.String).annotations({
        description: "With `outcome`, a page may have fewer events without being the last.",
      }),
    }),
  },
  errors: ["NOT_FOUND"],
  *handle(ask) {
    const caller = yield* partnerIn(ask)
    const request = yield* decodeQuery(ListWebhookEventsRequest, ask.query, filters)
    const page = yield* (yield* PortalWebhooks).events(caller, request)
    return { events: page.events.map(eventRecord), next_cursor: page.nextCursor }
  },
})

const read = memberEndpoint({
  ...offered,
  method: "GET",
  path: "/portal/api/webhook-events/{id}",
  operationId: "readWebhookEvent",
  summary: "One event to one endpoint, by its `sending_id`, with the body that was sent",
  answers: { 200: Schema.Struct({ event: EventDetail }) },
  errors: ["NOT_FOUND"],
  *handle(ask) {
    const found = yield* (yield* PortalWebhooks).event(yield* partnerIn(ask), ask.id)
    return { event: { ...eventRecord(found), body: found.body } }
  },
})

const resend = memberEndpoint({
  ...offered,
  method: "POST",
  path: "/portal/api/webhook-events/{id}/resend",
  operationId: "resendWebhookEvent",
  summary:
    "Send an event of a direct delivery again that has come to its end: the same bytes, attempts from 1",
  answers: { 202: Schema.Struct({ event: EventShown }) },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  *handle(ask) {
    const made = yield* (yield* PortalWebhooks).resend(yield* partnerIn(ask), ask.id)
    return { event: eventRecord(made) }
  },
})

const resendSince = memberEndpoint({
  ...offered,
  method: "POST",
  path: "/portal/api/delivery-webhooks/{id}/resend-since",
  operationId: "resendWebhookEventsSince",
  summary: "Send the events again that were not delivered since an instant, at most 100, oldest first",
  body: ResendSinceRequest,
  answers: { 202: Schema.Struct({ resent: Count, has_more: Schema.Boolean }) },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  *handle(ask, sent) {
    const caller = yield* partnerIn(ask)
    const { since } = yield* sent
    const { resent, hasMore } = yield* (yield* PortalWebhooks).resendSince(caller, ask.id, since)
    return { resent, has_more: hasMore }
  },
})

const check = memberEndpoint({
  ...offered,
  method: "POST",
  path: "/portal/api/webhooks/{id}/check-signature",
  operationId: "checkWebhookSignature",
  summary: "Check the signature of a request that a receiver got, of either API; the secret is not shown",
  body: CheckSignatureRequest,
  answers: {
    200: Schema.Struct({
      is_valid: Schema.Boolean,
      verdict: Schema.Literal(...SIGNATURE_VERDICTS).annotations({
        description:
          "`altered_body` and `wrong_secret` need `X-Service-Delivery-Id` of an event of the last 30 days; else it is `no_match`.",
      }),
    }),
  },
  errors: ["NOT_FOUND"],
  *handle(ask, sent) {
    const caller = yield* partnerIn(ask)
    const request = yield* sent
    const verdict = yield* (yield* PortalWebhooks).check(caller, ask.id, request)
    return { is_valid: verdict === "valid", verdict }
  },
})

function endpointRecord(endpoint: WebhookEndpoint): object {
  const isCounted = endpoint.area === "direct_delivery"
  return {
    webhook_id: endpoint.webhookId,
    api: endpoint.area,
    url: endpoint.url,
    events: endpoint.subscribedEvents,
    site_id: endpoint.siteId,
    is_active: endpoint.isActive,
    secret: `…${endpoint.secret.slice(-4)}`,
    consecutive_failures: isCounted ? endpoint.consecutiveFailures : null,
    failures_max: isCounted ? ENDPOINT_FAILURES_MAX : null,
    disabled_at: isoMs(endpoint.disabledAtMs),
    disabled_reason: endpoint.disabledReason,
    created_at: isoMs(endpoint.createdAtMs),
    updated_at: isoMs(endpoint.updatedAtMs),
  }
}

export const webhookEvents = [endpoints, list, read, resend, resendSince, check]
