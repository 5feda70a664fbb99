/** Metres east and north of a run's first site: what moves is kept in them, so that a picture of it is one scaling. */

import type { CoursePlace } from "../../../../model/replay/course.ts"

export interface Spot {
  /** m */
  readonly east: number
  readonly north: number
}

export interface Ground {
  readonly spotOf: (place: CoursePlace) => Spot
  readonly placeOf: (spot: Spot) => CoursePlace
}

/** m in a degree of latitude */
const DEGREE_M = 111_320

/** Equirectangular around the place, exact enough for a city. */
export function groundAround([latitude, longitude]: CoursePlace): Ground {
  const across = DEGREE_M * Math.max(0.01, Math.cos((latitude * Math.PI) / 180))
  return {
    spotOf: (place) => ({ east: (place[1] - longitude) * across, north: (place[0] - latitude) * DEGREE_M }),
    placeOf: ({ east, north }) => [latitude + north / DEGREE_M, longitude + east / across],
  }
}

/** m */
export function distanceM(one: Spot, other: Spot): number {
  return Math.hypot(one.east - other.east, one.north - other.north)
}
