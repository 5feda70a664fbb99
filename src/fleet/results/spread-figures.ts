/** Statistics of the durations of one replication. */

import { hasPercentile } from "./percentile.ts"

export interface SpreadFigures {
  readonly n: number
  readonly mean: number | null
  readonly p50: number | null
  readonly p90: number | null
  readonly p95: number | null
  readonly p99: number | null
  readonly max: number | null
}

/**
 * Statistics of one replication's durations. A percentile needs at least one observation above it: no p99 for fewer
 * than a hundred.
 */
export function spreadOf(values: readonly number[]): SpreadFigures {
  const sorted = Float64Array.from(values).toSorted()
  const n = sorted.length
  const quantile = (share: number): number | null =>
    hasPercentile(share, n) ? quantileOf(sorted, share) : null
  return {
    n,
    mean: n === 0 ? null : sorted.reduce((sum, value) => sum + value, 0) / n,
    p50: quantile(0.5),
    p90: quantile(0.9),
    p95: quantile(0.95),
    p99: quantile(0.99),
    max: sorted[n - 1] ?? null,
  }
}

/** The value below which this share lies, interpolated between neighbours. */
function quantileOf(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1)
  const below = Math.floor(at)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN
  return low + (high - low) * (at - below)
}
