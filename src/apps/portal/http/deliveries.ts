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
import { SandboxSites } from "../sandbox-sites.ts"
import { ANY_OF, listParameters } from "../../../http/pages.ts"
import { ShownDelivery, deliveryRecord } from "./delivery-details.ts"
import { ENVIRONMENT_PARAMETER, partnerIn } from "./endpoint.ts"
import { memberEndpoint } from "./endpoint.ts"
import { cancellation, list } from "./followed.ts"
import { recordsOf } from "../../../http/records/records.ts"

const Site = Schema.Struct({
  site_id: Schema.String,
  name: Schema.String,
  timezone: Schema.NullOr(Schema.String),
  is_active: Schema.Boolean,
  is_configured: Schema.Boolean,
  has_vehicle: HasVehicle,
}).annotations({ identifier: "Site", description: "`site_id` is the value of `x-retailer-id`." })

const OneDelivery = Schema.Struct({ delivery: ShownDelivery })

const sites = memberEndpoint({
  method: "GET",
  path: "/portal/api/sites",
  operationId: "listSites",
  summary: "The organization's sites in one environment",
  parameters: [ENVIRONMENT_PARAMETER],
  answers: { 200: Schema.Struct({ sites: Schema.Array(Site) }) },
  *handle(ask) {
    const known = yield* (yield* PortalDeliveries).sites(yield* partnerIn(ask))
    return { sites: known.map(siteRecord) }
  },
})

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

const makeSite = memberEndpoint({
  method: "POST",
  path: "/portal/api/sites",
  operationId: "makeSandboxSite",
  summary: "Make a site in the sandbox, for any position of the switch, with synthetic vehicles of its own",
  body: MakeSandboxSiteRequest,
  answers: { 201: Schema.Struct({ site: Site }) },
  errors: ["LIMIT_REACHED"],
  *handle({ caller }, sent) {
    const request = yield* sent
    const partner = yield* partnerOf(caller, "sandbox")
    const site = yield* (yield* SandboxSites).make(partner, request)
    return { site: siteRecord(site) }
  },
})

const advance = memberEndpoint({
  method: "POST",
  path: "/portal/api/deliveries/{id}/advance",
  operationId: "advanceDelivery",
  summary: "One step of the delivery's synthetic vehicle in the sandbox, for any position of the switch",
  answers: { 200: OneDelivery },
  errors: ["NOT_FOUND", "INVALID_STATE", "RETAILER_INACTIVE"],
  *handle({ caller, id }) {
    const partner = yield* partnerOf(caller, "sandbox")
    const delivery = yield* (yield* PortalDeliveries).advance(partner, id)
    return { delivery: deliveryRecord(delivery) }
  },
})

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

const inboundSms = memberEndpoint({
  method: "POST",
  path: "/portal/api/inbound-sms",
  operationId: "simulateInboundSms",
  summary: "Act as a customer who replies STOP or START to an SMS of the organization's sandbox",
  body: SimulateSmsRequest,
  answers: {
    200: Schema.Struct({ keyword: Schema.NullOr(Schema.Literal("stop", "start", "help")) }),
  },
  *handle({ caller }, sent) {
    const { from, text } = yield* sent
    const { organizationId, environment } = yield* partnerOf(caller, "sandbox")
    const inbound = yield* InboundSms
    const keyword = yield* inbound.receive({ environment, organizationId, inboundId: null, from, text })
    return { keyword }
  },
})

const siteRecord = recordsOf(Site)

export const deliveries = [sites, listDeliveries, advance, cancel]

export const sandbox = [makeSite, inboundSms]
