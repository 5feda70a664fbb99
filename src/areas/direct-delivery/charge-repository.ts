/** Charges over their declared table. */

import { Effect, Layer } from "effect"
import { among, atLeast, below, descending, ifGiven } from "../../engine/services/tables/conditions.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { ChargeRows, chargeTable } from "./charges.ts"

export const layerChargeRows: Layer.Layer<ChargeRows, never, Tables> = Layer.effect(
  ChargeRows,
  Effect.map(Tables, (tables): ChargeRows["Type"] => {
    const rows = tables.of(chargeTable)
    return {
      insert: rows.insertOrIgnore,
      byId: (deliveryId) => rows.get({ deliveryId }),
      list: ({ organizationId, siteIds, fromMs, untilMs, beforeNumber, limit }) =>
        rows.list(
          {
            organizationId: organizationId ?? undefined,
            siteId: ifGiven(siteIds, (all) => among(...all)),
            completedAtMs: [ifGiven(fromMs, atLeast), ifGiven(untilMs, below)],
            number: ifGiven(beforeNumber, below),
          },
          { order: [descending("number")], limit },
        ),
      forget: (deliveryId) => rows.delete({ deliveryId }),
    }
  }),
)
