/** Distances, driving times and service areas. Whole metres and minutes, so that decisions compare integers. */

import { booleanPointInPolygon } from "@turf/boolean-point-in-polygon"
import { distance } from "@turf/distance"
import type { Place, Polygon } from "../../model/place.ts"
import { CRUISE_KMH } from "../../model/limits.ts"
import { HOUR_MS, MINUTE_MS } from "../../model/time.ts"
import type { EpochMs } from "../../model/time.ts"

/** The straight distance, rounded to a metre: the last bits of a sine differ between machines. */
export function metresBetween(one: Place, other: Place): number {
  return Math.round(distance(positionOf(one), positionOf(other), { units: "meters" }))
}

/** A place on the boundary is inside. */
export function isInside(place: Place, area: Polygon): boolean {
  const coordinates = area.map((ring) => ring.map(([longitude, latitude]) => [longitude, latitude]))
  return booleanPointInPolygon(positionOf(place), { type: "Polygon", coordinates })
}

/** How long a vehicle drives this distance at city speed. */
export function driveMs(metres: number): number {
  return Math.ceil((metres * HOUR_MS) / (CRUISE_KMH * 1000))
}

/** The instant, rounded up to a full minute. */
export function upToMinute(instantMs: EpochMs): EpochMs {
  return Math.ceil(instantMs / MINUTE_MS) * MINUTE_MS
}

/** The place this many metres north: accurate enough for a depot. */
export function northOf({ latitude, longitude }: Place, metres: number): Place {
  return { latitude: latitude + metres / METRES_PER_DEGREE, longitude }
}

/** The square around a place, with this distance to each side; not for the poles. */
export function squareAround({ latitude, longitude }: Place, metres: number): Polygon {
  const up = metres / METRES_PER_DEGREE
  const aside = up / Math.cos((latitude * Math.PI) / 180)
  const [south, north, west, east] = [latitude - up, latitude + up, longitude - aside, longitude + aside]
  return [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ]
}

/** Along a meridian. */
const METRES_PER_DEGREE = 111_195

function positionOf({ latitude, longitude }: Place): [number, number] {
  return [longitude, latitude]
}
