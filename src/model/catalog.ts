/**
 * The catalog as operations write it: zones, stalls, retailers; sites are in `site.ts`. One definition gives the type,
 * the check, the field names on the wire and the JSON Schema.
 */

import { Schema } from "effect"
import {
  CATALOG_ID_LENGTH_MAX,
  CATALOG_NAME_LENGTH_MAX,
  CATALOG_TEXT_LENGTH_MAX,
  URL_LENGTH_MAX,
} from "./values/limits.ts"
import { Phone, text } from "./values/schema.ts"
import { isTimeZone } from "./values/time-zone.ts"

const SAFE_ID = new RegExp(`^[0-9A-Za-z][0-9A-Za-z._-]{0,${CATALOG_ID_LENGTH_MAX - 1}}$`)
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** An id that needs no escaping in a URL path. */
const SafeId = Schema.String.pipe(
  Schema.filter(
    (id) =>
      SAFE_ID.test(id) ||
      `must be 1 to ${CATALOG_ID_LENGTH_MAX} letters, digits, ".", "_" or "-", the first a letter or digit`,
  ),
  Schema.annotations({ jsonSchema: { type: "string", pattern: SAFE_ID.source } }),
)

export const SiteId = Schema.String.pipe(
  Schema.filter((id) => UUID_V4.test(id) || "must be a version 4 UUID in lower case"),
  Schema.annotations({ jsonSchema: { type: "string", pattern: UUID_V4.source } }),
)

export const TimeZone = Schema.String.pipe(
  Schema.filter(
    (name) => isTimeZone(name) || "must be a time zone of the IANA database, such as America/Chicago",
  ),
  Schema.annotations({ jsonSchema: { type: "string" } }),
)

const HttpsUrl = text({ max: URL_LENGTH_MAX }).pipe(
  Schema.filter((url) => isHttps(url) || "must be an https URL without a user or password"),
  Schema.annotations({
    jsonSchema: { type: "string", pattern: "^[Hh][Tt][Tt][Pp][Ss]://", maxLength: URL_LENGTH_MAX },
  }),
)

const Name = text({ max: CATALOG_NAME_LENGTH_MAX })
const Label = Schema.NullOr(text({ min: 0, max: CATALOG_NAME_LENGTH_MAX }))
const Requirements = Schema.NullOr(text({ min: 0, max: CATALOG_TEXT_LENGTH_MAX }))

/** Degrees, WGS 84. */
function degrees(max: number): Schema.Schema<number> {
  return Schema.Number.pipe(
    Schema.filter((value) => Math.abs(value) <= max || `must be from ${-max} to ${max}, is ${value}`),
    Schema.annotations({ jsonSchema: { type: "number", minimum: -max, maximum: max } }),
  )
}

const Latitude = Schema.NullOr(degrees(90))
const Longitude = Schema.NullOr(degrees(180))

function may<A>(schema: Schema.Schema<A>) {
  return Schema.optionalWith(schema, { exact: true })
}

function holdsSomething(change: object): boolean | string {
  return Object.keys(change).length > 0 || "must hold at least one field that can be changed"
}

interface Placed {
  readonly latitude?: number | null
  readonly longitude?: number | null
}

/** A place needs both latitude and longitude. */
function isPlacedWhole({ latitude, longitude }: Placed): boolean | string {
  const isWhole =
    (latitude === undefined) === (longitude === undefined) && (latitude === null) === (longitude === null)
  return isWhole || "must hold latitude and longitude together"
}

const ZONE_NAMES = { zone_id: "zoneId", site_id: "siteId", has_runner: "hasRunner" } as const

export const Zone = Schema.Struct({
  zone_id: SafeId,
  site_id: SiteId,
  name: Name,
  latitude: Latitude,
  longitude: Longitude,
  has_runner: Schema.Boolean,
}).pipe(
  Schema.rename(ZONE_NAMES),
  Schema.annotations({
    identifier: "CatalogZone",
    description: "With `has_runner`, bookings in it open a runner task.",
  }),
)
export type Zone = typeof Zone.Type

