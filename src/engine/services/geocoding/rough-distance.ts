/** Distances that tell one part of a city from another; driving distances are measured in `areas/dispatch`. */

import type { Place } from "../../../model/place.ts"

const KM_PER_DEGREE = 111.195

/** On a flat map: good to a hundredth within a hundred kilometres. */
export function kilometresBetween(one: Place, other: Place): number {
  const north = other.latitude - one.latitude
  const east = (other.longitude - one.longitude) * Math.cos((one.latitude * Math.PI) / 180)
  return Math.hypot(north, east) * KM_PER_DEGREE
}
