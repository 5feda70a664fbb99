/** Sites: their owner, and whether a delivery can start there. Every call with `x-retailer-id` is checked here. */

import type { Partner, Permission } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { Place, Polygon } from "../../model/place.ts"
import { isConfigured } from "../../model/site.ts"
import { batch } from "../../engine/services/host.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { Routine } from "../../engine/services/routine.ts"
import { DeliverySites } from "./rows.ts"
import type { DeliverySite } from "./rows.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The site of a call: the header as sent, or the site that `enterSite` has found before. */
export type SiteOfCall = string | undefined | DeliverySite

/** Checks the permission, then the site: the caller's own, of the key's environment, and active. */
export function enterSite(caller: Partner, siteOfCall: SiteOfCall, permission: Permission) {
  return Routine.map(
    enterSiteReading({ caller, siteOfCall, permission }, () => Routine.void),
    ([site]) => site,
  )
}

interface Entering {
  readonly caller: Partner
  readonly siteOfCall: SiteOfCall
  readonly permission: Permission
}

/** The same, with a read of the site's rows in the same round trip. */
export const enterSiteReading = Routine.fn(function* <A, R>(
  { caller, siteOfCall, permission }: Entering,
  read: (siteId: string) => Routine<A, never, R>,
) {
  yield* requirePermission(caller, permission)
  const sites = yield* DeliverySites
  const siteId = typeof siteOfCall === "object" ? siteOfCall.siteId : yield* siteIdIn(siteOfCall)
  const finding = typeof siteOfCall === "object" ? Routine.succeed(siteOfCall) : sites.byId(siteId)
  const [site, found] = yield* batch([finding, read(siteId)])
  const isOwn =
    site !== null && site.organizationId === caller.organizationId && site.environment === caller.environment
  if (!isOwn) return yield* new Refused({ code: "RETAILER_NOT_FOUND" })
  if (!site.isActive) return yield* new Refused({ code: "RETAILER_INACTIVE" })
  return [site, found] as const
})

function siteIdIn(header: string | undefined): Routine<string, Refused> {
  if (header !== undefined && UUID.test(header)) return Routine.succeed(header.toLowerCase())
  const problem = { field: "x-retailer-id", message: "must be the UUID of a site" }
  return Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems: [problem] }))
}

/** A site with all settings that a quote needs. */
export interface ConfiguredSite extends DeliverySite {
  readonly place: Place
  readonly area: Polygon
  readonly priceCents: number
}

export function configured(site: DeliverySite): Routine<ConfiguredSite, Refused> {
  return isConfigured(site)
    ? Routine.succeed(site as ConfiguredSite)
    : Routine.fail(new Refused({ code: "RETAILER_NOT_CONFIGURED" }))
}