/** The service makes an id if none is sent. A zone has runners by default. */
export const NewZone = Schema.Struct({
  zone_id: may(SafeId),
  site_id: SiteId,
  name: Name,
  latitude: may(Latitude),
  longitude: may(Longitude),
  has_runner: may(Schema.Boolean),
}).pipe(Schema.rename(ZONE_NAMES), Schema.filter(isPlacedWhole))
export type NewZone = typeof NewZone.Type

export const ZoneChange = Schema.Struct({
  name: may(Name),
  latitude: may(Latitude),
  longitude: may(Longitude),
  has_runner: may(Schema.Boolean),
}).pipe(
  Schema.rename({ has_runner: "hasRunner" }),
  Schema.filter(holdsSomething),
  Schema.filter(isPlacedWhole),
)
export type ZoneChange = typeof ZoneChange.Type

const STALL_NAMES = { stall_id: "stallId", zone_id: "zoneId", is_active: "isActive" } as const

export const Stall = Schema.Struct({
  stall_id: SafeId,
  zone_id: SafeId,
  label: Label,
  is_active: Schema.Boolean,
}).pipe(Schema.rename(STALL_NAMES), Schema.annotations({ identifier: "CatalogStall" }))
export type Stall = typeof Stall.Type

/** The service makes an id if none is sent. A stall is active by default. */
export const NewStall = Schema.Struct({
  stall_id: may(SafeId),
  zone_id: SafeId,
  label: may(Label),
  is_active: may(Schema.Boolean),
}).pipe(Schema.rename(STALL_NAMES))
export type NewStall = typeof NewStall.Type

export const StallChange = Schema.Struct({ label: may(Label), is_active: may(Schema.Boolean) }).pipe(
  Schema.rename({ is_active: "isActive" }),
  Schema.filter(holdsSomething),
)
export type StallChange = typeof StallChange.Type

const RETAILER_NAMES = {
  retailer_id: "retailerId",
  logo_url: "logoUrl",
  support_phone: "supportPhone",
  pickup_requirements: "pickupRequirements",
} as const

export const Retailer = Schema.Struct({
  retailer_id: SafeId,
  name: Name,
  logo_url: Schema.NullOr(HttpsUrl),
  support_phone: Schema.NullOr(Phone),
  pickup_requirements: Requirements,
}).pipe(Schema.rename(RETAILER_NAMES), Schema.annotations({ identifier: "CatalogRetailer" }))
export type Retailer = typeof Retailer.Type

/** The service makes an id if none is sent. */
export const NewRetailer = Schema.Struct({
  retailer_id: may(SafeId),
  name: Name,
  logo_url: may(Schema.NullOr(HttpsUrl)),
  support_phone: may(Schema.NullOr(Phone)),
  pickup_requirements: may(Requirements),
}).pipe(Schema.rename(RETAILER_NAMES))
export type NewRetailer = typeof NewRetailer.Type

export const RetailerChange = Schema.Struct({
  name: may(Name),
  logo_url: may(Schema.NullOr(HttpsUrl)),
  support_phone: may(Schema.NullOr(Phone)),
  pickup_requirements: may(Requirements),
}).pipe(
  Schema.rename({
    logo_url: "logoUrl",
    support_phone: "supportPhone",
    pickup_requirements: "pickupRequirements",
  }),
  Schema.filter(holdsSomething),
)
export type RetailerChange = typeof RetailerChange.Type

/** A retailer that a zone supports. */
export const Offer = Schema.Struct({ zone_id: SafeId, retailer_id: SafeId }).pipe(
  Schema.rename({ zone_id: "zoneId", retailer_id: "retailerId" }),
  Schema.annotations({ identifier: "Offer" }),
)
export type Offer = typeof Offer.Type

/**
 * Permission for an organization to book a retailer in a zone. It has effect only while the zone supports the retailer.
 */
export const Grant = Schema.Struct({
  organization_id: Schema.String,
  zone_id: SafeId,
  retailer_id: SafeId,
}).pipe(
  Schema.rename({ organization_id: "organizationId", zone_id: "zoneId", retailer_id: "retailerId" }),
  Schema.annotations({ identifier: "Grant" }),
)
export type Grant = typeof Grant.Type

function isHttps(url: string): boolean {
  if (!/^https:\/\//i.test(url) || !URL.canParse(url)) return false
  const { username, password } = new URL(url)
  return username === "" && password === ""
}
