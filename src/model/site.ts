/**
 * A site: one physical place, created once by operations. Reservations are booked at its stalls, and deliveries of the
 * organization that owns it start there. One definition gives the type, the check, the field names on the wire and the
 * JSON Schema.
 */

import { Schema } from "effect"
import { TimeZone } from "./catalog.ts"
import { SiteId } from "./nouns/noun-schemas.ts"
import { CHOSEN_ID } from "./ids.ts"
import {
  ADDRESS_LINE_LENGTH_MAX,
  AREA_POSITIONS_MAX,
  CATALOG_NAME_LENGTH_MAX,
  DELIVERY_PRICE_CENTS_MAX,
  READY_AHEAD_MS_MAX,
  SITE_LATITUDE_MAX,
  SITE_REACH_KM_MAX,
  SITE_STALLS_MAX,
  STATE_LENGTH_MAX,
  ZIP_LENGTH_MAX,
} from "./values/limits.ts"
import type { Place, Polygon } from "./place.ts"
import { text } from "./values/schema.ts"
import { DISPATCH_POLICIES, DEFAULT_DISPATCH_POLICY } from "./vehicle-pool.ts"
import type { DispatchPolicy } from "./vehicle-pool.ts"
import { DAY_MS, MINUTE_MS } from "./values/time.ts"

export type SiteAddress = {
  readonly street: string
  readonly city: string
  readonly state: string
  readonly zip: string
}

export interface Site {
  readonly siteId: string
  readonly name: string
  /** IANA time zone in which the site's days begin, or null. */
  readonly timezone: string | null
  /** The organization whose deliveries start here; null for a site that is only booked. */
  readonly organizationId: string | null
  /** Whether deliveries may start here. Stalls and grants decide about bookings. */
  readonly isActive: boolean
  /** The fleet whose vehicles serve the site; never null for a site with an organization. */
  readonly fleetId: string | null
  readonly address: SiteAddress | null
  /** Where vehicles pick up. */
  readonly place: Place | null
  /** The area that is served. */
  readonly area: Polygon | null
  /** Price of one delivery. */
  readonly priceCents: number | null
  /** How far ahead a run may be requested. */
  readonly readyAheadMsMax: number
  /** True when people at the site may change a delivery's status. */
  readonly hasSupervisor: boolean
  /** Which vehicle of the fleet takes a run of the site. */
  readonly dispatchPolicy: DispatchPolicy
}

/** A site at which stalls may be booked and no delivery starts. */
export function bookedSite(named: Pick<Site, "name" | "siteId" | "timezone">): Site {
  return {
    ...named,
    organizationId: null,
    isActive: true,
    fleetId: null,
    address: null,
    place: null,
    area: null,
    priceCents: null,
    readyAheadMsMax: READY_AHEAD_MS_MAX,
    hasSupervisor: false,
    dispatchPolicy: DEFAULT_DISPATCH_POLICY,
  }
}

/** True when a quote has all the settings that it needs. */
export function isConfigured({ place, area, priceCents }: Site): boolean {
  return place !== null && area !== null && priceCents !== null
}

function number(min: number, max: number, unit: string): Schema.Schema<number> {
  return Schema.Number.pipe(
    Schema.filter(
      (value) => (value >= min && value <= max) || `must be from ${min} to ${max} ${unit}, is ${value}`,
    ),
    Schema.annotations({ jsonSchema: { type: "number", minimum: min, maximum: max } }),
  )
}

function whole(min: number, max: number, unit: string): Schema.Schema<number> {
  return Schema.Number.pipe(
    Schema.filter(
      (value) =>
        (Number.isInteger(value) && value >= min && value <= max) ||
        `must be a whole number from ${min} to ${max} ${unit}, is ${value}`,
    ),
    Schema.annotations({ jsonSchema: { type: "integer", minimum: min, maximum: max } }),
  )
}

const Position = Schema.Tuple(number(-180, 180, "degrees"), number(-90, 90, "degrees"))

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

const SiteAddressRequest = Schema.Struct({
  street: text({ max: ADDRESS_LINE_LENGTH_MAX }),
  city: text({ max: ADDRESS_LINE_LENGTH_MAX }),
  state: text({ max: STATE_LENGTH_MAX }),
  zip: text({ max: ZIP_LENGTH_MAX }),
})

