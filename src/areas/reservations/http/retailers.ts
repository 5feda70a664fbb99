/** `GET /rs/v1/retailers`: the sites, zones and retailers that the organization may book. */

import { Effect, Schema } from "effect"
import { Discovery } from "../discovery.ts"
import { LoggedText } from "../../../http/records/date-time.ts"
import type { Endpoint } from "../../../http/endpoint.ts"

const Retailer = Schema.Struct({
  retailer_id: LoggedText,
  name: Schema.String,
  logo_url: Schema.NullOr(Schema.String),
  support_phone: Schema.NullOr(Schema.String),
  pickup_requirements: Schema.NullOr(Schema.String),
}).annotations({ identifier: "Retailer" })

const Zone = Schema.Struct({
  zone_id: LoggedText,
  name: Schema.String,
  latitude: Schema.NullOr(Schema.Number),
  longitude: Schema.NullOr(Schema.Number),
  retailers: Schema.Array(Retailer),
}).annotations({ identifier: "Zone", description: "Coordinates are WGS 84." })

const Site = Schema.Struct({
  site_id: LoggedText,
  name: Schema.String,
  timezone: Schema.NullOr(LoggedText),
  zones: Schema.Array(Zone),
}).annotations({ identifier: "Site" })

const list: Endpoint<Discovery> = {
  method: "GET",
  path: "/rs/v1/retailers",
  operationId: "listRetailers",
  summary: "Sites, zones and retailers that the organization may book",
  permissions: ["retailers:read"],
  budget: "requests",
  parameters: [],
  body: null,
  answers: { 200: Schema.Struct({ sites: Schema.Array(Site) }) },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const discovery = yield* Discovery
      return { status: 200, data: { sites: yield* discovery.sites(caller) } }
    }),
}

export const retailers = [list]
