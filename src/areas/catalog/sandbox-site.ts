/**
 * The sandbox's built-in test site: one zone with one retailer and three stalls, with fixed ids, granted to every
 * organization that is enrolled and provisioned there. Source: reservations contract, discovery tree; our choice V18.
 */

import type { Offer } from "../../model/catalog.ts"
import type { Retailer, Stall, Zone } from "../../model/nouns/catalog-nouns.ts"
import { bookedSite } from "../../model/site.ts"
import type { Site } from "../../model/site.ts"
import { isEnrolled } from "../../http/access/rows.ts"
import type { Organization } from "../../http/access/rows.ts"
import { ActorHost } from "../../engine/services/host.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { CatalogRows } from "./rows.ts"

const SITE: Site = bookedSite({
  siteId: "5a7d0c1e-7e57-4b0c-9a1d-000000000001",
  name: "Sandbox test site",
  timezone: "America/Chicago",
})

const ZONE: Zone = {
  zoneId: "zone_sandbox_test",
  siteId: SITE.siteId,
  name: "Sandbox test zone",
  latitude: 30.4021,
  longitude: -97.7253,
  hasRunner: true,
}

const STALLS: readonly Stall[] = [1, 2, 3].map((number) => ({
  stallId: `stall_sandbox_${number}`,
  zoneId: ZONE.zoneId,
  label: `A${number}`,
  isActive: true,
}))

const RETAILER: Retailer = {
  retailerId: "retailer_sandbox_test",
  name: "Sandbox test retailer",
  logoUrl: null,
  supportPhone: null,
  pickupRequirements: null,
}

export const SANDBOX_SITE = {
  site: SITE,
  zone: ZONE,
  stalls: STALLS,
  retailer: RETAILER,
} as const

const OFFER: Offer = { zoneId: ZONE.zoneId, retailerId: RETAILER.retailerId }

/** Runs inside the transaction that created or changed the organization. Grants stay when the enrolment ends. */
export function openSandboxTo(organization: Organization): Routine<void, never, CatalogRows | Transaction> {
  const { organizationId, environments } = organization
  if (!isEnrolled(organization, "sandbox") || !environments.includes("sandbox")) return Routine.void
  return Routine.flatMap(CatalogRows, ({ grants }) => grants.put("sandbox", { organizationId, ...OFFER }))
}

/**
 * At every start: creates the built-in site, unless operations have changed it since, and grants it to organizations
 * that lack it.
 */
export const ensureSandboxSite: Routine<void, never, ActorHost | CatalogRows> = Routine.gen(function* () {
  const host = yield* ActorHost
  const { sites, zones, stalls, retailers, offers, grantToEnrolled } = yield* CatalogRows
  const { siteId } = SITE
  const write = Routine.gen(function* () {
    if ((yield* sites.get("sandbox", siteId)) === null) yield* sites.insert("sandbox", SITE)
    // The demo data of deliveries may have created the site already.
    if ((yield* zones.get("sandbox", ZONE.zoneId)) === null) {
      yield* zones.insert("sandbox", ZONE)
      yield* Routine.forEach(STALLS, (stall) => stalls.insert("sandbox", stall), { discard: true })
      yield* retailers.insert("sandbox", RETAILER)
      yield* offers.put("sandbox", OFFER)
    }
    yield* grantToEnrolled("sandbox", OFFER)
  })
  yield* host.run({ name: "make a sandbox site", locks: { key: "catalog/sandbox" }, body: () => write })
})
