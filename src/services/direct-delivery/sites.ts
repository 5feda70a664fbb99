/** Sites: whose they are and whether a delivery can start there. Every call with `x-retailer-id` passes here. */

import { Effect } from "effect"
import type { Partner, Permission } from "../../model/caller.ts"
import { Refused } from "../../model/errors.ts"
import type { Place, Polygon } from "../../model/place.ts"
import { isConfigured } from "../../model/site.ts"
import { requirePermission } from "../permissions.ts"
import { DeliverySites } from "./rows.ts"
import type { DeliverySite } from "./rows.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The permission, then the site: the caller's own, of the key's environment, and active. */
export const enterSite = Effect.fnUntraced(function* (
  caller: Partner,
  siteId: string | undefined,
  permission: Permission,
) {
  yield* requirePermission(caller, permission)
  const sites = yield* DeliverySites
  if (siteId === undefined || !UUID.test(siteId)) {
    const problem = { field: "x-retailer-id", message: "must be the UUID of a site" }
    return yield* new Refused({ code: "VALIDATION_ERROR", problems: [problem] })
  }
  const site = yield* sites.byId(siteId.toLowerCase())
  const isOwn =
    site !== null && site.organizationId === caller.organizationId && site.environment === caller.environment
  if (!isOwn) return yield* new Refused({ code: "RETAILER_NOT_FOUND" })
  return site.isActive ? site : yield* new Refused({ code: "RETAILER_INACTIVE" })
})

/** A site with all that a quote needs. */
export interface ConfiguredSite extends DeliverySite {
  readonly place: Place
  readonly area: Polygon
  readonly priceCents: number
}

export function configured(site: DeliverySite): Effect.Effect<ConfiguredSite, Refused> {
  return isConfigured(site)
    ? Effect.succeed(site as ConfiguredSite)
    : Effect.fail(new Refused({ code: "RETAILER_NOT_CONFIGURED" }))
}
