/**
 * Quarter hours: the sums of past sessions for each quarter of an hour, so that a year can be read without its
 * sessions. All time zones today have offsets of whole quarters, so their hours, days and weeks consist of whole
 * quarters. For a quarter that a span cuts, the few sessions that began or ended in it are counted one by one, and
 * those that lasted throughout by their number.
 */

import type { EpochMs } from "../../model/values/time.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import { NOTHING, plus, tallyOf } from "./tally.ts"
import type { Stay, Tally } from "./tally.ts"

export const QUARTER_MS = 15 * MINUTE_MS

/** The sums of sessions in one quarter. */
export interface Quarter extends Tally {
  /** Start of the quarter. */
  readonly quarterMs: EpochMs
  /** Number of sessions that lasted for the whole quarter. */
  readonly throughout: number
}

/** A completed stay. */
export type PastStay = Stay & { readonly endsAtMs: EpochMs }

/** The sessions to count one by one in a quarter that a span cuts. */
export interface CutQuarter {
  readonly quarterMs: EpochMs
  readonly throughout: number
  /** Every past stay that began or ended in the quarter, once. */
  readonly stays: readonly PastStay[]
}

/** Quarters with a cut after their start. Ascending. */
export function cutQuartersOf(cuts: readonly EpochMs[]): readonly EpochMs[] {
  return [...new Set(cuts.filter((cut) => quarterOf(cut) !== cut).map(quarterOf))]
}

export function quarterOf(instantMs: EpochMs): EpochMs {
  return Math.floor(instantMs / QUARTER_MS) * QUARTER_MS
}

/** The sums of the stays by quarter, ascending. Cost: linear in the quarters that they cover. */
export function quartersOf(stays: readonly PastStay[]): readonly Quarter[] {
  const byQuarter = new Map<EpochMs, Quarter>()
  for (const stay of stays) {
    const { startsAtMs, endsAtMs } = stay
    const first = quarterOf(startsAtMs)
    for (let at = first; at === first || at < endsAtMs; at += QUARTER_MS) {
      const [tally = NOTHING] = tallyOf([stay], { cuts: [at, at + QUARTER_MS], nowMs: endsAtMs })
      const known = byQuarter.get(at) ?? { ...NOTHING, quarterMs: at, throughout: 0 }
      const throughout = known.throughout + (isThroughout(stay, at) ? 1 : 0)
      byQuarter.set(at, { quarterMs: at, throughout, ...plus(known, tally) })
    }
  }
  return [...byQuarter.values()].toSorted((a, b) => a.quarterMs - b.quarterMs)
}

/** Adds the cut quarters to each span. */
export function tallyCutQuarters(
  quarters: readonly CutQuarter[],
  cuts: readonly EpochMs[],
): readonly Tally[] {
  return cuts.slice(0, -1).map((fromMs, at) => {
    const toMs = cuts[at + 1] ?? fromMs
    return quarters.reduce((sum, quarter) => plus(sum, tallyPart(quarter, fromMs, toMs)), NOTHING)
  })
}

function tallyPart({ quarterMs, throughout, stays }: CutQuarter, fromMs: EpochMs, toMs: EpochMs): Tally {
  const from = Math.max(fromMs, quarterMs)
  const to = Math.min(toMs, quarterMs + QUARTER_MS)
  if (to <= from) return NOTHING
  return stays.reduce(
    (sum, stay) => {
      const [tally = NOTHING] = tallyOf([stay], { cuts: [from, to], nowMs: stay.endsAtMs })
      // Stays throughout the quarter are already in the count.
      return plus(sum, isThroughout(stay, quarterMs) ? { ...tally, occupiedMs: 0 } : tally)
    },
    { ...NOTHING, occupiedMs: throughout * (to - from) },
  )
}

function isThroughout({ startsAtMs, endsAtMs }: PastStay, quarterMs: EpochMs): boolean {
  return startsAtMs <= quarterMs && endsAtMs >= quarterMs + QUARTER_MS
}