/** Of a site as people read it. */
export const HasVehicle = Schema.Boolean.annotations({
  description: "Whether its fleet has a vehicle, on line or not; without one no delivery starts there.",
})

const DispatchPolicySchema = Schema.Literal(...DISPATCH_POLICIES).annotations({
  description:
    "Which vehicle takes a run, of those with a free place: `earliest_free` takes the one that can be at the store first, after the runs that it has, `least_loaded` the one with the fewest runs, and `nearest` the one that is nearest to the store, though it has a run. `batching` takes one whose run is not on board yet and starts at the same store for a near door, so that both orders go on one trip, and otherwise as `earliest_free`; its promised arrivals allow for the second order. Among equal ones the nearest is taken.",
})

/** A site as operations read it. */
export const SiteView = Schema.Struct({
  site_id: Schema.String,
  name: Schema.String,
  timezone: Schema.NullOr(Schema.String),
  organization_id: Schema.NullOr(Schema.String),
  is_active: Schema.Boolean,
  is_configured: Schema.Boolean,
  has_vehicle: HasVehicle,
  fleet_id: Schema.NullOr(Schema.String),
  address: Schema.NullOr(SiteAddressRequest),
  latitude: Schema.NullOr(Schema.Number),
  longitude: Schema.NullOr(Schema.Number),
  area: Schema.NullOr(Area),
  delivery_price_cents: Schema.NullOr(Schema.Int),
  ready_ahead_minutes: Schema.Number,
  has_supervisor: Schema.Boolean,
  dispatch_policy: DispatchPolicySchema,
}).annotations({
  identifier: "Site",
  description:
    "Deliveries of `organization_id` start here once the site has a place, an area and a price (`is_configured`), and its fleet a vehicle (`has_vehicle`); without an organization it is only booked.",
})
export type SiteView = typeof SiteView.Type

/** `served`: fleets that have a vehicle, that of the site among them if it has one. */
export function siteViewOf(site: Site, served: ReadonlySet<string | null>): SiteView {
  return {
    site_id: site.siteId,
    name: site.name,
    timezone: site.timezone,
    organization_id: site.organizationId,
    is_active: site.isActive,
    is_configured: isConfigured(site),
    has_vehicle: served.has(site.fleetId),
    fleet_id: site.fleetId,
    address: site.address,
    latitude: site.place?.latitude ?? null,
    longitude: site.place?.longitude ?? null,
    area: site.area,
    delivery_price_cents: site.priceCents,
    ready_ahead_minutes: site.readyAheadMsMax / MINUTE_MS,
    has_supervisor: site.hasSupervisor,
    dispatch_policy: site.dispatchPolicy,
  }
}

/** Another site whose area shares ground with that of a site. */
const SiteOverlapView = Schema.Struct({
  site_id: Schema.String,
  name: Schema.String,
  organization_id: Schema.NullOr(Schema.String),
  is_active: Schema.Boolean,
  area_km2: Schema.Number.annotations({ description: "What both areas share." }),
  share: Schema.Number.annotations({ description: "Of the area of the site that was read, from 0 to 1." }),
  area: Schema.NullOr(Area),
}).annotations({ identifier: "SiteOverlap" })
export type SiteOverlapView = typeof SiteOverlapView.Type

/** One site, as operations read it alone. */
export const SiteDetails = Schema.Struct({
  ...SiteView.fields,
  area_km2: Schema.NullOr(Schema.Number).annotations({ description: "Of the served area." }),
  overlaps: Schema.Array(SiteOverlapView).annotations({ description: "The largest first." }),
}).annotations({ identifier: "SiteDetails" })
export type SiteDetails = typeof SiteDetails.Type

function may<A, I>(schema: Schema.Schema<A, I>) {
  return Schema.optionalWith(schema, { exact: true })
}

const FleetId = Schema.String.pipe(
  Schema.filter((id) => CHOSEN_ID.test(id) || "must be 1 to 64 letters, digits, _ and -"),
  Schema.annotations({ jsonSchema: { type: "string", pattern: CHOSEN_ID.source } }),
)

const Name = text({ max: CATALOG_NAME_LENGTH_MAX })

