/** Charges in memory. */

import { Effect, Layer } from "effect"
import { ChargeRows } from "../services/direct-delivery/charges.ts"
import type { Charge } from "../services/direct-delivery/charges.ts"
import { newestRows } from "./memory-store.ts"
import type { MemoryStore } from "./memory-store.ts"

export function layerMemoryChargeRows(store: MemoryStore): Layer.Layer<ChargeRows> {
  const charges = store.table<Charge>("charges")
  const counters = store.table<number>("counters")
  return Layer.succeed(ChargeRows, {
    insert: (charge) =>
      Effect.sync(() => {
        if (charges.get(charge.deliveryId) !== null) return
        const number = (counters.get("charges") ?? 0) + 1
        counters.put("charges", number)
        charges.put(charge.deliveryId, { ...charge, number })
      }),
    byId: (id) => Effect.sync(() => charges.get(id)),
    list: ({ siteId, fromMs, untilMs, beforeNumber, limit }) =>
      Effect.sync(() =>
        newestRows(charges.all(), {
          limit,
          isWanted: (one) =>
            (siteId === null || one.siteId === siteId) &&
            (fromMs === null || one.completedAtMs >= fromMs) &&
            (untilMs === null || one.completedAtMs < untilMs) &&
            (beforeNumber === null || one.number < beforeNumber),
        }),
      ),
    forget: (id) => Effect.sync(() => charges.delete(id)),
  })
}
