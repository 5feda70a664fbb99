/** The world of the conformance tests: one site that books, its odd zones, and a site where nothing is granted. */

import type { CatalogSite, CatalogZone } from "../../src/areas/catalog/rows.ts"

const GROCER = {
  retailerId: "retailer_grocer",
  name: "Grocer",
  logoUrl: "https://logos.example/grocer.png",
  supportPhone: "+15125550111",
  pickupRequirements: "Order numbers look like A-1001.",
  grantedTo: ["org_one", "org_two"],
}
const BAKER = {
  retailerId: "retailer_baker",
  name: "Baker",
  logoUrl: null,
  supportPhone: null,
  pickupRequirements: null,
  grantedTo: ["org_one", "org_two"],
}
const FLORIST = { ...BAKER, retailerId: "retailer_florist", name: "Florist", grantedTo: [] }

function zone(zoneId: string, more: Partial<CatalogZone>): CatalogZone {
  return {
    zoneId,
    name: zoneId,
    latitude: null,
    longitude: null,
    hasRunner: true,
    stalls: [{ stallId: `${zoneId}_1`, label: "S1", isActive: true }],
    retailers: [GROCER],
    ...more,
  }
}

export const world: readonly CatalogSite[] = [
  {
    siteId: "0b6cf1d4-6a43-4d3f-8a55-1a4a9f0c7d10",
    name: "West",
    timezone: null,
    zones: [zone("zone_ungranted", { retailers: [FLORIST] })],
  },
  {
    siteId: "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21",
    name: "East",
    timezone: "America/Chicago",
    zones: [
      zone("zone_curb", {
        name: "Curb",
        latitude: 30.25,
        longitude: -97.75,
        stalls: [
          { stallId: "stall_b", label: "A1", isActive: true },
          { stallId: "stall_c", label: "A2", isActive: true },
          { stallId: "stall_a", label: "A1", isActive: true },
          { stallId: "stall_closed", label: "A0", isActive: false },
        ],
        retailers: [GROCER, FLORIST, BAKER],
      }),
      zone("zone_asleep", {
        name: "Asleep",
        stalls: [{ stallId: "stall_asleep", label: "Z1", isActive: false }],
      }),
      zone("zone_bare", { name: "Bare", stalls: [] }),
      zone("zone_alone", { name: "Alone", hasRunner: false }),
    ],
  },
]
