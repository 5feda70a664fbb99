/** `/portal/api/sites`, `/deliveries` and `/inbound-sms`: direct delivery in the sandbox. */

import { Effect, Schema } from "effect"
import { PAGE_SIZE } from "../../../model/values/limits.ts"
import {
  CancelDeliveryRequest,
  ListPortalDeliveriesRequest,
  MakeSandboxSiteRequest,
  SimulateSmsRequest,
} from "../../../model/requests/portal.ts"
import { decodeRequest } from "../../../model/values/schema.ts"
import { InboundSms } from "../../../areas/messages/inbound-sms.ts"
import { partnerOf } from "../caller.ts"
import { PortalDeliveries } from "../deliveries.ts"
import type { PortalSite } from "../deliveries.ts"
import { SandboxSites } from "../sandbox-sites.ts"
import { decodeBody, decodeOptionalBody, filtersIn } from "../../../http/endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import { ShownDelivery, deliveryRecord } from "./delivery-details.ts"
import { ENVIRONMENT_PARAMETER, partnerIn } from "./endpoint.ts"
import type { MemberEndpoint } from "./endpoint.ts"

const Site = Schema.Struct({
  site_id: Schema.String,
  name: Schema.String,
  timezone: Schema.NullOr(Schema.String),
  is_active: Schema.Boolean,
  is_configured: Schema.Boolean,
}).annotations({ identifier: "Site", description: "`site_id` is the value of `x-retailer-id`." })

const OneDelivery = Schema.Struct({ delivery: ShownDelivery })

const sites: MemberEndpoint<PortalDeliveries> = {
  method: "GET",
  path: "/portal/api/sites",
  operationId: "listSites",
  summary: "The organization's sites in one environment",
  asks: "member",
  parameters: [ENVIRONMENT_PARAMETER],
  body: null,
  answers: { 200: Schema.Struct({ sites: Schema.Array(Site) }) },
  errors: ["VALIDATION_ERROR"],
  handle: (ask) =>
    Effect.gen(function* () {
      const known = yield* (yield* PortalDeliveries).sites(yield* partnerIn(ask))
      return { status: 200, data: { sites: known.map(siteRecord) } }
    }),
}

const { fields } = ListPortalDeliveriesRequest

const filters: readonly Parameter[] = [
  { in: "query", name: "site_id", description: "Of this site alone.", schema: fields.site_id.from },
  {
    in: "query",
    name: "status",
    description: "One of these; may be repeated.",
    schema: fields.status.from,
    isRepeatable: true,
  },
  {
    in: "query",
    name: "q",
    description: "A part of the external id, in any case of letters.",
    schema: fields.q.from,
  },
  { in: "query", name: "from", description: "Created at or after it.", schema: fields.from.from },
  { in: "query", name: "to", description: "Created before it.", schema: fields.to.from },
  { in: "query", name: "limit", description: "Rows of a page; 50 if absent.", schema: fields.limit.from },
  { in: "query", name: "cursor", description: "The last page's `next_cursor`.", schema: fields.cursor.from },
]

const list: MemberEndpoint<PortalDeliveries> = {
  method: "GET",
  path: "/portal/api/deliveries",
  operationId: "listDeliveries",
  summary: "Deliveries of one environment, newest first",
  asks: "member",
  parameters: [ENVIRONMENT_PARAMETER, ...filters],
  body: null,
  answers: {
    200: Schema.Struct({
      deliveries: Schema.Array(ShownDelivery),
      next_cursor: Schema.NullOr(Schema.String),
    }),
  },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
  handle: (ask) =>
    Effect.gen(function* () {
      const caller = yield* partnerIn(ask)
      const request = yield* decodeRequest(ListPortalDeliveriesRequest, yield* filtersIn(ask.query, filters))
      const page = yield* (yield* PortalDeliveries).list(caller, {
        siteId: request.site_id ?? null,
        statuses: request.status ?? null,
        search: request.q ?? null,
        fromMs: request.from ?? null,
        untilMs: request.to ?? null,
        limit: request.limit ?? PAGE_SIZE,
        cursor: request.cursor ?? null,
      })
      return {
        status: 200,
        data: { deliveries: page.deliveries.map(deliveryRecord), next_cursor: page.nextCursor },
      }
    }),
}

