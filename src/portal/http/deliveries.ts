/** `/portal/api/sites`, `/deliveries` and `/inbound-sms`: direct delivery in the sandbox. */

import { Effect, Schema } from "effect"
import { PAGE_SIZE, PAGE_SIZE_MAX } from "../../model/limits.ts"
import { CancelDeliveryRequest, MakeSandboxSiteRequest, SimulateSmsRequest } from "../../model/portal.ts"
import { InboundSms } from "../../areas/messages/inbound-sms.ts"
import { partnerOf } from "../caller.ts"
import { PortalDeliveries } from "../deliveries.ts"
import type { PortalDelivery, PortalSite } from "../deliveries.ts"
import { SandboxSites } from "../sandbox-sites.ts"
import { Delivery } from "../../areas/direct-delivery/http/schemas.ts"
import { decodeBody, decodeOptionalBody, once } from "../../http/endpoint.ts"
import { invalid } from "../../http/errors.ts"
import { ENVIRONMENT_PARAMETER, partnerIn } from "./endpoint.ts"
import type { MemberEndpoint } from "./endpoint.ts"

const Site = Schema.Struct({
  site_id: Schema.String,
  name: Schema.String,
  timezone: Schema.NullOr(Schema.String),
  is_active: Schema.Boolean,
  is_configured: Schema.Boolean,
}).annotations({ identifier: "Site", description: "`site_id` is the value of `x-retailer-id`." })

const ShownDelivery = Schema.Struct({
  id: Schema.String.annotations({ description: "Names it among all of the organization's." }),
  site_id: Schema.String,
  delivery: Delivery,
}).annotations({ identifier: "PortalDelivery" })

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

const Text = Schema.String

const list: MemberEndpoint<PortalDeliveries> = {
  method: "GET",
  path: "/portal/api/deliveries",
  operationId: "listDeliveries",
  summary: "Deliveries of one environment, newest first",
  asks: "member",
  parameters: [
    ENVIRONMENT_PARAMETER,
    { in: "query", name: "site_id", description: "Of this site alone.", schema: Text },
    {
      in: "query",
      name: "limit",
      description: `1 to ${PAGE_SIZE_MAX}; ${PAGE_SIZE} when absent.`,
      schema: Text,
    },
    { in: "query", name: "cursor", description: "`next_cursor` of the page before.", schema: Text },
  ],
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
      const siteId = (yield* once(ask.query, "site_id")) ?? null
      const cursor = (yield* once(ask.query, "cursor")) ?? null
      const limit = Number((yield* once(ask.query, "limit")) ?? PAGE_SIZE)
      if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_SIZE_MAX) {
        return yield* invalid("limit", `must be a whole number from 1 to ${PAGE_SIZE_MAX}`)
      }
      const page = yield* (yield* PortalDeliveries).list(caller, { siteId, limit, cursor })
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

const read: MemberEndpoint<PortalDeliveries> = {
  method: "GET",
  path: "/portal/api/deliveries/{id}",
  operationId: "readDelivery",
  summary: "One delivery",
  asks: "member",
  parameters: [ENVIRONMENT_PARAMETER],
  body: null,
  answers: { 200: OneDelivery },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
  handle: (ask) =>
    Effect.gen(function* () {
      const caller = yield* partnerIn(ask)
      const delivery = yield* (yield* PortalDeliveries).read(caller, ask.id)
      return { status: 200, data: { delivery: deliveryRecord(delivery) } }
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

function deliveryRecord({ id, siteId, record }: PortalDelivery): object {
  return { id, site_id: siteId, delivery: record }
}

export const deliveries = [sites, list, read, advance, cancel]

export const sandbox = [makeSite, inboundSms]
