/** Requests to change sites over their declared table. */

import { Effect, Layer } from "effect"
import { descending } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { SiteRequestRows, siteRequests } from "./site-requests.ts"

export const layerSiteRequestRows: Layer.Layer<SiteRequestRows, never, Tables> = Layer.effect(
  SiteRequestRows,
  Effect.map(Tables, (tables): SiteRequestRows["Type"] => {
    const rows = tables.of(siteRequests)
    return {
      insert: rows.insert,
      close: (requestId, { atMs, answer }) =>
        rows.update({ requestId }, { status: "closed", closedAtMs: atMs, answer }),
      byId: (requestId) => rows.get({ requestId }),
      ofSite: (siteId) => rows.list({ siteId }, { order: [descending("number")] }),
      open: rows.list({ status: "open" }, { order: ["number"] }),
      purge: purgeOf(siteRequests, rows),
    }
  }),
)
