/** Settings of a site from a request: its place, its area, and the rest. For operations, and for people who change a sandbox site. */

import { Refused } from "../../model/values/errors.ts"
import type { Place } from "../../model/place.ts"
import type { NewSite, Site, SiteAddress, SiteChange } from "../../model/site.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import type { Owner } from "../../engine/services/owner-turns.ts"
import { Geocoder } from "../../engine/services/geocoding/geocoder.ts"
import { Routine } from "../../engine/services/routine.ts"
import { squareAround } from "./geography.ts"

/** Settings without their place and area. */
export function plainChanges(request: SiteChange): Partial<Site> {
  const { organization_id, is_active, fleet_id, delivery_price_cents, ready_ahead_minutes } = request
  const { name, timezone, address, has_supervisor, dispatch_policy } = request
  return {
    ...(name === undefined ? {} : { name }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(address === undefined ? {} : { address }),
    ...(organization_id === undefined ? {} : { organizationId: organization_id }),
    ...(is_active === undefined ? {} : { isActive: is_active }),
    ...(fleet_id === undefined ? {} : { fleetId: fleet_id }),
    ...(has_supervisor === undefined ? {} : { hasSupervisor: has_supervisor }),
    ...(dispatch_policy === undefined ? {} : { dispatchPolicy: dispatch_policy }),
    ...(delivery_price_cents === undefined ? {} : { priceCents: delivery_price_cents }),
    ...(ready_ahead_minutes === undefined ? {} : { readyAheadMsMax: ready_ahead_minutes * MINUTE_MS }),
  }
}

/** The given point, else the place of the address; undefined when neither was sent. */
export const placeIn = Routine.fn(function* (
  owner: Owner,
  { latitude, longitude, address }: Pick<NewSite, "address" | "latitude" | "longitude">,
) {
  if (latitude !== undefined && longitude !== undefined) return { latitude, longitude }
  return address === undefined || address === null ? undefined : yield* locate(owner, address)
})

const locate = Routine.fn(function* (owner: Owner, address: SiteAddress) {
  const geocoder = yield* Geocoder
  const found = yield* Routine.suspend(() => geocoder.locate(address, owner))
  switch (found.type) {
    case "found":
      return found.place
    case "unknown":
      return yield* invalid("address", "is not known to the geocoder: send latitude and longitude with it")
    case "unavailable":
      return yield* invalid(
        "address",
        "cannot be looked up, because the geocoder does not answer: try again, or send latitude and longitude",
      )
  }
})

/** The given area, or the square; undefined when neither was sent. */
export function areaIn({ area, reach_km }: Pick<NewSite, "area" | "reach_km">, place: Place | null) {
  if (reach_km === undefined) return Routine.succeed(area)
  return place === null
    ? invalid("reach_km", "needs a place: send an address, or latitude and longitude")
    : Routine.succeed(squareAround(place, reach_km * 1000))
}

function invalid(field: string, message: string): Routine<never, Refused> {
  return Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems: [{ field, message }] }))
}
