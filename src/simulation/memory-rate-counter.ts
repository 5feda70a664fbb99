/** Request counts in memory. */

import { Effect, Layer } from "effect"
import { RateCounter } from "../services/access/rate-limits.ts"

/** One count a bucket: that of its latest window. */
export const layerMemoryRateCounter: Layer.Layer<RateCounter> = Layer.sync(RateCounter, () => {
  const latest = new Map<string, { readonly startsAtMs: number; readonly count: number }>()
  const counted = (bucket: string, startsAtMs: number): number => {
    const known = latest.get(bucket)
    return known?.startsAtMs === startsAtMs ? known.count : 0
  }
  return {
    count: ({ bucket, startsAtMs }) =>
      Effect.sync(() => {
        const count = counted(bucket, startsAtMs) + 1
        latest.set(bucket, { startsAtMs, count })
        return count
      }),
    counted: ({ bucket, startsAtMs }) => Effect.sync(() => counted(bucket, startsAtMs)),
    purge: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const old = [...latest].filter(([, { startsAtMs }]) => startsAtMs <= beforeMs).slice(0, limit)
        for (const [bucket] of old) latest.delete(bucket)
        return old.length
      }),
  }
})
