/** A promise about how long bots wait, held against the waits of one day. */

import { PERCENTILES } from "../language/metrics.ts"
import type { FleetPromise } from "../language/promises.ts"

/** Its metric is one of `WAIT_FIGURES`. */
export type WaitPromise = FleetPromise

const PREFIX = "reservations.wait_"

/** Metrics that a promise may name here. */
export const WAIT_FIGURES: readonly string[] = ["mean", "max", ...Object.keys(PERCENTILES)].map(
  (statistic) => PREFIX + statistic,
)

/** In milliseconds; null without a wait. A percentile is the least wait that so large a share does not exceed. */
export function waitFigure({ metric }: WaitPromise, waitsMs: readonly number[]): number | null {
  if (waitsMs.length === 0) return null
  const inOrder = waitsMs.toSorted((a, b) => a - b)
  const statistic = metric.slice(PREFIX.length)
  if (statistic === "mean") return inOrder.reduce((sum, ms) => sum + ms, 0) / inOrder.length
  const share = statistic === "max" ? 1 : (PERCENTILES as Readonly<Record<string, number>>)[statistic]
  if (share === undefined) throw new TypeError(`${metric} is no figure of waits`)
  return inOrder[Math.max(0, Math.ceil(share * inOrder.length) - 1)] ?? null
}
