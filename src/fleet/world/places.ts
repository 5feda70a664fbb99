/** Places of customers: drawn in the area of a site. */

import type { Place } from "../../model/place.ts"
import { isInside } from "../../areas/dispatch/geography.ts"
import { toDecimetre } from "../../areas/dispatch/driving.ts"
import type { FleetWorld } from "./fleet-world.ts"

export const NOWHERE: Place = { latitude: 0, longitude: 0 }

/** Attempts to draw a place inside an area from its bounding rectangle; more mean that the area is almost empty. */
const TRIES_MAX = 1_000

/** A place in the area of a site, uniformly distributed. `source` names the random stream. */
export function placeIn({ areas, chance }: FleetWorld, siteNumber: number, source: string): Place {
  const area = areas[siteNumber] ?? []
  const corners = area[0] ?? []
  const [west, east] = [Math.min(...corners.map(([x]) => x)), Math.max(...corners.map(([x]) => x))]
  const [south, north] = [Math.min(...corners.map(([, y]) => y)), Math.max(...corners.map(([, y]) => y))]
  let place = NOWHERE
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const longitude = toDecimetre(west + chance.fraction(source) * (east - west))
    const latitude = toDecimetre(south + chance.fraction(source) * (north - south))
    place = { latitude, longitude }
    if (isInside(place, area)) return place
  }
  return place
}
