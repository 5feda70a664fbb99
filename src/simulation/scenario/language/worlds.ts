/** Built-in worlds, and worlds described in a scenario: sites with their zones, stalls and retailers. */

import type { CatalogRetailer, CatalogSite, CatalogZone } from "../../../areas/catalog/rows.ts"
import type { DeliverySite } from "../../../areas/direct-delivery/rows.ts"
import {
  DELIVERY_SITE_ID,
  FLEET_ID,
  SCENARIO_ORGANIZATION,
  deliverySiteOf,
  storeNorthM,
} from "./delivery-world.ts"
import { textIfGiven } from "./field-values.ts"
import { FURTHER_SITE_FIELDS, stallsOf } from "./given-site.ts"
import { organizationOf } from "./key-words.ts"
import type { GivenCaller, GivenSite, Scenario } from "./language.ts"

/** A world, and the defaults of a booking in it. */
export interface World {
  readonly sites: readonly CatalogSite[]
  readonly zoneId: string
  readonly retailerId: string
}

/** The world of a scenario. */
export function worldOf({
  site: given,
  sites = [],
  partners = [],
  runners = [],
  operators = [],
}: Pick<Scenario, "operators" | "partners" | "runners" | "site" | "sites">): World {
  const granted = partners
    .filter(({ fields }) => fields["granted"] !== false)
    .map(({ as }) => organizationOf(as))
  const own = builtIn(given)
  const several = sites.length === 0 ? own : withSites(own, sites)
  const world = granted.length === 0 ? several : grantedAlso(several, granted)
  const hasOther = [...runners, ...operators].some(({ fields }) => fields["site"] === "elsewhere")
  return hasOther ? { ...world, sites: [...world.sites, elsewhere] } : world
}

/** The site of a person or of a step: the scenario's own, or one with a name. */
export function siteIdOf(
  { world, scenario }: { readonly world: World; readonly scenario: Pick<Scenario, "sites"> },
  name = "here",
): string {
  if (name === "here") return world.sites[0]?.siteId ?? ""
  if (name === "elsewhere") return ELSEWHERE_SITE_ID
  const at = (scenario.sites ?? []).findIndex(({ as }) => as === name)
  return at < 0 ? "" : furtherSiteId(at)
}

type Stores = Pick<Scenario, "delivery" | "environment" | "sites">

/** Where deliveries start: the scenario's own store, and those of further sites. */
export function deliverySitesOf({ delivery, environment, sites = [] }: Stores): readonly DeliverySite[] {
  if (delivery === null) return []
  const further = sites.flatMap(({ as, fields }, at): readonly DeliverySite[] => {
    if (fields["delivers"] !== true) return []
    const { name, timezone } = furtherSite({ as, fields, at })
    const fleetId = storeOf({ sites }, as).fleetId
    return [
      {
        ...deliverySiteOf({ fields, vehicles: [] }, environment),
        siteId: furtherSiteId(at),
        name,
        timezone,
        fleetId,
      },
    ]
  })
  return [deliverySiteOf(delivery, environment), ...further]
}

/** The delivery site of a step: the scenario's own, or one with a name. */
export function deliverySiteIdOf(run: Parameters<typeof siteIdOf>[0], name = "here"): string {
  return name === "here" ? DELIVERY_SITE_ID : siteIdOf(run, name)
}

/** Where the store of a site is, and whose vehicles it uses. */
export function storeOf(
  { sites = [] }: Pick<Scenario, "sites">,
  name = "here",
): { readonly northM: number; readonly fleetId: string } {
  const fields = sites.find(({ as }) => as === name)?.fields ?? {}
  const hasOwnFleet = fields["delivers"] === true && fields["own_fleet"] !== false
  return { northM: storeNorthM(fields), fleetId: hasOwnFleet ? `fleet_site_${name}` : FLEET_ID }
}

/** The zone of a further site. */
export function zoneIdAt(name: string): string {
  return `zone_site_${name}`
}

function furtherSiteId(at: number): string {
  return `5ce4a210-0000-4000-8000-${String(at + 2).padStart(12, "0")}`
}