/** Fields of a site that can be set at creation and changed later. */
const FIELDS = {
  /** Of a new site that names none: that of its place. */
  timezone: may(Schema.NullOr(TimeZone)),
  /** The organization whose deliveries start here. Once set, it cannot be changed. */
  organization_id: may(text({ max: CATALOG_NAME_LENGTH_MAX })),
  /** Geocoded unless latitude and longitude are given. */
  address: may(Schema.NullOr(SiteAddressRequest)),
  latitude: may(number(-SITE_LATITUDE_MAX, SITE_LATITUDE_MAX, "degrees")),
  longitude: may(number(-180, 180, "degrees")),
  area: may(Schema.NullOr(Area)),
  /** Instead of an area: half the side of a square around the place. */
  reach_km: may(number(0.1, SITE_REACH_KM_MAX, "kilometres")),
  delivery_price_cents: may(Schema.NullOr(whole(0, DELIVERY_PRICE_CENTS_MAX, "cents"))),
  fleet_id: may(FleetId),
  has_supervisor: may(Schema.Boolean),
  dispatch_policy: may(DispatchPolicySchema),
  ready_ahead_minutes: may(whole(1, DAY_MS / MINUTE_MS, "minutes")),
  is_active: may(Schema.Boolean),
}

interface Fields {
  readonly latitude?: number
  readonly longitude?: number
  readonly area?: Polygon | null
  readonly reach_km?: number
}

function fits({ latitude, longitude, area, reach_km }: Fields): boolean | string {
  if ((latitude === undefined) !== (longitude === undefined))
    return "must hold latitude and longitude together"
  return area === undefined || reach_km === undefined || "must hold area or reach_km, not both"
}

/** Labels of stalls, in order. */
const Stalls = Schema.Array(Name).pipe(
  Schema.filter(
    (labels) =>
      (labels.length >= 1 && labels.length <= SITE_STALLS_MAX) ||
      `must hold 1 to ${SITE_STALLS_MAX} labels, holds ${labels.length}`,
  ),
  Schema.annotations({ description: "Labels of stalls, which are made in a zone of the site's name." }),
)

const NEW = { site_id: may(SiteId), name: Name, ...FIELDS, stalls: may(Stalls) }

/** The service makes an id if none is sent. A site without an organization is only booked. */
export const NewSite = Schema.Struct(NEW).pipe(Schema.filter(fits))
export type NewSite = typeof NewSite.Type

/** A new site from which deliveries start: the organization is required, and a place. */
export const NewDeliverySite = Schema.Struct({
  ...NEW,
  organization_id: text({ max: CATALOG_NAME_LENGTH_MAX }),
  timezone: may(TimeZone),
}).pipe(
  Schema.filter(fits),
  Schema.filter(
    ({ address, latitude }) =>
      (address !== undefined && address !== null) ||
      latitude !== undefined ||
      "must hold an address, or latitude and longitude",
  ),
)
export type NewDeliverySite = typeof NewDeliverySite.Type

/** Absent fields keep their values. */
export const SiteChange = Schema.Struct({ name: may(Name), ...FIELDS }).pipe(
  Schema.filter(
    (change) => Object.keys(change).length > 0 || "must hold at least one field that can be changed",
  ),
  Schema.filter(fits),
)
export type SiteChange = typeof SiteChange.Type

/** What people of an organization may change at their site of the sandbox. Absent fields keep their values. */
export const SandboxSiteChange = Schema.Struct({ name: may(Name), ...FIELDS }).pipe(
  Schema.omit("organization_id", "fleet_id", "has_supervisor"),
  Schema.filter(
    (change) => Object.keys(change).length > 0 || "must hold at least one field that can be changed",
  ),
  Schema.filter(fits),
)
export type SandboxSiteChange = typeof SandboxSiteChange.Type

/** A site in an organization's request for production access. Operations set its area and price. */
export const RequestedSite = Schema.Struct({
  name: Name,
  address: SiteAddressRequest,
  /** If absent: that of the address. */
  timezone: may(TimeZone),
  expected_deliveries_per_day: whole(1, 100_000, "deliveries a day"),
}).annotations({ identifier: "RequestedSite" })
export type RequestedSite = typeof RequestedSite.Type
