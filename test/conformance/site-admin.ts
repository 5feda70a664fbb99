/** The contract of making sites: one row that the catalog, deliveries and the portal all see, on every store. */

import { Effect, Layer } from "effect"
import { describe, expect, test } from "vitest"
import type { Refused } from "../../src/model/values/errors.ts"
import type { NewSite, SiteChange } from "../../src/model/site.ts"
import { AccessRows } from "../../src/http/access/rows.ts"
import { CatalogRows } from "../../src/areas/catalog/rows.ts"
import { DeliverySites } from "../../src/areas/direct-delivery/rows.ts"
import { SiteAdmin } from "../../src/apps/operations/sites.ts"
import { Geocoder } from "../../src/engine/services/geocoding/geocoder.ts"
import type { RowsHarness } from "./reservation-rows.ts"
import { transacted } from "./transacted.ts"

type Ports = AccessRows | CatalogRows | DeliverySites | SiteAdmin

const T = Date.parse("2026-06-01T15:00:00Z")
const ADDRESS = { street: "11410 Century Oaks Terrace", city: "Austin", state: "TX", zip: "78758" }

const wanted: NewSite = {
  name: "North store",
  organization_id: "org_new",
  timezone: "America/Chicago",
  address: ADDRESS,
  reach_km: 5,
  delivery_price_cents: 799,
  has_supervisor: true,
  ready_ahead_minutes: 60,
  stalls: ["A1", "A2"],
}

const access = Effect.serviceFunctions(AccessRows)
const admin = Effect.serviceFunctions(SiteAdmin)
const delivery = Effect.serviceFunctions(DeliverySites)

async function enrolled(h: RowsHarness<Ports>): Promise<RowsHarness<Ports>> {
  const organization = {
    organizationId: "org_new",
    name: "Wheels",
    isActive: true,
    isFleetPartner: true,
    isSandboxPartner: false,
    environments: ["production"] as const,
    createdAtMs: T,
    updatedAtMs: T,
  }
  await transacted(
    h,
    access.insertOrganization(organization),
    access.insertOrganization({ ...organization, organizationId: "org_sandbox", environments: ["sandbox"] }),
  )
  return h
}

function problemsOf(h: RowsHarness<Ports>, effect: Effect.Effect<unknown, Refused, Ports>) {
  return h.run(
    Effect.map(Effect.flip(effect), ({ code, problems }) => [
      code,
      (problems ?? []).map(({ field }) => field),
    ]),
  )
}

