/** Statistics: percentiles with their sample sizes, and confidence intervals over replications by Student's t. */

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
  const quantile = (share: number): number | null => (n * (1 - share) < 1 ? null : quantileOf(sorted, share))
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

/** A metric over replications. */
export interface Estimate {
  /** Replications that have the metric. */
  readonly n: number
  readonly mean: number | null
  /** Half of the 95 % confidence interval around the mean; null for fewer than two replications. */
  readonly halfWidth: number | null
  readonly least: number | null
  readonly most: number | null
}

/**
 * Replications are independent, so their values are too. Values within one replication are not, so no interval is
 * computed from them.
 */
export function estimateOf(values: readonly (number | null)[]): Estimate {
  const known = values.filter((value) => value !== null)
  const n = known.length
  if (n === 0) return { n, mean: null, halfWidth: null, least: null, most: null }
  const mean = known.reduce((sum, value) => sum + value, 0) / n
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const halfWidth = n < 2 ? null : (studentT95(n - 1) * Math.sqrt(squares / (n - 1))) / Math.sqrt(n)
  return { n, mean, halfWidth, least: Math.min(...known), most: Math.max(...known) }
}

/** Two-sided 95 % critical values of Student's t for 1 to 30 degrees of freedom. Source: NIST handbook, 1.3.6.7.2. */
const STUDENT_T_95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
]

/** Values beyond the table by the Cornish-Fisher expansion, accurate to three digits from 30 on. */
export function studentT95(degrees: number): number {
  const z = 1.959963984540054
  return (
    STUDENT_T_95[degrees - 1] ??
    z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2)
  )
}
