/** Places of customers: drawn in the area of a site. */

import type { Place, Polygon } from "../../../model/place.ts"
import { isInside } from "../../../areas/dispatch/geography.ts"
import { toDecimetre } from "../../../areas/dispatch/driving.ts"
import type { Chance } from "../chance.ts"
import type { FleetWorld } from "./fleet-world.ts"

export const NOWHERE: Place = { latitude: 0, longitude: 0 }

/** Attempts to draw a place inside an area from its bounding rectangle; more mean that the area is almost empty. */
const TRIES_MAX = 1_000

/** A place in the area of a site, uniformly distributed. */
export function placeIn({ areas }: FleetWorld, siteNumber: number, chance: Chance): Place {
  const area = areas[siteNumber] ?? []
  const { west, east, south, north } = boundsOf(area)
  let place = NOWHERE
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const longitude = toDecimetre(west + chance.fraction("place") * (east - west))
    const latitude = toDecimetre(south + chance.fraction("place") * (north - south))
    place = { latitude, longitude }
    if (isInside(place, area)) return place
  }
  return place
}

interface Bounds {
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
}

/** By area: every order of a site is drawn in the same one. */
const boundsByArea = new WeakMap<Polygon, Bounds>()

function boundsOf(area: Polygon): Bounds {
  const known = boundsByArea.get(area)
  if (known !== undefined) return known
  const [corners = []] = area
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  const bounds = {
    west: Math.min(...xs),
    east: Math.max(...xs),
    south: Math.min(...ys),
    north: Math.max(...ys),
  }
  boundsByArea.set(area, bounds)
  return bounds
}
