/**
 * Batches of one long replication of a steady model. Waits of neighbouring orders depend on each other, and batches that
 * are long enough hardly do, so that they can take the place of replications. Source: A. M. Law, Simulation Modeling and
 * Analysis (2015) §9.5.3, batch means.
 */

import { STRETCH_MS } from "../world/tally.ts"
import type { Sample } from "./estimates.ts"
import type { Measured } from "./measured.ts"
import { msOfBin, within } from "./observed.ts"
import type { Observed } from "./observed.ts"

export interface Batches {
  readonly samples: readonly Sample[]
  readonly eachMs: number
  /** The correlation of the mean waits of neighbouring batches. */
  readonly correlation: number
  /** True when the correlation may be chance, so that the intervals can be believed. */
  readonly isIndependent: boolean
}

const BATCHES_MAX = 20
const BATCHES_MIN = 5

/** The batches of a replication, the most that look independent; null when it is too short for any. */
export function batchesOf(one: Sample, stretches: number): Batches | null {
  let best: Batches | null = null
  for (let count = Math.min(BATCHES_MAX, stretches); count >= BATCHES_MIN; count = Math.floor(count / 2)) {
    const length = Math.floor(stretches / count)
    // The last batch takes what is left, also what began after the horizon: orders count by their request, and the
    // batches together must have the figures of the replication.
    const samples = Array.from({ length: count }, (_, at) =>
      partOf(one, (stretch) => Math.min(count - 1, Math.floor(stretch / length)) === at),
    )
    const correlation = lagOne(samples.map(({ durations }) => durations["wait"]?.mean ?? 0))
    // Twice the standard error of the correlation of independent values.
    const isIndependent = correlation < 1.96 / Math.sqrt(count)
    best = { samples, eachMs: length * STRETCH_MS, correlation, isIndependent }
    if (isIndependent) return best
  }
  return best
}

function partOf({ observed, figures }: Sample, isIn: (stretch: number) => boolean): Sample {
  const parts = Object.entries(observed).map(([measure, all]) => [measure, within(all, isIn)] as const)
  const durations: Measured["durations"] = Object.fromEntries(
    parts.map(([measure, part]) => [measure, { ...NO_PERCENTILES, ...meanOfObserved(part) }]),
  )
  return { observed: Object.fromEntries(parts), durations, figures }
}

const NO_PERCENTILES = { p50: null, p90: null, p95: null, p99: null, max: null } as const

function meanOfObserved({ bin, count }: Observed): {
  readonly n: number
  readonly mean: number | null
} {
  const n = count.reduce((sum, one) => sum + one, 0)
  const sum = bin.reduce((part, one, at) => part + msOfBin(one) * (count[at] ?? 0), 0)
  return { n, mean: n === 0 ? null : sum / n }
}

function lagOne(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  if (squares === 0) return 0
  const products = values
    .slice(1)
    .reduce((sum, value, at) => sum + (value - mean) * ((values[at] ?? 0) - mean), 0)
  return products / squares
}
