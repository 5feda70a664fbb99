/** The polygon that a site serves. */

import { squareAround } from "../../../areas/dispatch/geography.ts"
import type { Place, Polygon } from "../../../model/place.ts"

export function areaOf({ at, area, reach_km: reach }: ServingSite): Polygon {
  if (area === null) return squareAround(at, reach * 1000)
  const ring = area.map(({ latitude, longitude }) => [longitude, latitude] as const)
  return [[...ring, ring[0] ?? [0, 0]]]
}

interface ServingSite {
  readonly at: Place
  readonly area: readonly Place[] | null
  readonly reach_km: number
}