export function siteAdminContract(name: string, make: () => RowsHarness<Ports>): void {
  describe(`making sites: ${name}`, () => {
    test("a site that is made once is booked at its stalls, and its organization's deliveries start there", async () => {
      const h = await enrolled(make())
      const { site, zone, stalls } = await h.run(admin.add("production", wanted))
      expect(site).toMatchObject({
        organizationId: "org_new",
        isActive: true,
        fleetId: `fleet_${site.siteId}`,
        address: ADDRESS,
        place: { latitude: expect.any(Number) as number, longitude: expect.any(Number) as number },
        priceCents: 799,
        readyAheadMsMax: 3_600_000,
        hasSupervisor: true,
      })
      expect(site.area?.[0]).toHaveLength(5)
      const rows = await h.run(CatalogRows)
      expect(await h.run(rows.sites.get("production", site.siteId))).toEqual(site)
      expect(await h.run(delivery.byId(site.siteId))).toEqual({ ...site, environment: "production" })
      const scope = { organizationId: "org_new", environment: "production" } as const
      expect(await h.run(delivery.ofOrganization(scope))).toHaveLength(1)
      expect(zone).toMatchObject({ siteId: site.siteId, name: "North store" })
      const standing = (await h.run(rows.stalls.all("production"))).filter(
        ({ zoneId }) => zoneId === zone?.zoneId,
      )
      expect(standing.toSorted((a, b) => ((a.label ?? "") < (b.label ?? "") ? -1 : 1))).toEqual(stalls)
      expect(stalls.map(({ label }) => label)).toEqual(["A1", "A2"])
    })

    test("a site chooses vehicles by its policy, and runs of a fleet without a site by that of its first site", async () => {
      const h = await enrolled(make())
      const first = { ...wanted, site_id: "00000000-0000-4000-8000-0000000000a1", fleet_id: "fleet_shared" }
      const { site } = await h.run(admin.add("production", first))
      expect(site.dispatchPolicy).toBe("earliest_free")
      const second = { ...first, site_id: "00000000-0000-4000-8000-0000000000a2" }
      const other = await h.run(admin.add("production", { ...second, dispatch_policy: "least_loaded" }))
      expect(other.site.dispatchPolicy).toBe("least_loaded")
      expect(await h.run(delivery.dispatchOf("fleet_shared"))).toBe("earliest_free")
      const changed = await h.run(admin.change("production", site.siteId, { dispatch_policy: "nearest" }))
      expect(changed.dispatchPolicy).toBe("nearest")
      expect(await h.run(delivery.dispatchOf("fleet_shared"))).toBe("nearest")
      expect(await h.run(delivery.dispatchOf("fleet_of_no_site"))).toBe("earliest_free")
    })

    test("a site that was only booked delivers once it is told for whom, and then stays with them", async () => {
      const h = await enrolled(make())
      const { site } = await h.run(admin.add("production", { name: "Curb" }))
      expect(await h.run(delivery.byId(site.siteId))).toBeNull()
      const change = { organization_id: "org_new", latitude: 30.4, longitude: -97.7, reach_km: 2 }
      const changed = await h.run(admin.change("production", site.siteId, change))
      expect(await h.run(delivery.byId(site.siteId))).toEqual({ ...changed, environment: "production" })
      expect(changed).toMatchObject({ name: "Curb", place: { latitude: 30.4, longitude: -97.7 } })
      const other = admin.change("production", site.siteId, { organization_id: "org_sandbox" })
      expect(await problemsOf(h, other)).toEqual(["VALIDATION_ERROR", ["organization_id"]])
    })

    test("a change writes what it changes alone: another one may be made while its address is looked up", async () => {
      const h = await enrolled(make())
      const { site } = await h.run(admin.add("production", wanted))
      const meanwhile = {
        fleet_id: "fleet_other",
        latitude: 30.4,
        longitude: -97.7,
        delivery_price_cents: 500,
      }
      const change = (wish: SiteChange) => admin.change("production", site.siteId, wish)
      const context = await h.run(Effect.context<Ports>())
      const place = { latitude: 30.5, longitude: -97.6 }
      const found = { type: "found", place, isApproximate: false } as const
      const slow = Layer.provide(
        SiteAdmin.layer,
        Layer.succeed(Geocoder, {
          locate: () => Effect.as(Effect.orDie(Effect.provide(change(meanwhile), context)), found),
        }),
      )
      const moved = await h.run(Effect.provide(change({ address: { ...ADDRESS, zip: "78759" } }), slow))
      const rows = await h.run(CatalogRows)
      expect(await h.run(rows.sites.get("production", site.siteId))).toEqual(moved)
      expect(moved).toMatchObject({ fleetId: "fleet_other", place: found.place, priceCents: 500 })
      const renaming = change({ name: "South store", address: null })
      expect(await h.run(renaming)).toMatchObject({ name: "South store", place: found.place })
    })

    test("what cannot be is refused with its field, and leaves no site behind", async () => {
      const h = await enrolled(make())
      const refused = (more: Partial<NewSite>) =>
        problemsOf(h, admin.add("production", { ...wanted, ...more }))
      expect(await refused({ organization_id: "org_nobody" })).toEqual([
        "VALIDATION_ERROR",
        ["organization_id"],
      ])
      expect(await refused({ organization_id: "org_sandbox" })).toEqual([
        "VALIDATION_ERROR",
        ["organization_id"],
      ])
      const nowhere = { ...ADDRESS, street: "1 Nowhere", city: "Nowhere", zip: "00000" }
      expect(await refused({ address: nowhere })).toEqual(["VALIDATION_ERROR", ["address"]])
      expect(await refused({ address: null })).toEqual(["VALIDATION_ERROR", ["reach_km"]])
      const scope = { organizationId: "org_new", environment: "production" } as const
      expect(await h.run(delivery.ofOrganization(scope))).toEqual([])
      const { site } = await h.run(admin.add("production", wanted))
      const again = admin.add("production", { ...wanted, site_id: site.siteId })
      expect(await problemsOf(h, again)).toEqual(["ALREADY_EXISTS", []])
    })
  })
}
