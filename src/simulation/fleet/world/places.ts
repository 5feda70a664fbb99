/** Places of customers: drawn in the area of a site, where the model's doors are and where streets lead. */

import type { Place, Polygon } from "../../../model/place.ts"
import { isInside } from "../../../areas/dispatch/geography.ts"
import { toDecimetre } from "../../../areas/dispatch/driving.ts"
import type { Chance } from "../chance.ts"
import type { Weighted } from "../language/doors.ts"
import type { FleetWorld } from "./fleet-world.ts"

export const NOWHERE: Place = { latitude: 0, longitude: 0 }

/** Attempts to draw a place inside an area from its bounding rectangle; more mean that the area is almost empty. */
const TRIES_MAX = 1_000

/**
 * A place in the area of a site that a street leads to: uniformly distributed, or as the model's doors are. In an area that is almost
 * empty or has almost no streets the last place in it that was drawn.
 */
export function placeIn(world: FleetWorld, siteNumber: number, chance: Chance): Place {
  const area = world.areas[siteNumber] ?? []
  const { doors } = world.model
  let place = NOWHERE
  let inside: Place | null = null
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    switch (doors.is) {
      case "points":
        place = chosen(doors.bySite[siteNumber], chance) ?? NOWHERE
        break
      case "areas": {
        const part = chosen(doors.bySite[siteNumber], chance) ?? area
        place = somewhere(part, chance)
        if (!isInside(place, part)) continue
        break
      }
      case "anywhere":
        place = somewhere(area, chance)
    }
    if (!isInside(place, area)) continue
    if (world.routing.reaches(place)) return place
    inside = place
  }
  return inside ?? place
}

function somewhere(area: Polygon, chance: Chance): Place {
  const { west, east, south, north } = boundsOf(area)
  const longitude = toDecimetre(west + chance.fraction("place") * (east - west))
  const latitude = toDecimetre(south + chance.fraction("place") * (north - south))
  return { latitude, longitude }
}

function chosen<T>(among: Weighted<T> | undefined, chance: Chance): T | undefined {
  const sums = among?.sums ?? []
  const drawn = chance.fraction("door") * (sums.at(-1) ?? 0)
  let [low, high] = [0, sums.length - 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((sums[middle] ?? 0) > drawn) high = middle
    else low = middle + 1
  }
  return among?.of[low]
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
