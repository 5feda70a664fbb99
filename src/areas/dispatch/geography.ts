/** Distances, driving times and service areas. Whole metres and minutes, so that decisions compare integers. */

import { booleanPointInPolygon } from "@turf/boolean-point-in-polygon"
import type { Place, Polygon } from "../../model/place.ts"
import { CRUISE_KMH } from "../../model/values/limits.ts"
import { HOUR_MS, MINUTE_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"

/**
 * The straight distance, rounded to a metre: the last bits of a sine differ between machines. The haversine formula in the order
 * of `@turf/distance`, which gives the same bits (a test) and makes objects for each place.
 */
export function metresBetween(one: Place, other: Place): number {
  const northSine = Math.sin(radiansOf(other.latitude - one.latitude) / 2)
  const eastSine = Math.sin(radiansOf(other.longitude - one.longitude) / 2)
  const share =
    northSine * northSine +
    eastSine * eastSine * Math.cos(radiansOf(one.latitude)) * Math.cos(radiansOf(other.latitude))
  return Math.round(2 * Math.atan2(Math.sqrt(share), Math.sqrt(1 - share)) * EARTH_RADIUS_M)
}

/** The mean radius. */
const EARTH_RADIUS_M = 6_371_008.8

function radiansOf(degrees: number): number {
  const ofOneTurn = degrees >= 360 || degrees <= -360 ? degrees % 360 : degrees
  return (ofOneTurn * Math.PI) / 180
}

/** A place on the boundary is inside. */
export function isInside(place: Place, area: Polygon): boolean {
  // Its type allows changes; it makes none.
  const coordinates = area as unknown as number[][][]
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
