/** What a site serves. */

import { squareAround } from "../../../areas/dispatch/geography.ts"
import { STREET_MARGIN_M } from "../../../model/values/limits.ts"
import type { Place, Polygon } from "../../../model/place.ts"
import type { Box } from "../../../pages/html/map/projection.ts"

export interface ServedSite {
  readonly at: Place
  readonly area: readonly Place[] | null
  readonly reach_km: number
}

/** Its area, or the square of its reach. */
export function areaOf(site: ServedSite): Polygon {
  if (site.area === null) return squareAround(site.at, site.reach_km * 1000)
  const ring = site.area.map(({ latitude, longitude }: Place) => [longitude, latitude] as const)
  return [[...ring, ring[0] ?? [0, 0]]]
}

/** The box of what the sites serve, with a margin for ways around. In whole hundredths of a degree, so that all machines cut alike. */
export function serviceBox(sites: readonly ServedSite[]): Box {
  const corners = sites.flatMap((site) =>
    [...(areaOf(site)[0] ?? []), [site.at.longitude, site.at.latitude] as const].flatMap(
      ([longitude, latitude]) => squareAround({ latitude, longitude }, STREET_MARGIN_M)[0] ?? [],
    ),
  )
  const [xs, ys] = [corners.map(([x]) => x * 100), corners.map(([, y]) => y * 100)]
  return {
    west: Math.floor(Math.min(...xs)) / 100,
    south: Math.floor(Math.min(...ys)) / 100,
    east: Math.ceil(Math.max(...xs)) / 100,
    north: Math.ceil(Math.max(...ys)) / 100,
  }
}
