/** The world of the conformance tests: one site that books, its odd zones, and a site where nothing is granted. */

import type { WorldSite, WorldZone } from "../../src/simulation/memory-rows.ts"

const GROCER = {
  retailer_id: "retailer_grocer",
  name: "Grocer",
  logo_url: "https://logos.example/grocer.png",
  support_phone: "+15125550111",
  pickup_requirements: "Order numbers look like A-1001.",
  isGranted: true,
}
const BAKER = {
  retailer_id: "retailer_baker",
  name: "Baker",
  logo_url: null,
  support_phone: null,
  pickup_requirements: null,
  isGranted: true,
}
const FLORIST = { ...BAKER, retailer_id: "retailer_florist", name: "Florist", isGranted: false }

function zone(zone_id: string, more: Partial<WorldZone>): WorldZone {
  return {
    zone_id,
    name: zone_id,
    latitude: null,
    longitude: null,
    hasRunner: true,
    stalls: [{ stall_id: `${zone_id}_1`, label: "S1", isActive: true }],
    retailers: [GROCER],
    ...more,
  }
}

export const world: readonly WorldSite[] = [
  {
    site_id: "0b6cf1d4-6a43-4d3f-8a55-1a4a9f0c7d10",
    name: "West",
    timezone: null,
    zones: [zone("zone_ungranted", { retailers: [FLORIST] })],
  },
  {
    site_id: "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21",
    name: "East",
    timezone: "America/Chicago",
    zones: [
      zone("zone_curb", {
        name: "Curb",
        latitude: 30.25,
        longitude: -97.75,
        stalls: [
          { stall_id: "stall_b", label: "A1", isActive: true },
          { stall_id: "stall_c", label: "A2", isActive: true },
          { stall_id: "stall_a", label: "A1", isActive: true },
          { stall_id: "stall_closed", label: "A0", isActive: false },
        ],
        retailers: [GROCER, FLORIST, BAKER],
      }),
      zone("zone_asleep", {
        name: "Asleep",
        stalls: [{ stall_id: "stall_asleep", label: "Z1", isActive: false }],
      }),
      zone("zone_bare", { name: "Bare", stalls: [] }),
      zone("zone_alone", { name: "Alone", hasRunner: false }),
    ],
  },
]
