/** Built-in worlds, and worlds described in a scenario: a site with its zones, stalls and retailers. */

import type { WorldSite, WorldZone } from "../memory-rows.ts"
import type { GivenSite } from "./language.ts"

/** A world, and the defaults of a booking in it. */
export interface World {
  readonly sites: readonly WorldSite[]
  readonly zoneId: string
  readonly retailerId: string
}

/** The world of a scenario. */
export function worldOf(given: GivenSite): World {
  switch (given.builtIn) {
    case "sandbox-test":
      return sandboxTest
    case "one-stall":
      return singleZone({ stalls: 1, activeStalls: 1, hasRunner: true })
    case "no-runners":
      return singleZone({ stalls: 3, activeStalls: 3, hasRunner: false })
    case "no-stalls":
      return singleZone({ stalls: 2, activeStalls: 0, hasRunner: true })
    case "domain-north":
      return domainNorth
    default:
      return singleZone(given)
  }
}

const lunch = retailer("retailer_lunchbox", "Lunchbox Kitchen")
const notGranted = { ...retailer("retailer_not_granted", "Private Pantry"), isGranted: false }

/** The sandbox's built-in test site, with the ids that every integration sees. */
const sandboxTest: World = {
  sites: [
    {
      site_id: "5a7d0c1e-7e57-4b0c-9a1d-000000000001",
      name: "Sandbox test site",
      timezone: "America/Chicago",
      zones: [
        {
          ...zone("zone_sandbox_test", "Sandbox test zone"),
          stalls: [1, 2, 3].map((number) => ({
            stall_id: `stall_sandbox_${number}`,
            label: `A${number}`,
            isActive: true,
          })),
          retailers: [retailer("retailer_sandbox_test", "Sandbox test retailer")],
        },
      ],
    },
  ],
  zoneId: "zone_sandbox_test",
  retailerId: "retailer_sandbox_test",
}

const domainNorth: World = {
  sites: [
    {
      site_id: "d0a1b2c3-0000-4000-8000-00000000d001",
      name: "Domain North",
      timezone: "America/Chicago",
      zones: [
        {
          ...zone("zone_domain_north", "Domain North curb"),
          latitude: 30.4021,
          longitude: -97.7253,
          stalls: stalls("stall_domain", 3, 3),
          retailers: [lunch, notGranted],
        },
        {
          ...zone("zone_without_grants", "Domain South curb"),
          stalls: stalls("stall_south", 2, 2),
          retailers: [notGranted],
        },
      ],
    },
  ],
  zoneId: "zone_domain_north",
  retailerId: "retailer_lunchbox",
}

function singleZone(given: Pick<GivenSite, "stalls" | "activeStalls" | "hasRunner">): World {
  const only: WorldZone = {
    ...zone("zone_scenario", "Scenario curb"),
    hasRunner: given.hasRunner,
    stalls: stalls("stall_scenario", given.stalls, given.activeStalls),
    retailers: [lunch, notGranted],
  }
  const site = {
    site_id: "5ce4a210-0000-4000-8000-000000000001",
    name: "Scenario site",
    timezone: "America/Chicago",
  }
  return { sites: [{ ...site, zones: [only] }], zoneId: "zone_scenario", retailerId: "retailer_lunchbox" }
}

function zone(zone_id: string, name: string): Omit<WorldZone, "stalls" | "retailers"> {
  return { zone_id, name, latitude: null, longitude: null, hasRunner: true }
}

function stalls(prefix: string, count: number, active: number): WorldZone["stalls"] {
  return Array.from({ length: count }, (_, at) => ({
    stall_id: `${prefix}_${at + 1}`,
    label: `A${at + 1}`,
    isActive: at < active,
  }))
}

function retailer(retailer_id: string, name: string): WorldZone["retailers"][number] {
  return {
    retailer_id,
    name,
    logo_url: null,
    support_phone: null,
    pickup_requirements: null,
    isGranted: true,
  }
}
