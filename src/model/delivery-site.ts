/** Sites from which deliveries start, as operations see and tune them. Names on the wire are the Direct Delivery API's. */

import { Schema } from "effect"
import { TimeZone } from "./catalog.ts"
import { AREA_POSITIONS_MAX, CATALOG_NAME_LENGTH_MAX, DELIVERY_PRICE_CENTS_MAX } from "./limits.ts"
import type { Polygon } from "./place.ts"
import { text } from "./schema.ts"
import { DAY_MS, MINUTE_MS } from "./time.ts"

const READY_AHEAD_MINUTES_MAX = DAY_MS / MINUTE_MS

const Position = Schema.Tuple(
  Schema.Number.pipe(Schema.between(-180, 180)),
  Schema.Number.pipe(Schema.between(-90, 90)),
)

/** Coordinates of a polygon: rings of [longitude, latitude], each closed. Source: RFC 7946 §3.1.6. */
const Area: Schema.Schema<Polygon> = Schema.Array(Schema.Array(Position)).pipe(
  Schema.filter(isPolygon),
  Schema.annotations({
    description:
      "Coordinates of a GeoJSON polygon: closed rings of [longitude, latitude], the outer one first.",
  }),
)

function isPolygon(rings: Polygon): boolean | string {
  if (rings.length === 0) return "must hold a ring"
  if (rings.flat().length > AREA_POSITIONS_MAX) return `must hold at most ${AREA_POSITIONS_MAX} positions`
  return rings.every(isClosed) || "must hold rings of at least 4 positions, the last one like the first"
}

function isClosed(ring: Polygon[number]): boolean {
  const [first, last] = [ring[0], ring.at(-1)]
  return ring.length >= 4 && first?.[0] === last?.[0] && first?.[1] === last?.[1]
}

const Price = Schema.NullOr(Schema.Int.pipe(Schema.between(0, DELIVERY_PRICE_CENTS_MAX)))
const ReadyAhead = Schema.Int.pipe(Schema.between(1, READY_AHEAD_MINUTES_MAX))

export const DeliverySiteView = Schema.Struct({
  site_id: Schema.String,
  organization_id: Schema.String,
  name: Schema.String,
  is_active: Schema.Boolean,
  is_configured: Schema.Boolean,
  fleet_id: Schema.String,
  latitude: Schema.NullOr(Schema.Number),
  longitude: Schema.NullOr(Schema.Number),
  timezone: Schema.NullOr(Schema.String),
  area: Schema.NullOr(Area),
  delivery_price_cents: Schema.NullOr(Schema.Int),
  ready_ahead_minutes: Schema.Number,
  has_supervisor: Schema.Boolean,
}).pipe(Schema.annotations({ identifier: "DeliverySite" }))
export type DeliverySiteView = typeof DeliverySiteView.Type

function may<A>(schema: Schema.Schema<A>) {
  return Schema.optionalWith(schema, { exact: true })
}

/** What is not sent stays. Without an area or a price a site is not configured. */
export const DeliverySiteChange = Schema.Struct({
  name: may(text({ max: CATALOG_NAME_LENGTH_MAX })),
  is_active: may(Schema.Boolean),
  timezone: may(Schema.NullOr(TimeZone)),
  area: may(Schema.NullOr(Area)),
  delivery_price_cents: may(Price),
  ready_ahead_minutes: may(ReadyAhead),
}).pipe(
  Schema.filter(
    (change) => Object.keys(change).length > 0 || "must hold at least one field that can be changed",
  ),
)
export type DeliverySiteChange = typeof DeliverySiteChange.Type
