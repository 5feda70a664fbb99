/**
 * Percentiles of all durations of all replications together. The interval inverts a test: a duration x lies in it if
 * the share of durations up to x, as a mean over replications, may be the percentile's share. So the interval takes
 * into account that durations of one replication depend on each other, and needs no density. Source: R. S. Woodruff,
 * "Confidence intervals for medians and other position measures", JASA 47 (1952) 635-646, for samples in clusters; the
 * test is that of `statistics.ts`.
 */

import { msOfBin } from "./observed.ts"
import type { Observed } from "./observed.ts"
import { NO_ESTIMATE, meanBounds } from "./statistics.ts"
import type { Estimate } from "./statistics.ts"
import { MISS, studentQuantile } from "../../../model/values/student.ts"

/** A percentile needs an observation beyond it: no p99 for fewer than a hundred durations. */
export function hasPercentile(share: number, durations: number): boolean {
  return Math.round(durations * (1 - share) * 1e6) >= 1e6
}

/** Durations of several replications, grouped by bin in ascending order. */
export class Pool {
  readonly total: number
  /** Durations of each replication. */
  readonly #counts: readonly number[]
  readonly #bins: Int32Array
  /** Where the entries of each bin begin, and where the last ones end. */
  readonly #starts: Int32Array
  /** Durations up to the end of each bin. */
  readonly #upTo: Float64Array
  /** Entries: a replication, and how many of its durations are in the bin. */
  readonly #units: Int32Array
  readonly #entries: Float64Array

