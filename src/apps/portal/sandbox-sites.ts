/**
 * Sites of the sandbox, which organizations create to try deliveries: a place, a served square around it, a price, a
 * time zone, some stalls, and synthetic vehicles. Only operations create sites of production. Source: direct
 * delivery contract, sandbox specifics; creating them in the portal is ours (src/DECISIONS.md §58).
 */

import type { Partner } from "../../model/caller.ts"
import { Refused, TurnedAway } from "../../model/values/errors.ts"
import { newId, newUuid } from "../../model/ids.ts"
import { READY_AHEAD_MS_MAX, SANDBOX_SITES_MAX, SANDBOX_SITE_STALLS } from "../../model/values/limits.ts"
import type { Place, Polygon } from "../../model/place.ts"
import { DEFAULT_DISPATCH_POLICY } from "../../model/vehicle-pool.ts"
import type { MakeSandboxSiteRequest } from "../../model/requests/portal.ts"
import { insertSite } from "../../areas/catalog/insert-site.ts"
import { squareAround } from "../../areas/dispatch/geography.ts"
import { DeliverySites } from "../../areas/direct-delivery/rows.ts"
import type { DeliverySite } from "../../areas/direct-delivery/rows.ts"
import { Vehicles } from "../../areas/dispatch/vehicles.ts"
import { timeZoneOf } from "../../engine/services/geocoding/place-time-zone.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { siteView } from "./deliveries.ts"
import { noteMilestone } from "./milestones.ts"

export class SandboxSites extends service<SandboxSites>()("SandboxSites", () => ({
  make,
})) {}

/**
 * Configured at once. The caller is a partner in the sandbox. The vehicles come first: a site without one could not
 * quote, but a vehicle without a site does no harm.
 */
const make = Routine.fn(function* (caller: Partner, request: MakeSandboxSiteRequest) {
  const { organizationId, environment } = caller
  if (environment !== "sandbox") return yield* new Refused({ code: "NOT_FOUND" })
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  const siteId = newUuid(nonce, "sandbox site")
  const fleetId = `fleet_${siteId}`
  yield* requireRoom(caller)
  const { register } = yield* Vehicles
  const { vehicles = 1 } = request
  for (let number = 1; number <= vehicles; number += 1) {
    yield* register({
      vehicleId: newId("vehicle", `${nonce} ${number}`),
      fleetId,
      environment,
      label: vehicles === 1 ? "Synthetic vehicle" : `Synthetic vehicle ${number}`,
      isSynthetic: true,
      isOnline: true,
    })
  }
  const place: Place = request.location
  const area: Polygon = squareAround(place, request.reach_km * 1000)
  const site: DeliverySite = {
    siteId,
    organizationId,
    environment,
    name: request.name,
    timezone: request.timezone ?? timeZoneOf(place),
    address: null,
    isActive: true,
    fleetId,
    place,
    area,
    priceCents: request.delivery_price_cents,
    readyAheadMsMax: READY_AHEAD_MS_MAX,
    hasSupervisor: false,
    dispatchPolicy: DEFAULT_DISPATCH_POLICY,
  }
  yield* host.run({
    name: "make a sandbox site",
    locks: { key: `sandbox-sites/${organizationId}` },
    body: Routine.fn(function* () {
      yield* requireRoom(caller)
      const labels = Array.from({ length: SANDBOX_SITE_STALLS }, (_, at) => `A${at + 1}`)
      yield* insertSite({ environment, site, labels, nonce })
      yield* noteMilestone(site, "site_made")
      return { siteId }
    }),
  })
  return siteView(site, true)
})

const requireRoom = Routine.fn(function* (owner: Pick<Partner, "environment" | "organizationId">) {
  const known = yield* (yield* DeliverySites).ofOrganization(owner)
  if (known.length >= SANDBOX_SITES_MAX) return yield* new TurnedAway({ code: "LIMIT_REACHED" })
})
