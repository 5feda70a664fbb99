/**
 * How much of two service areas is the same ground. Both areas are cut by lines from west to east, and the lengths that
 * lie in both are added up: the cost has a bound, whatever the areas look like, and inside means the same as in
 * `geography.ts`. Libraries that clip polygons take seconds for areas of many corners (src/DECISIONS.md §19).
 */

import { AREA_LINES } from "../../model/values/limits.ts"
import type { Polygon } from "../../model/place.ts"

/** Rounded to a square metre. */
export function squareMetresOf(area: Polygon): number {
  return overlapSquareMetres(area, area)
}

/** Rounded to a square metre; 0 for areas that only touch. */
export function overlapSquareMetres(one: Polygon, other: Polygon): number {
  const common = commonLatitudes(one, other)
  if (common === null) return 0
  const step = (common.north - common.south) / AREA_LINES
  const height = step * METRES_PER_DEGREE
  let sum = 0
  for (let line = 0; line < AREA_LINES; line += 1) {
    const latitude = common.south + (line + 0.5) * step
    const degrees = sharedLength(crossings(one, latitude), crossings(other, latitude))
    sum += degrees * METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180) * height
  }
  return Math.round(sum)
}

/** Along a meridian. */
const METRES_PER_DEGREE = 111_195

/** Null when no latitude is in both, or no longitude. */
function commonLatitudes(
  one: Polygon,
  other: Polygon,
): { readonly south: number; readonly north: number } | null {
  const [a, b] = [boundsOf(one), boundsOf(other)]
  const [south, north] = [Math.max(a.south, b.south), Math.min(a.north, b.north)]
  const isApart = south >= north || Math.max(a.west, b.west) >= Math.min(a.east, b.east)
  return isApart ? null : { south, north }
}

function boundsOf([outline = []]: Polygon) {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [longitude, latitude] of outline) {
    west = Math.min(west, longitude)
    east = Math.max(east, longitude)
    south = Math.min(south, latitude)
    north = Math.max(north, latitude)
  }
  return { west, south, east, north }
}

/** Longitudes at which the line crosses the rings, from west to east: inside is between each odd one and the next. */
function crossings(area: Polygon, latitude: number): readonly number[] {
  const found: number[] = []
  for (const ring of area) {
    for (const [at, [longitude, from]] of ring.entries()) {
      const next = ring[at + 1]
      if (next === undefined) continue
      const [nextLongitude, to] = next
      if (from <= latitude === to <= latitude) continue
      found.push(longitude + ((latitude - from) * (nextLongitude - longitude)) / (to - from))
    }
  }
  return found.toSorted((a, b) => a - b)
}

/** Degrees that lie in stretches of both. */
function sharedLength(one: readonly number[], other: readonly number[]): number {
  let [sum, at, otherAt] = [0, 0, 0]
  for (;;) {
    const [from, to] = [one[at], one[at + 1]]
    const [otherFrom, otherTo] = [other[otherAt], other[otherAt + 1]]
    if (from === undefined || to === undefined || otherFrom === undefined || otherTo === undefined) return sum
    sum += Math.max(0, Math.min(to, otherTo) - Math.max(from, otherFrom))
    if (to < otherTo) at += 2
    else otherAt += 2
  }
}
