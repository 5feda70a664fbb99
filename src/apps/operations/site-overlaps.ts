/** The sites whose service areas share ground with that of one site: operations see it before customers have two prices. */

import { overlapSquareMetres, squareMetresOf } from "../../areas/dispatch/overlap.ts"
import { OVERLAPS_SHOWN_MAX } from "../../model/values/limits.ts"
import type { Site } from "../../model/site.ts"

export interface SiteOverlap {
  readonly site: Site
  readonly squareMetres: number
  /** Of the first site's area, from 0 to 1. */
  readonly share: number
}

/** The largest first. Closed sites are among them, because they may open again. */
export function overlapsOf({ siteId, area }: Site, sites: readonly Site[]): readonly SiteOverlap[] {
  if (area === null) return []
  const whole = squareMetresOf(area)
  return sites
    .flatMap((site) => {
      if (site.siteId === siteId || site.area === null) return []
      const squareMetres = overlapSquareMetres(area, site.area)
      return squareMetres === 0 ? [] : [{ site, squareMetres, share: squareMetres / whole }]
    })
    .toSorted((a, b) => b.squareMetres - a.squareMetres || (a.site.siteId < b.site.siteId ? -1 : 1))
    .slice(0, OVERLAPS_SHOWN_MAX)
}
