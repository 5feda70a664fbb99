/** The contract of Catalog, over the world of `world.ts`. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { Catalog } from "../../src/areas/catalog/catalog.ts"
import type { BookableZone, CatalogScope } from "../../src/areas/catalog/catalog.ts"
import type { RowsHarness } from "./reservation-rows.ts"

const scope: CatalogScope = { organizationId: "org_one", environment: "production" }

export function catalogContract(name: string, make: () => RowsHarness<Catalog>): void {
  const run = <A>(read: (catalog: Catalog["Type"]) => Effect.Effect<A>): Promise<A> =>
    make().run(Effect.flatMap(Catalog, read))
  const zone = (zoneId: string): Promise<BookableZone | null> => run((catalog) => catalog.zone(scope, zoneId))

  describe(`catalog: ${name}`, () => {
    test("a zone shows every stall, active or not, and the retailers granted in it", async () => {
      const curb = await zone("zone_curb")
      expect(curb).toMatchObject({ zoneId: "zone_curb", hasRunner: true })
      expect(curb?.stalls.toSorted((a, b) => (a.stallId < b.stallId ? -1 : 1))).toEqual([
        { stallId: "stall_a", zoneId: "zone_curb", label: "A1", isActive: true },
        { stallId: "stall_b", zoneId: "zone_curb", label: "A1", isActive: true },
        { stallId: "stall_c", zoneId: "zone_curb", label: "A2", isActive: true },
        { stallId: "stall_closed", zoneId: "zone_curb", label: "A0", isActive: false },
      ])
      expect(curb?.retailerIds.toSorted()).toEqual(["retailer_baker", "retailer_grocer"])
    })

    test("a zone may have no stall, and no runner service", async () => {
      expect(await zone("zone_bare")).toMatchObject({ stalls: [], hasRunner: true })
      expect(await zone("zone_alone")).toMatchObject({ hasRunner: false })
    })

    test("V6: a zone without any grant looks like none", async () => {
      expect(await zone("zone_ungranted")).toBeNull()
      expect(await zone("zone_nowhere")).toBeNull()
    })

    test("V17: discovery lists sites, zones and retailers by name, and only what is granted", async () => {
      const sites = await run((catalog) => catalog.discover(scope))
      expect(sites.map((site) => [site.name, site.zones.map((one) => one.name)])).toEqual([
        ["East", ["Alone", "Asleep", "Bare", "Curb"]],
      ])
      const curb = sites[0]?.zones.find((one) => one.zone_id === "zone_curb")
      expect(curb?.retailers.map((one) => one.retailer_id)).toEqual(["retailer_baker", "retailer_grocer"])
    })

    test("the discovery tree has the contract's fields and no others", async () => {
      const [site] = await run((catalog) => catalog.discover(scope))
      expect({ ...site, zones: [] }).toEqual({
        site_id: "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21",
        name: "East",
        timezone: "America/Chicago",
        zones: [],
      })
      const curb = site?.zones.find((one) => one.zone_id === "zone_curb")
      expect({ ...curb, retailers: [] }).toEqual({
        zone_id: "zone_curb",
        name: "Curb",
        latitude: 30.25,
        longitude: -97.75,
        retailers: [],
      })
      expect(curb?.retailers[1]).toEqual({
        retailer_id: "retailer_grocer",
        name: "Grocer",
        logo_url: "https://logos.example/grocer.png",
        support_phone: "+15125550111",
        pickup_requirements: "Order numbers look like A-1001.",
      })
    })
  })
}
