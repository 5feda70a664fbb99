/** The delivery site of a scenario and its vehicles before the first step. */

import { DEFAULT_DISPATCH_POLICY, DISPATCH_POLICIES } from "../../../model/vehicle-pool.ts"
import { READY_AHEAD_MS_MAX, VEHICLES_MAX } from "../../../model/values/limits.ts"
import type { Environment } from "../../../model/caller.ts"
import type { Place, Polygon } from "../../../model/place.ts"
import type { DeliverySite } from "../../../areas/direct-delivery/rows.ts"
import { readFields } from "./fields.ts"
import { asList, asMap, readKeys } from "./keys.ts"
import { numberIfGiven } from "./field-values.ts"
import type { Field, FieldValues, GivenDelivery, GivenVehicle } from "./language.ts"
import type { ValueContext } from "./value.ts"
import type { Written } from "./source.ts"

/** The scenario's delivery site; ids are the same in every run. */
export const DELIVERY_SITE_ID = "d0a1b2c3-0000-4000-8000-00000000dd01"
export const FLEET_ID = "fleet_scenario"
export const SCENARIO_ORGANIZATION = "org_scenario"

/** Domain North in Austin. */
const STORE: Place = { latitude: 30.4021, longitude: -97.7253 }
const METRES_PER_DEGREE = 111_195

export const DELIVERY_FIELDS = {
  area_km: { is: "number", says: "how far the service area reaches from the store", usual: "5" },
  price_cents: { is: "integer", min: 0, max: 1_000_000, says: "the price of a delivery", usual: "799" },
  configured: { is: "boolean", says: "whether the site has an area and a price", usual: "true" },
  active: { is: "boolean", says: "whether the site is active", usual: "true" },
  supervisors: { is: "boolean", says: "whether people at the site move deliveries", usual: "false" },
  dispatch_policy: {
    is: "enum",
    of: DISPATCH_POLICIES,
    says: "which vehicle with a free place takes a run",
    usual: DEFAULT_DISPATCH_POLICY,
  },
} as const satisfies { readonly [name: string]: Field }

export const VEHICLE_FIELDS = {
  site: {
    is: "name",
    of: "site",
    words: ["here"],
    says: "the site of its store, where given: sites has further ones that deliver",
    short: "the store {value}",
    usual: "here",
  },
  north_m: { is: "number", says: "metres north of its store", usual: "1000" },
  online: { is: "boolean", says: "whether it is online", usual: "true" },
  synthetic: { is: "boolean", says: "whether it drives by itself", usual: "false on production" },
} as const satisfies { readonly [name: string]: Field }

export function readDeliverySite(value: Written, context: ValueContext): FieldValues {
  const map = asMap(
    value,
    `keys of a delivery site: ${Object.keys(DELIVERY_FIELDS).join(", ")}`,
    context.report,
  )
  return map === null
    ? {}
    : readFields(map, { of: "keys of a delivery site", fields: DELIVERY_FIELDS }, context)
}

/** Whether a further site has a store from which deliveries start, and what of it is its own. */
export const STORE_FIELDS = {
  delivers: {
    is: "boolean",
    says: "whether deliveries start there, at a store of its own",
    short: "a store from which deliveries start|no store",
    usual: "false",
  },
  store_north_m: {
    is: "number",
    says: "metres from the scenario's own store north to this one",
    short: "its place {value} m north of the scenario's own",
    usual: "3000",
  },
  own_fleet: {
    is: "boolean",
    says: "whether its vehicles are a fleet of its own; otherwise they are of the scenario's own fleet",
    short: "a fleet of its own|the scenario's own fleet",
    usual: "true",
  },
  ...DELIVERY_FIELDS,
} as const satisfies { readonly [name: string]: Field }

export const VEHICLE_KEYS = ["as", ...Object.keys(VEHICLE_FIELDS)] as const

export function readVehicles(value: Written, context: ValueContext): readonly GivenVehicle[] {
  const { report, nameBook } = context
  const list = asList(value, "vehicles such as [{ as: van }]", report)
  if (list === null) return []
  if (list.items.length > VEHICLES_MAX) {
    report(list.span, `${list.items.length} vehicles`, { expected: `at most ${VEHICLES_MAX}` })
    return []
  }
  return list.items.flatMap((item) => {
    const map = asMap(item, "a vehicle such as { as: van }", report)
    if (map === null) return []
    const keys = readKeys(map, { of: "keys of a vehicle", known: VEHICLE_KEYS, required: ["as"] }, report)
    const written = keys.get("as")
    const as = written === undefined ? undefined : nameBook?.give("vehicle", written.value)
    const rest = { ...map, entries: map.entries.filter(({ key }) => key in VEHICLE_FIELDS) }
    const fields = readFields(rest, { of: "keys of a vehicle", fields: VEHICLE_FIELDS }, context)
    return as === undefined ? [] : [{ as, fields, place: map.span.place }]
  })
}

/** The place that many metres east and north of the store. */
export function placeAt({ east = 0, north = 0 }: { east?: number; north?: number }): Place {
  const shrink = Math.cos((STORE.latitude * Math.PI) / 180)
  return {
    latitude: STORE.latitude + north / METRES_PER_DEGREE,
    longitude: STORE.longitude + east / (METRES_PER_DEGREE * shrink),
  }
}

export function deliverySiteOf({ fields }: GivenDelivery, environment: Environment): DeliverySite {
  const isConfigured = fields["configured"] !== false
  const north = storeNorthM(fields)
  const price = numberIfGiven(fields, "price_cents") ?? 799
  return {
    siteId: DELIVERY_SITE_ID,
    organizationId: SCENARIO_ORGANIZATION,
    environment,
    name: "Scenario store",
    timezone: "America/Chicago",
    isActive: fields["active"] !== false,
    fleetId: FLEET_ID,
    place: placeAt({ north }),
    area: isConfigured ? squareOf((numberIfGiven(fields, "area_km") ?? 5) * 1000, north) : null,
    address: null,
    priceCents: isConfigured ? price : null,
    readyAheadMsMax: READY_AHEAD_MS_MAX,
    hasSupervisor: fields["supervisors"] === true,
    dispatchPolicy:
      DISPATCH_POLICIES.find((one) => one === fields["dispatch_policy"]) ?? DEFAULT_DISPATCH_POLICY,
  }
}

/** Metres from the scenario's own store, which has none in its fields, to the one with these fields. */
export function storeNorthM(fields: FieldValues): number {
  if (fields["delivers"] !== true) return 0
  return numberIfGiven(fields, "store_north_m") ?? Number(STORE_FIELDS.store_north_m.usual)
}

function squareOf(metres: number, northOfOwn: number): Polygon {
  const corners = [
    [-metres, -metres],
    [metres, -metres],
    [metres, metres],
    [-metres, metres],
    [-metres, -metres],
  ] as const
  return [
    corners.map(([east, north]) => {
      const { latitude, longitude } = placeAt({ east, north: northOfOwn + north })
      return [longitude, latitude] as const
    }),
  ]
}

/** The city in an address that a step gives by its ZIP code; the geocoder refuses a city of another code. */
export function cityOf(zip: string | undefined): string {
  return zip === undefined || zip.startsWith("787") ? "Austin" : "Elsewhere"
}
