/** Counts in windows of the clock, in memory. */

import { Layer } from "effect"
import { RateCounter } from "../rate-limits.ts"
import { AttemptCounter } from "../../../engine/services/rate-limits/attempts.ts"
import type { RateWindow, WindowCounter } from "../../../engine/services/rate-limits/window-counter.ts"
import { Routine } from "../../../engine/services/routine.ts"

export const layerMemoryRateCounter: Layer.Layer<RateCounter> = Layer.sync(RateCounter, countsInMemory)

export const layerMemoryAttemptCounter: Layer.Layer<AttemptCounter> = Layer.sync(
  AttemptCounter,
  countsInMemory,
)

/** One count for each bucket: that of its latest window. */
function countsInMemory(): WindowCounter {
  const latest = new Map<string, { readonly startsAtMs: number; readonly count: number }>()
  const countOf = ({ bucket, startsAtMs, lengthMs }: RateWindow) => {
    const known = latest.get(bucket)
    const isCounted =
      known !== undefined && known.startsAtMs >= startsAtMs && known.startsAtMs <= startsAtMs + lengthMs
    return isCounted ? known : { startsAtMs, count: 0 }
  }
  const countOne = (window: RateWindow): number => {
    const { startsAtMs, count } = countOf(window)
    latest.set(window.bucket, { startsAtMs, count: count + 1 })
    return count + 1
  }
  return {
    count: (window) => Routine.sync(() => countOne(window)),
    add: (window) => Routine.sync(() => void countOne(window)),
    counted: (window) => Routine.sync(() => countOf(window).count),
    forget: (bucket) => Routine.sync(() => void latest.delete(bucket)),
    purge: ({ beforeMs, limit }) =>
      Routine.sync(() => {
        const old = [...latest].filter(([, { startsAtMs }]) => startsAtMs <= beforeMs).slice(0, limit)
        for (const [bucket] of old) latest.delete(bucket)
        return old.length
      }),
  }
}
