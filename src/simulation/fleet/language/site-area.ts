/** What a site serves. */

import { squareAround } from "../../../areas/dispatch/geography.ts"
import type { Place, Polygon } from "../../../model/place.ts"

/** Its area, or the square of its reach. */
export function areaOf(site: {
  readonly at: Place
  readonly area: readonly Place[] | null
  readonly reach_km: number
}): Polygon {
  if (site.area === null) return squareAround(site.at, site.reach_km * 1000)
  const ring = site.area.map(({ latitude, longitude }: Place) => [longitude, latitude] as const)
  return [[...ring, ring[0] ?? [0, 0]]]
}
