/** Distances, times of driving and service areas. Whole metres and minutes, so that decisions compare integers. */

import { booleanPointInPolygon } from "@turf/boolean-point-in-polygon"
import { distance } from "@turf/distance"
import type { Place, Polygon } from "../../model/place.ts"
import { CRUISE_KMH } from "../../model/limits.ts"
import { HOUR_MS, MINUTE_MS } from "../../model/time.ts"
import type { EpochMs } from "../../model/time.ts"

/** As the crow flies, rounded to a metre: the last bits of a sine differ between machines. */
export function metresBetween(one: Place, other: Place): number {
  return Math.round(distance(positionOf(one), positionOf(other), { units: "meters" }))
}

/** A place on the boundary is inside. */
export function isInside(place: Place, area: Polygon): boolean {
  const coordinates = area.map((ring) => ring.map(([longitude, latitude]) => [longitude, latitude]))
  return booleanPointInPolygon(positionOf(place), { type: "Polygon", coordinates })
}

/** How long a vehicle drives that way at the pace of the city. */
export function driveMs(metres: number): number {
  return Math.ceil((metres * HOUR_MS) / (CRUISE_KMH * 1000))
}

/** The next full minute, or the instant itself when it is one. */
export function upToMinute(instantMs: EpochMs): EpochMs {
  return Math.ceil(instantMs / MINUTE_MS) * MINUTE_MS
}

/** The place that many metres north: close enough for a depot. */
export function northOf({ latitude, longitude }: Place, metres: number): Place {
  return { latitude: latitude + metres / METRES_PER_DEGREE, longitude }
}

/** Along a meridian. */
const METRES_PER_DEGREE = 111_195

function positionOf({ latitude, longitude }: Place): [number, number] {
  return [longitude, latitude]
}