/** Stalls of all sites have the same labels, as stalls of real sites do. */
function withSites(world: World, given: readonly GivenCaller[]): World {
  const retailers = [offered(world), notGranted]
  const further = given.map(({ as, fields }, at): CatalogSite => {
    const { stalls: count, activeStalls, hasRunner } = stallsOf(fields)
    const only: CatalogZone = {
      ...zone(zoneIdAt(as), `Curb of ${as}`),
      hasRunner,
      stalls: stalls(`stall_site_${as}`, count, activeStalls),
      retailers,
    }
    return { ...furtherSite({ as, fields, at }), zones: [only] }
  })
  return { ...world, sites: [...world.sites, ...further] }
}

function furtherSite({ as, fields, at }: Pick<GivenCaller, "as" | "fields"> & { readonly at: number }) {
  const timezone = textIfGiven(fields, "time_zone") ?? FURTHER_SITE_FIELDS.time_zone.usual
  return { siteId: furtherSiteId(at), name: `Site ${as}`, timezone }
}

/** The retailer of bookings that name none. */
function offered({ sites, retailerId }: World): CatalogRetailer {
  const all = sites.flatMap(({ zones }) => zones.flatMap(({ retailers }) => retailers))
  return all.find((one) => one.retailerId === retailerId) ?? lunch
}

const ELSEWHERE_SITE_ID = "e15e0000-0000-4000-8000-000000000001"

/** The site of people who work elsewhere. Nothing happens there. */
const elsewhere: CatalogSite = {
  siteId: ELSEWHERE_SITE_ID,
  name: "Another site",
  timezone: "America/Chicago",
  zones: [],
}

/** Organizations get the grants that the scenario's own has. */
function grantedAlso(world: World, organizations: readonly string[]): World {
  const withGrants = (one: CatalogRetailer): CatalogRetailer => {
    const { grantedTo } = one
    return grantedTo.includes(SCENARIO_ORGANIZATION)
      ? { ...one, grantedTo: [...grantedTo, ...organizations] }
      : one
  }
  const sites = world.sites.map((site) => ({
    ...site,
    zones: site.zones.map((area) => ({ ...area, retailers: area.retailers.map(withGrants) })),
  }))
  return { ...world, sites }
}

function builtIn(given: GivenSite): World {
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
const notGranted = { ...retailer("retailer_not_granted", "Private Pantry"), grantedTo: [] }

/** The sandbox's built-in test site, with the ids that every integration sees. */
const sandboxTest: World = {
  sites: [
    {
      siteId: "5a7d0c1e-7e57-4b0c-9a1d-000000000001",
      name: "Sandbox test site",
      timezone: "America/Chicago",
      zones: [
        {
          ...zone("zone_sandbox_test", "Sandbox test zone"),
          stalls: [1, 2, 3].map((number) => ({
            stallId: `stall_sandbox_${number}`,
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
      siteId: "d0a1b2c3-0000-4000-8000-00000000d001",
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
  const only: CatalogZone = {
    ...zone("zone_scenario", "Scenario curb"),
    hasRunner: given.hasRunner,
    stalls: stalls("stall_scenario", given.stalls, given.activeStalls),
    retailers: [lunch, notGranted],
  }
  const site = {
    siteId: "5ce4a210-0000-4000-8000-000000000001",
    name: "Scenario site",
    timezone: "America/Chicago",
  }
  return { sites: [{ ...site, zones: [only] }], zoneId: "zone_scenario", retailerId: "retailer_lunchbox" }
}

function zone(zoneId: string, name: string): Omit<CatalogZone, "stalls" | "retailers"> {
  return { zoneId, name, latitude: null, longitude: null, hasRunner: true }
}

function stalls(prefix: string, count: number, active: number): CatalogZone["stalls"] {
  return Array.from({ length: count }, (_, at) => ({
    stallId: `${prefix}_${at + 1}`,
    label: `A${at + 1}`,
    isActive: at < active,
  }))
}

function retailer(retailerId: string, name: string): CatalogRetailer {
  return {
    retailerId,
    name,
    logoUrl: null,
    supportPhone: null,
    pickupRequirements: null,
    grantedTo: [SCENARIO_ORGANIZATION],
  }
}
