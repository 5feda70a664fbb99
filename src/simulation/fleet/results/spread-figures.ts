/** Statistics of the durations of one replication. */

import { msOfBin } from "./observed.ts"
import type { Observed } from "./observed.ts"
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

/** The same of durations by bin: percentiles are as exact as the bins, the mean and the maximum are exact. */
export function spreadOfObserved(
  { bin, count }: Observed,
  { sumMs, mostMs }: { readonly sumMs: number; readonly mostMs: number },
): SpreadFigures {
  const order = Int32Array.from(bin.keys()).toSorted((a, b) => (bin[a] ?? 0) - (bin[b] ?? 0))
  const n = count.reduce((sum, one) => sum + one, 0)
  const sorted = new Float64Array(n)
  let at = 0
  for (const entry of order) {
    const end = at + (count[entry] ?? 0)
    sorted.fill(msOfBin(bin[entry] ?? 0), at, end)
    at = end
  }
  const quantile = (share: number): number | null =>
    hasPercentile(share, n) ? quantileOf(sorted, share) : null
  return {
    n,
    mean: n === 0 ? null : sumMs / n,
    p50: quantile(0.5),
    p90: quantile(0.9),
    p95: quantile(0.95),
    p99: quantile(0.99),
    max: n === 0 ? null : mostMs,
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
