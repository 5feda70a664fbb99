/** Pickups of the hours ahead, over all replications: how many there are, how many wait too long, and when. */

import { PERCENTILES } from "../language/metrics.ts"
import { msOfBin } from "../results/observed.ts"
import type { Observed } from "../results/observed.ts"
import type { Replication } from "../world/replication.ts"

/** Means of one replication. */
export interface PickupCounts {
  readonly all: number
  /** Those that wait longer than the limit. */
  readonly late: number
}

/** What was waited in one quarter of an hour; null without a pickup in it. */
export interface WaitAhead {
  readonly stretch: number
  /** The middle, and the value that 95 of 100 do not exceed. */
  readonly median: number | null
  readonly p95: number | null
  readonly p95WithOneMore: number | null
}

export interface PickupForecast {
  readonly lateAfterMs: number
  readonly counts: PickupCounts
  /** Null when the model has no runners. */
  readonly countsWithOneMore: PickupCounts | null
  /** The quarters of an hour between which 80 of 100 late ones are; null without any. */
  readonly lateBetween: readonly [first: number, last: number] | null
  readonly waits: readonly WaitAhead[]
}

export interface PickupsMade {
  readonly made: readonly Replication[]
  readonly madeWithMore: readonly Replication[]
  readonly lateAfterMs: number
  readonly stretches: number
}

/** The share of late pickups that may begin before `lateBetween`, and the share that may begin after it. */
const OUTSIDE = 0.1

export function pickupsOf({ made, madeWithMore, lateAfterMs, stretches }: PickupsMade): PickupForecast {
  const waits = weighed(made)
  const waitsWithMore = weighed(madeWithMore)
  const isLate = ({ ms }: Weighed): boolean => ms > lateAfterMs
  const late = waits.filter(isLate).toSorted((a, b) => a.stretch - b.stretch)
  const first = quantileOf(late, OUTSIDE, ({ stretch }) => stretch)
  const last = quantileOf(late, 1 - OUTSIDE, ({ stretch }) => stretch)
  const countsOf = (all: readonly Weighed[], replications: number): PickupCounts => ({
    all: weightOf(all) / replications,
    late: weightOf(all.filter(isLate)) / replications,
  })
  return {
    lateAfterMs,
    counts: countsOf(waits, Math.max(1, made.length)),
    countsWithOneMore: madeWithMore.length === 0 ? null : countsOf(waitsWithMore, madeWithMore.length),
    lateBetween: first === null || last === null ? null : [first, last],
    waits: Array.from({ length: stretches }, (_, stretch) => {
      const [here, hereWithMore] = [waits, waitsWithMore].map((all) =>
        all.filter((one) => one.stretch === stretch).toSorted((a, b) => a.ms - b.ms),
      )
      const of = (some: readonly Weighed[] | undefined, share: number) =>
        quantileOf(some ?? [], share, ({ ms }) => ms)
      return {
        stretch,
        median: of(here, PERCENTILES.p50),
        p95: of(here, PERCENTILES.p95),
        p95WithOneMore: of(hereWithMore, PERCENTILES.p95),
      }
    }),
  }
}

interface Weighed {
  readonly stretch: number
  readonly ms: number
  readonly count: number
}

/** Waits of reservations of all replications together. */
function weighed(made: readonly Replication[]): readonly Weighed[] {
  return made.flatMap(({ observed }) => {
    const seen: Observed | undefined = observed["reservations.wait"]
    if (seen === undefined) return []
    return seen.bin.map((bin, at) => ({
      stretch: seen.stretch[at] ?? 0,
      ms: msOfBin(bin),
      count: seen.count[at] ?? 0,
    }))
  })
}

function weightOf(all: readonly Weighed[]): number {
  return all.reduce((sum, { count }) => sum + count, 0)
}

/** Of values in order; null without one. */
function quantileOf(
  inOrder: readonly Weighed[],
  share: number,
  valueOf: (one: Weighed) => number,
): number | null {
  const wanted = share * weightOf(inOrder)
  let passed = 0
  for (const one of inOrder) {
    passed += one.count
    if (passed >= wanted) return valueOf(one)
  }
  return null
}
