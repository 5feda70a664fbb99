/** The contract of Places, over the world of `world.ts`. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { Places } from "../../src/apps/operations/places.ts"
import type { RowsHarness } from "./reservation-rows.ts"

const EAST = "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21"

export function placesContract(name: string, make: () => RowsHarness<Places>): void {
  type Harness = RowsHarness<Places>
  const ask = <A>(h: Harness, question: (places: Places["Type"]) => Effect.Effect<A>): Promise<A> =>
    h.run(Effect.flatMap(Places, question))
  describe(`places: ${name}`, () => {
    test("a site has its zones and the counters of them all, granted or not", async () => {
      const h = make()
      const east = await ask(h, (places) => places.site("production", EAST))
      expect(east).toMatchObject({ siteId: EAST, name: "East", timezone: "America/Chicago" })
      expect(east?.zoneIds).toEqual(["zone_alone", "zone_asleep", "zone_bare", "zone_curb"])
      expect(east?.counters.toSorted((a, b) => (a.retailerId < b.retailerId ? -1 : 1))).toEqual([
        { retailerId: "retailer_baker", name: "Baker", supportPhone: null, pickupRequirements: null },
        { retailerId: "retailer_florist", name: "Florist", supportPhone: null, pickupRequirements: null },
        {
          retailerId: "retailer_grocer",
          name: "Grocer",
          supportPhone: "+15125550111",
          pickupRequirements: "Order numbers look like A-1001.",
        },
      ])
      expect(await ask(h, (places) => places.site("production", "nowhere"))).toBeNull()
    })

    test("a zone leads to its site", async () => {
      const h = make()
      expect((await ask(h, (places) => places.siteOfZone("sandbox", "zone_bare")))?.siteId).toBe(EAST)
      expect(await ask(h, (places) => places.siteOfZone("sandbox", "zone_nowhere"))).toBeNull()
    })
  })
}
