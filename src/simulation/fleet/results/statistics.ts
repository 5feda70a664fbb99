/**
 * Estimates over independent replications. Values of one replication depend on each other, so a replication is the unit
 * of every interval. An interval is Student's t with Willink's correction for skewness, because waits of busy days are
 * skewed: R. Willink, "A confidence interval and test for the mean of an asymmetric distribution", Communications in
 * Statistics 34 (2005) 753-766. Of few values it is Student's t alone. Percentiles: `percentile.ts`.
 */

import { MISS, plainBoundsOf, studentQuantile } from "../../../model/values/student.ts"

/** A figure over replications. */
export interface Estimate {
  /** Replications that it is computed from. */
  readonly n: number
  /** The orders, or uses of a resource, that it is computed from; null for a figure that has one value for each replication. */
  readonly waits: number | null
  readonly value: number | null
  /** The 95 % interval; a bound is null if the data cannot give one. */
  readonly low: number | null
  readonly high: number | null
  /** The least and the greatest value of a replication. */
  readonly least: number | null
  readonly most: number | null
  /**
   * What each replication contributes, in the order of their seeds: their mean is `value`, and their spread that of the
   * figure. For a plain mean these are the replications' own values. Null for a replication without the figure.
   */
  readonly parts: readonly (number | null)[]
}

export const NO_ESTIMATE: Estimate = {
  n: 0,
  waits: null,
  value: null,
  low: null,
  high: null,
  least: null,
  most: null,
  parts: [],
}

/** Half of the interval's width; null when it has no bounds. */
export function halfWidthOf({ low, high }: Pick<Estimate, "high" | "low">): number | null {
  return low === null || high === null ? null : (high - low) / 2
}

/** The mean of one value for each replication. */
export function meanOf(values: readonly (number | null)[]): Estimate {
  const known = values.filter((value) => value !== null)
  const n = known.length
  if (n === 0) return { ...NO_ESTIMATE, parts: values }
  const value = known.reduce((sum, one) => sum + one, 0) / n
  const [low, high] = boundsOf(known)
  return { n, waits: null, value, low, high, least: leastOf(known), most: mostOf(known), parts: values }
}

/** A sum and a count of one replication. */
export interface Ratio {
  readonly sum: number
  readonly count: number
}

/**
 * All sums over all counts, such as the mean wait of an order. Every replication counts by its orders, also one without
 * any. The interval is that of a ratio of means by its linear part: W. G. Cochran, Sampling Techniques (1977) §6.3.
 */
export function ratioOf(ratios: readonly Ratio[]): Estimate {
  const n = ratios.length
  const sum = ratios.reduce((part, one) => part + one.sum, 0)
  const count = ratios.reduce((part, one) => part + one.count, 0)
  if (count === 0) return { ...NO_ESTIMATE, n, waits: 0 }
  const value = sum / count
  const parts = ratios.map((one) => value + (n * (one.sum - value * one.count)) / count)
  const own = ratios.flatMap((one) => (one.count === 0 ? [] : [one.sum / one.count]))
  const [low, high] = boundsOf(parts)
  return { n, waits: count, value, low, high, least: leastOf(own), most: mostOf(own), parts }
}

export function leastOf(values: readonly number[]): number | null {
  return values.reduce<number | null>((least, one) => (least === null || one < least ? one : least), null)
}

export function mostOf(values: readonly number[]): number | null {
  return values.reduce<number | null>((most, one) => (most === null || one > most ? one : most), null)
}

/** Sums of the powers of n values, from which their moments follow. */
export interface Powers {
  readonly n: number
  readonly first: number
  readonly second: number
  readonly third: number
}

function powersOf(values: readonly number[]): Powers {
  let [first, second, third] = [0, 0, 0]
  // The values are moved to their mean, so that no digits are lost.
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  for (const value of values) {
    const apart = value - mean
    first += apart
    second += apart ** 2
    third += apart ** 3
  }
  return { n: values.length, first, second, third }
}

/** Of fewer values the skewness is mostly chance, and the correction widens intervals by half for it (src/DECISIONS.md §359). */
const SKEWED_VALUES_MIN = 5

/** The interval of a mean; null for fewer than two values. `miss` is both tails together. */
export function boundsOf(values: readonly number[], miss = MISS): readonly [number | null, number | null] {
  if (values.length < SKEWED_VALUES_MIN) return plainBoundsOf(values, miss)
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const { low, high } = meanBounds(powersOf(values), miss)
  return [mean + low, mean + high]
}

/** The interval of a mean from sums of powers, of two values at least. */
export function meanBounds(
  { n, first, second, third }: Powers,
  miss: number,
): { readonly low: number; readonly high: number } {
  const mean = first / n
  const squares = Math.max(0, second - n * mean ** 2)
  const deviation = Math.sqrt(squares / (n - 1))
  // Below this it is rounding.
  if (squares <= 1e-18 * second) return { low: mean, high: mean }
  const error = deviation / Math.sqrt(n)
  const t = studentQuantile(1 - miss / 2, n - 1)
  const cubes = third - 3 * mean * second + 2 * n * mean ** 3
  // Two values have no skewness.
  const skewness = n < 3 ? 0 : (n * cubes) / ((n - 1) * (n - 2)) / deviation ** 3
  const a = skewness / (6 * Math.sqrt(n))
  return { low: mean - corrected(t, a) * error, high: mean - corrected(-t, a) * error }
}

/** Willink's G, the inverse of Hall's transformation of a skewed t statistic. */
function corrected(t: number, a: number): number {
  return Math.abs(a) < 1e-7 ? t : (Math.cbrt(1 + 6 * a * (t - a)) - 1) / (2 * a)
}
