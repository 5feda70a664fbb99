/** The portal's sessions and counted attempts in memory. */

import { Effect, Layer } from "effect"
import { plainSession, portalRowsOver } from "../services/portal/portal-repository.ts"
import { AttemptCounter, PortalRows } from "../services/portal/rows.ts"
import { Tables } from "../services/tables/tables.ts"

export const layerMemoryPortalRows: Layer.Layer<PortalRows, never, Tables> = Layer.effect(
  PortalRows,
  Effect.map(Tables, (tables) => portalRowsOver(tables, plainSession(tables))),
)

/** One count a bucket: that of its latest window. */
export const layerMemoryAttemptCounter: Layer.Layer<AttemptCounter> = Layer.sync(AttemptCounter, () => {
  const latest = new Map<string, { readonly startsAtMs: number; readonly count: number }>()
  return {
    count: ({ bucket, startsAtMs }) =>
      Effect.sync(() => {
        const known = latest.get(bucket)
        const count = known?.startsAtMs === startsAtMs ? known.count + 1 : 1
        latest.set(bucket, { startsAtMs, count })
        return count
      }),
    forget: (bucket) => Effect.sync(() => void latest.delete(bucket)),
    purge: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const old = [...latest].filter(([, { startsAtMs }]) => startsAtMs <= beforeMs).slice(0, limit)
        for (const [bucket] of old) latest.delete(bucket)
        return old.length
      }),
  }
})
