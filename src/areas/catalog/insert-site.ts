/** Creates a site with its stalls, for operations, the portal and reviews of production access. */

import type { Environment } from "../../model/caller.ts"
import type { Stall, Zone } from "../../model/nouns/catalog-nouns.ts"
import { Refused } from "../../model/values/errors.ts"
import { newId } from "../../model/ids.ts"
import type { Site } from "../../model/site.ts"
import { Routine } from "../../engine/services/routine.ts"
import { CatalogRows } from "./rows.ts"

/** A site with the zone and the stalls created with it. */
interface MadeSite {
  readonly site: Site
  /** Null without stalls. */
  readonly zone: Zone | null
  readonly stalls: readonly Stall[]
}

/**
 * Creates the site, and its stalls in a zone with the site's name. Runs inside a transaction that holds the catalog's
 * key.
 */
export const insertSite = Routine.fn(function* ({
  environment,
  site,
  labels,
  nonce,
}: {
  readonly environment: Environment
  readonly site: Site
  readonly labels: readonly string[]
  /** Ids of zone and stalls are derived from it. */
  readonly nonce: string
}) {
  const { sites, zones, stalls } = yield* CatalogRows
  const { siteId } = site
  for (const known of ["production", "sandbox"] as const) {
    if ((yield* sites.get(known, siteId)) !== null && (known === environment || site.organizationId !== null))
      return yield* new Refused({ code: "ALREADY_EXISTS", detail: `site ${siteId} in ${known}` })
  }
  yield* sites.insert(environment, site)
  if (labels.length === 0) return { site, zone: null, stalls: [] } satisfies MadeSite
  const zone: Zone = {
    zoneId: newId("zone", nonce),
    siteId,
    name: site.name,
    latitude: site.place?.latitude ?? null,
    longitude: site.place?.longitude ?? null,
    hasRunner: true,
  }
  yield* zones.insert(environment, zone)
  const made = labels.map((label, at): Stall => ({
    stallId: newId("stall", `${nonce} ${at}`),
    zoneId: zone.zoneId,
    label,
    isActive: true,
  }))
  yield* Routine.forEach(made, (stall) => stalls.insert(environment, stall), { discard: true })
  return { site, zone, stalls: made } satisfies MadeSite
})