  constructor(all: readonly Observed[]) {
    this.#counts = all.map(({ count }) => count.reduce((sum, one) => sum + one, 0))
    this.total = this.#counts.reduce((sum, one) => sum + one, 0)
    const size = all.reduce((sum, { bin }) => sum + bin.length, 0)
    const entriesOf = new Map<number, number>()
    for (const { bin } of all) for (const one of bin) entriesOf.set(one, (entriesOf.get(one) ?? 0) + 1)
    this.#bins = Int32Array.from(entriesOf.keys()).toSorted()
    this.#starts = new Int32Array(this.#bins.length + 1)
    const groupOf = new Map<number, number>()
    for (const [group, bin] of this.#bins.entries()) {
      groupOf.set(bin, group)
      this.#starts[group + 1] = (this.#starts[group] ?? 0) + (entriesOf.get(bin) ?? 0)
    }
    this.#units = new Int32Array(size)
    this.#entries = new Float64Array(size)
    this.#upTo = new Float64Array(this.#bins.length)
    const free = this.#starts.slice()
    for (const [unit, { bin, count }] of all.entries()) {
      for (const [at, one] of bin.entries()) {
        const group = groupOf.get(one) ?? 0
        const place = free[group] ?? 0
        bump(free, group, 1)
        this.#units[place] = unit
        this.#entries[place] = count[at] ?? 0
        bump(this.#upTo, group, count[at] ?? 0)
      }
    }
    for (let group = 1; group < this.#upTo.length; group += 1)
      bump(this.#upTo, group, this.#upTo[group - 1] ?? 0)
  }

  percentile(share: number): Estimate {
    const n = this.#counts.length
    if (!hasPercentile(share, this.total)) return { ...NO_ESTIMATE, n, waits: this.total }
    const value = this.#valueAt(share)
    const group = this.#groupWith(share * this.total)
    const below = this.#belowOf(group)
    const low = n < 2 ? null : Math.min(value, this.#lowBound(share, group, below.slice()))
    const high = n < 2 ? null : this.#highBound(share, group, below.slice())
    return {
      ...NO_ESTIMATE,
      n,
      waits: this.total,
      value,
      low,
      high: high === null ? null : Math.max(value, high),
      parts: this.#parts(share, value, group),
    }
  }

  /**
   * The value at a share, median-unbiased whatever the distribution: R. J. Hyndman and Y. Fan, "Sample quantiles in
   * statistical packages", The American Statistician 50 (1996) 361-365, definition 8.
   */
  #valueAt(share: number): number {
    const rank = Math.min(Math.max((this.total + 1 / 3) * share + 1 / 3, 1), this.total)
    const whole = Math.floor(rank)
    const low = this.#msOf(this.#groupWith(whole))
    return low + (this.#msOf(this.#groupWith(Math.min(whole + 1, this.total))) - low) * (rank - whole)
  }

  #msOf(group: number): number {
    return msOfBin(this.#bins[group] ?? 0)
  }

  /** The first bin up to whose end there are so many durations. */
  #groupWith(durations: number): number {
    let [low, high] = [0, this.#upTo.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#upTo[middle] ?? 0) < durations) low = middle + 1
      else high = middle
    }
    return low
  }

  /** For each replication, its durations in shorter bins. */
  #belowOf(group: number): Float64Array {
    const below = new Float64Array(this.#counts.length)
    for (let one = 0; one < group; one += 1) this.#move(below, one, 1)
    return below
  }

  /** Adds the durations of a bin to those of each replication, or takes them away. */
  #move(counts: Float64Array, group: number, sign: -1 | 1): void {
    const end = this.#starts[group + 1] ?? 0
    for (let at = this.#starts[group] ?? 0; at < end; at += 1)
      bump(counts, this.#units[at] ?? 0, sign * (this.#entries[at] ?? 0))
  }

  /** The shortest duration for which the share of durations up to it is not clearly too small. */
  #lowBound(share: number, from: number, below: Float64Array): number {
    let group = from
    while (group > 0 && this.#surplus(share, below).high >= 0) {
      group -= 1
      this.#move(below, group, -1)
    }
    return this.#msOf(group)
  }

  /** The longest duration for which the share of shorter ones is not clearly too large; null if longer ones may be. */
  #highBound(share: number, from: number, below: Float64Array): number | null {
    const last = this.#bins.length - 1
    for (let group = from; group < last; group += 1) {
      this.#move(below, group, 1)
      if (this.#surplus(share, below).low > 0) return this.#msOf(group)
    }
    // All durations up to the longest one say nothing of longer ones, unless many are just as long.
    return from === last && share ** this.total < MISS / 2 ? this.#msOf(last) : null
  }

  /** How many more durations a replication has up to some length than the share says: the interval of the mean. */
  #surplus(share: number, counts: Float64Array): { readonly low: number; readonly high: number } {
    let [first, second, third] = [0, 0, 0]
    for (let unit = 0; unit < counts.length; unit += 1) {
      const surplus = (counts[unit] ?? 0) - share * (this.#counts[unit] ?? 0)
      first += surplus
      second += surplus ** 2
      third += surplus ** 3
    }
    return meanBounds({ n: counts.length, first, second, third }, MISS)
  }

  /**
   * The part of each replication, by the linear form of a quantile. The density at the percentile is that of the
   * durations between the bounds of a plain interval: C. A. Francisco and W. A. Fuller, "Quantile estimation with a
   * complex survey design", Annals of Statistics 19 (1991) 454-469.
   */
  #parts(share: number, value: number, group: number): readonly number[] {
    const upTo = this.#belowOf(group + 1)
    const n = this.#counts.length
    const surplus = this.#counts.map((count, unit) => (upTo[unit] ?? 0) - share * count)
    const mean = surplus.reduce((sum, one) => sum + one, 0) / n
    const squares = surplus.reduce((sum, one) => sum + (one - mean) ** 2, 0)
    if (n < 2 || squares === 0) return surplus.map(() => value)
    const each = this.total / n
    const error = (studentQuantile(1 - MISS / 2, n - 1) * Math.sqrt(squares / (n * (n - 1)))) / each
    const [from, until] = [Math.max(0, share - error), Math.min(1, share + error)]
    const msByShare = (this.#valueAt(until) - this.#valueAt(from)) / (until - from)
    return surplus.map((one) => value - ((one - mean) / each) * msByShare)
  }
}

function bump(counts: Float64Array | Int32Array, at: number, by: number): void {
  counts[at] = (counts[at] ?? 0) + by
}
