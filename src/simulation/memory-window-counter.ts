/** Counts in windows of the clock, in memory. */

import { Layer } from "effect"
import { RateCounter } from "../areas/access/rate-limits.ts"
import { AttemptCounter } from "../services/rate-limits/attempts.ts"
import type { RateWindow, WindowCounter } from "../services/rate-limits/window-counter.ts"
import { Routine } from "../services/routine.ts"

export const layerMemoryRateCounter: Layer.Layer<RateCounter> = Layer.sync(RateCounter, countsInMemory)

export const layerMemoryAttemptCounter: Layer.Layer<AttemptCounter> = Layer.sync(
  AttemptCounter,
  countsInMemory,
)

/** One count for each bucket: that of its latest window. */
function countsInMemory(): WindowCounter {
  const latest = new Map<string, { readonly startsAtMs: number; readonly count: number }>()
  const counted = (bucket: string, startsAtMs: number): number => {
    const known = latest.get(bucket)
    return known?.startsAtMs === startsAtMs ? known.count : 0
  }
  const countOne = ({ bucket, startsAtMs }: RateWindow): number => {
    const count = counted(bucket, startsAtMs) + 1
    latest.set(bucket, { startsAtMs, count })
    return count
  }
  return {
    count: (window) => Routine.sync(() => countOne(window)),
    add: (window) => Routine.sync(() => void countOne(window)),
    counted: ({ bucket, startsAtMs }) => Routine.sync(() => counted(bucket, startsAtMs)),
    forget: (bucket) => Routine.sync(() => void latest.delete(bucket)),
    purge: ({ beforeMs, limit }) =>
      Routine.sync(() => {
        const old = [...latest].filter(([, { startsAtMs }]) => startsAtMs <= beforeMs).slice(0, limit)
        for (const [bucket] of old) latest.delete(bucket)
        return old.length
      }),
  }
}
