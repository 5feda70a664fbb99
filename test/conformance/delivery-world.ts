/** Delivery sites for these tests: one for each case of the rules, the same on every host. */

import { READY_AHEAD_MS_MAX } from "../../src/model/values/limits.ts"
import type { Place } from "../../src/model/place.ts"
import type { DeliverySite } from "../../src/areas/direct-delivery/rows.ts"

export const STORE: Place = { latitude: 30.4, longitude: -97.72 }

/** The place this many metres north of the store. */
export function north(metres: number): Place {
  return { latitude: STORE.latitude + metres / 111_195, longitude: STORE.longitude }
}

export const FLEET = "fleet_north"
export const SITE = "11111111-0000-4000-8000-000000000001"
export const SANDBOX_SITE = "11111111-0000-4000-8000-000000000002"
export const INACTIVE_SITE = "11111111-0000-4000-8000-000000000003"
export const BARE_SITE = "11111111-0000-4000-8000-000000000004"
export const STRANGERS_SITE = "11111111-0000-4000-8000-000000000005"

const site: DeliverySite = {
  siteId: SITE,
  organizationId: "org_one",
  environment: "production",
  name: "North store",
  timezone: "America/Chicago",
  isActive: true,
  fleetId: FLEET,
  place: STORE,
  area: [
    [
      [-97.8, 30.35],
      [-97.65, 30.35],
      [-97.65, 30.45],
      [-97.8, 30.45],
      [-97.8, 30.35],
    ],
  ],
  address: null,
  priceCents: 799,
  readyAheadMsMax: READY_AHEAD_MS_MAX,
  hasSupervisor: true,
  dispatchPolicy: "earliest_free",
}

export const deliverySites: readonly DeliverySite[] = [
  site,
  { ...site, siteId: SANDBOX_SITE, environment: "sandbox", fleetId: "fleet_sandbox", hasSupervisor: false },
  { ...site, siteId: INACTIVE_SITE, isActive: false },
  { ...site, siteId: BARE_SITE, area: null },
  { ...site, siteId: STRANGERS_SITE, organizationId: "org_two" },
]
