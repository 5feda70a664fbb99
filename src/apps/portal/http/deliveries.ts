/** `/portal/api/sites`, `/deliveries` and `/inbound-sms`: direct delivery in the sandbox. */

import { Effect, Schema } from "effect"
import { PAGE_SIZE } from "../../../model/values/limits.ts"
import {
  ListPortalDeliveriesRequest,
  MakeSandboxSiteRequest,
  SimulateSmsRequest,
} from "../../../model/requests/portal.ts"
import { HasVehicle } from "../../../model/site.ts"
import { InboundSms } from "../../../areas/messages/inbound-sms.ts"
import { partnerOf } from "../caller.ts"
import { PortalDeliveries } from "../deliveries.ts"
import type { PortalSite } from "../deliveries.ts"
import { SandboxSites } from "../sandbox-sites.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import { ANY_OF, listParameters } from "../../../http/pages.ts"
import { ShownDelivery, deliveryRecord } from "./delivery-details.ts"
import { ENVIRONMENT_PARAMETER, partnerIn } from "./endpoint.ts"
import type { MemberEndpoint } from "./endpoint.ts"
import { cancellation, list } from "./followed.ts"

const Site = Schema.Struct({
  site_id: Schema.String,
  name: Schema.String,
  timezone: Schema.NullOr(Schema.String),
  is_active: Schema.Boolean,
  is_configured: Schema.Boolean,
  has_vehicle: HasVehicle,
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

const listDeliveries = list({
  path: "/portal/api/deliveries",
  operationId: "listDeliveries",
  summary: "Deliveries of one environment, newest first",
  noun: "deliveries",
  row: ShownDelivery,
  request: ListPortalDeliveriesRequest,
  parameters: listParameters(ListPortalDeliveriesRequest.fields, {
    site_id: "Of this site alone.",
    status: ANY_OF,
    q: "A part of the external id, in any case of letters.",
    from: "Created at or after it.",
    to: "Created before it.",
  }),
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
  read: (caller, request) =>
    Effect.gen(function* () {
      const page = yield* (yield* PortalDeliveries).list(caller, {
        siteId: request.site_id ?? null,
        statuses: request.status ?? null,
        search: request.q ?? null,
        fromMs: request.from ?? null,
        untilMs: request.to ?? null,
        limit: request.limit ?? PAGE_SIZE,
        cursor: request.cursor ?? null,
      })
      return { deliveries: page.deliveries.map(deliveryRecord), next_cursor: page.nextCursor }
    }),
})

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

const cancel = cancellation({
  path: "/portal/api/deliveries/{id}/cancel",
  operationId: "cancelDelivery",
  summary: "Cancel a delivery, as the API's PATCH does",
  answer: OneDelivery,
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "INVALID_STATE", "RETAILER_INACTIVE"],
  cancel: (caller, id, reason) =>
    Effect.gen(function* () {
      const delivery = yield* (yield* PortalDeliveries).cancel(caller, { id, reason })
      return { delivery: deliveryRecord(delivery) }
    }),
})

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

function siteRecord({ siteId, name, timezone, isActive, isConfigured, hasVehicle }: PortalSite): object {
  return {
    site_id: siteId,
    name,
    timezone,
    is_active: isActive,
    is_configured: isConfigured,
    has_vehicle: hasVehicle,
  }
}

export const deliveries = [sites, listDeliveries, advance, cancel]

export const sandbox = [makeSite, inboundSms]
