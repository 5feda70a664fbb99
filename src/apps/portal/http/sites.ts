/** `/portal/api/sites/{id}`: one site, changes in the sandbox, and requests to operations for changes in production. */

import { Schema } from "effect"
import { AskSiteChangeRequest } from "../../../model/requests/portal.ts"
import { HasVehicle, SandboxSiteChange, isConfigured } from "../../../model/site.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import { partnerOf } from "../caller.ts"
import { PortalSites } from "../sites.ts"
import type { SiteDetail } from "../sites.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { ENVIRONMENT_PARAMETER, READS, partnerIn } from "./endpoint.ts"
import { memberEndpoint } from "./endpoint.ts"
import { recordsOf } from "../../../http/records/records.ts"

const TextOrNull = Schema.NullOr(Schema.String)

const Detail = Schema.Struct({
  site_id: Schema.String,
  name: Schema.String,
  timezone: TextOrNull,
  is_active: Schema.Boolean,
  is_configured: Schema.Boolean,
  has_vehicle: HasVehicle,
  address: Schema.NullOr(
    Schema.Struct({ street: Schema.String, city: Schema.String, state: Schema.String, zip: Schema.String }),
  ),
  location: Schema.NullOr(Schema.Struct({ latitude: Schema.Number, longitude: Schema.Number })),
  area: Schema.NullOr(Schema.Array(Schema.Array(Schema.Tuple(Schema.Number, Schema.Number)))).annotations({
    description:
      "Coordinates of a GeoJSON polygon: closed rings of [longitude, latitude], the outer one first.",
  }),
  delivery_price_cents: Schema.NullOr(Schema.Int),
  ready_ahead_minutes: Schema.Number.annotations({ description: "How far ahead `ready_by` may be." }),
  zones: Schema.Array(
    Schema.Struct({
      zone_id: Schema.String,
      name: Schema.String,
      has_runner: Schema.Boolean,
      stalls: Schema.Array(
        Schema.Struct({ stall_id: Schema.String, label: TextOrNull, is_active: Schema.Boolean }),
      ),
    }),
  ),
}).annotations({ identifier: "SiteDetail", description: "`site_id` is the value of `x-retailer-id`." })

const Request = Schema.Struct({
  request_id: Schema.String,
  text: Schema.String,
  status: Schema.Literal("open", "closed"),
  requested_at: DateTime,
  closed_at: Schema.NullOr(DateTime),
  answer: TextOrNull.annotations({ description: "What operations say about it." }),
}).annotations({ identifier: "SiteChangeRequest" })

const read = memberEndpoint({
  ...READS,
  path: "/portal/api/sites/{id}",
  operationId: "readSite",
  summary: "One site: place, area, price, time zone, zones and stalls",
  answers: { 200: Schema.Struct({ site: Detail }) },
  *handle(ask) {
    const detail = yield* (yield* PortalSites).read(yield* partnerIn(ask), ask.id)
    return { site: detailRecord(detail) }
  },
})

const change = memberEndpoint({
  method: "PATCH",
  path: "/portal/api/sandbox/sites/{id}",
  operationId: "changeSandboxSite",
  summary: "Change or deactivate a site of the sandbox; it applies from the next quote on",
  body: SandboxSiteChange,
  answers: { 200: Schema.Struct({ site: Detail }) },
  errors: ["NOT_FOUND"],
  *handle({ caller, id }, sent) {
    const request = yield* sent
    const detail = yield* (yield* PortalSites).change(yield* partnerOf(caller, "sandbox"), id, request)
    return { site: detailRecord(detail) }
  },
})

const PATH = "/portal/api/sites/{id}/change-requests"

const askChange = memberEndpoint({
  method: "POST",
  path: PATH,
  operationId: "askForSiteChange",
  summary: "Ask operations to change a site of production",
  parameters: [ENVIRONMENT_PARAMETER],
  body: AskSiteChangeRequest,
  answers: { 201: Schema.Struct({ request: Request }) },
  errors: ["NOT_FOUND", "INVALID_STATE", "LIMIT_REACHED"],
  *handle(ask, sent) {
    const partner = yield* partnerIn(ask)
    const { text } = yield* sent
    const { accountId } = ask.caller.account
    const request = yield* (yield* PortalSites).ask(partner, { siteId: ask.id, accountId, text })
    return { request: requestRecord(request) }
  },
})

const requests = memberEndpoint({
  ...READS,
  path: PATH,
  operationId: "listSiteChangeRequests",
  summary: "Requests to operations for changes of the site, newest first",
  answers: { 200: Schema.Struct({ requests: Schema.Array(Request) }) },
  *handle(ask) {
    const found = yield* (yield* PortalSites).requests(yield* partnerIn(ask), ask.id)
    return { requests: found.map(requestRecord) }
  },
})

function detailRecord({ site, zones, hasVehicle }: SiteDetail): object {
  return {
    site_id: site.siteId,
    name: site.name,
    timezone: site.timezone,
    is_active: site.isActive,
    is_configured: isConfigured(site),
    has_vehicle: hasVehicle,
    address: site.address,
    location: site.place,
    area: site.area,
    delivery_price_cents: site.priceCents,
    ready_ahead_minutes: site.readyAheadMsMax / MINUTE_MS,
    zones: zones.map(({ zone, stalls }) => ({
      zone_id: zone.zoneId,
      name: zone.name,
      has_runner: zone.hasRunner,
      stalls: stalls.map(({ stallId, label, isActive }) => ({
        stall_id: stallId,
        label,
        is_active: isActive,
      })),
    })),
  }
}

const requestRecord = recordsOf(Request)

export const portalSites = [read, change, askChange, requests]