const makeSite: MemberEndpoint<SandboxSites> = {
  method: "POST",
  path: "/portal/api/sites",
  operationId: "makeSandboxSite",
  summary: "Make a site in the sandbox, for any position of the switch, with a synthetic vehicle of its own",
  asks: "member",
  parameters: [],
  body: MakeSandboxSiteRequest,
  answers: { 201: Schema.Struct({ site: Site }) },
  errors: ["VALIDATION_ERROR", "LIMIT_REACHED"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(MakeSandboxSiteRequest, body)
      const partner = yield* partnerOf(caller, "sandbox")
      const site = yield* (yield* SandboxSites).make(partner, request)
      return { status: 201, data: { site: siteRecord(site) } }
    }),
}

const advance: MemberEndpoint<PortalDeliveries> = {
  method: "POST",
  path: "/portal/api/deliveries/{id}/advance",
  operationId: "advanceDelivery",
  summary: "One step of the synthetic vehicle in the sandbox, for any position of the switch",
  asks: "member",
  parameters: [],
  body: null,
  answers: { 200: OneDelivery },
  errors: ["NOT_FOUND", "INVALID_STATE", "RETAILER_INACTIVE"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      const partner = yield* partnerOf(caller, "sandbox")
      const delivery = yield* (yield* PortalDeliveries).advance(partner, id)
      return { status: 200, data: { delivery: deliveryRecord(delivery) } }
    }),
}

const cancel: MemberEndpoint<PortalDeliveries> = {
  method: "POST",
  path: "/portal/api/deliveries/{id}/cancel",
  operationId: "cancelDelivery",
  summary: "Cancel a delivery, as the API's PATCH does",
  asks: "member",
  parameters: [ENVIRONMENT_PARAMETER],
  body: CancelDeliveryRequest,
  isBodyOptional: true,
  answers: { 200: OneDelivery },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "INVALID_STATE", "RETAILER_INACTIVE"],
  handle: (ask) =>
    Effect.gen(function* () {
      const caller = yield* partnerIn(ask)
      const request = yield* decodeOptionalBody(CancelDeliveryRequest, ask.body)
      const reason = request.cancellation_reason ?? request.reason ?? null
      const delivery = yield* (yield* PortalDeliveries).cancel(caller, { id: ask.id, reason })
      return { status: 200, data: { delivery: deliveryRecord(delivery) } }
    }),
}

const inboundSms: MemberEndpoint<InboundSms> = {
  method: "POST",
  path: "/portal/api/inbound-sms",
  operationId: "simulateInboundSms",
  summary: "Act as a customer who replies STOP or START to an SMS of the organization's sandbox",
  asks: "member",
  parameters: [],
  body: SimulateSmsRequest,
  answers: {
    200: Schema.Struct({ keyword: Schema.NullOr(Schema.Literal("stop", "start", "help")) }),
  },
  errors: ["VALIDATION_ERROR"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const { from, text } = yield* decodeBody(SimulateSmsRequest, body)
      const { organizationId, environment } = yield* partnerOf(caller, "sandbox")
      const inbound = yield* InboundSms
      const keyword = yield* inbound.receive({ environment, organizationId, inboundId: null, from, text })
      return { status: 200, data: { keyword } }
    }),
}

function siteRecord({ siteId, name, timezone, isActive, isConfigured }: PortalSite): object {
  return { site_id: siteId, name, timezone, is_active: isActive, is_configured: isConfigured }
}

export const deliveries = [sites, list, advance, cancel]

export const sandbox = [makeSite, inboundSms]
