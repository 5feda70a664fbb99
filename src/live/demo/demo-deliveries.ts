/**
 * Delivery sites of the demo: one ready site in each environment, and in the sandbox also sites that refuse deliveries.
 */

import type { Environment } from "../../model/caller.ts"
import type { Place } from "../../model/place.ts"
import { DEFAULT_DISPATCH_POLICY } from "../../model/vehicle-pool.ts"
import { READY_AHEAD_MS_MAX } from "../../model/values/limits.ts"
import type { VehicleRow } from "../../areas/dispatch/rows.ts"
import type { DeliverySite } from "../../areas/direct-delivery/rows.ts"

/** Where the demo's deliveries begin. */
export const DEMO_PLACE: Place = { latitude: 30.4021, longitude: -97.7253 }

/** Sandbox sites from which no delivery can start. */
export const CLOSED_SITES = {
  inactive: "5a7d0c1e-7e57-4b0c-9a1d-000000000002",
  unconfigured: "5a7d0c1e-7e57-4b0c-9a1d-000000000003",
} as const

/** The ready site first; in the sandbox then an inactive one and one that is not configured. */
export function deliverySitesOf(
  environment: Environment,
  { siteId, organizationId }: Pick<DeliverySite, "organizationId" | "siteId">,
): readonly DeliverySite[] {
  const ready: DeliverySite = {
    siteId,
    organizationId,
    environment,
    name: environment === "sandbox" ? "Sandbox test site" : "Domain North",
    timezone: "America/Chicago",
    isActive: true,
    fleetId: fleetOf(environment),
    place: DEMO_PLACE,
    area: AUSTIN,
    address: null,
    priceCents: 799,
    readyAheadMsMax: READY_AHEAD_MS_MAX,
    hasSupervisor: environment === "production",
    dispatchPolicy: DEFAULT_DISPATCH_POLICY,
  }
  if (environment === "production") return [ready]
  return [
    ready,
    { ...ready, siteId: CLOSED_SITES.inactive, name: "Inactive site", isActive: false },
    {
      ...ready,
      siteId: CLOSED_SITES.unconfigured,
      name: "Unconfigured site",
      area: null,
      priceCents: null,
    },
  ]
}

/** The sandbox's synthetic vehicle, or a production vehicle that the service simulates. */
export function vehicleOf(environment: Environment): VehicleRow {
  const isSandbox = environment === "sandbox"
  return {
    vehicleId: isSandbox ? "veh_sandbox_test" : "veh_domain_north",
    fleetId: fleetOf(environment),
    environment,
    label: isSandbox ? "Synthetic vehicle" : "Vehicle 1",
    isSynthetic: true,
    isOnline: true,
  }
}

function fleetOf(environment: Environment): string {
  return `fleet_demo_${environment}`
}

/** The city's bounding box, approximately. */
const AUSTIN = [
  [
    [-97.95, 30.15],
    [-97.55, 30.15],
    [-97.55, 30.55],
    [-97.95, 30.55],
    [-97.95, 30.15],
  ],
] as const
