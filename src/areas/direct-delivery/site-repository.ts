/** Sites from which deliveries start, over the table of all sites. */

import { Effect, Layer } from "effect"
import { sites } from "../catalog/rows.ts"
import { notNull } from "../../engine/services/tables/conditions.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { DeliverySites } from "./rows.ts"
import type { DeliverySite } from "./rows.ts"

export const layerDeliverySites: Layer.Layer<DeliverySites, never, Tables> = Layer.effect(
  DeliverySites,
  Effect.map(Tables, (tables): DeliverySites["Type"] => {
    const rows = tables.of(sites)
    // Ids are unique among these, whatever their environment.
    const isOwned = { organizationId: notNull } as const
    const order = ["siteId"] as const
    return {
      byId: (siteId) =>
        Routine.map(rows.first({ siteId, ...isOwned }), (row) => (row === null ? null : deliverySiteOf(row))),
      ofOrganization: ({ organizationId, environment }) =>
        Routine.map(rows.list({ organizationId, environment }, { order }), (found) =>
          found.map(deliverySiteOf),
        ),
      all: (environment) =>
        Routine.map(rows.list({ environment, ...isOwned }, { order }), (found) => found.map(deliverySiteOf)),
      insert: rows.insert,
      change: (siteId, change) => rows.update({ siteId, ...isOwned }, change),
    }
  }),
)

function deliverySiteOf(site: RowOf<typeof sites>): DeliverySite {
  if (isDeliverySite(site)) return site
  const { siteId, organizationId, fleetId } = site
  throw new Error(`site ${siteId} has organization ${organizationId} and fleet ${fleetId}`)
}

export function isDeliverySite(site: RowOf<typeof sites>): site is DeliverySite {
  return site.organizationId !== null && site.fleetId !== null
}
