/**
 * Quarter hours: what past sessions come to in each quarter of an hour, so that a year is read without reading its
 * sessions. Every zone of today is whole quarters away from UTC, so its hours, days and weeks are made of whole ones. A
 * quarter that a span cuts is counted from the few sessions that began or ended in it, and from how many stayed
 * throughout.
 */

import type { EpochMs } from "../../model/time.ts"
import { MINUTE_MS } from "../../model/time.ts"
import { NOTHING, plus, tallyOf } from "./tally.ts"
import type { Stay, Tally } from "./tally.ts"

export const QUARTER_MS = 15 * MINUTE_MS

/** What sessions add to one quarter. */
export interface Quarter extends Tally {
  /** Begin of the quarter. */
  readonly quarterMs: EpochMs
  /** Sessions that were there from its begin to its end. */
  readonly throughout: number
}

/** A stay that is over. */
export type PastStay = Stay & { readonly endsAtMs: EpochMs }

/** What is counted by itself in a quarter that a span cuts. */
export interface CutQuarter {
  readonly quarterMs: EpochMs
  readonly throughout: number
  /** Every past stay that began or ended in the quarter, once. */
  readonly stays: readonly PastStay[]
}

/** Quarters in which an instant other than their begin is a cut. Ascending. */
export function cutQuartersOf(cuts: readonly EpochMs[]): readonly EpochMs[] {
  return [...new Set(cuts.filter((cut) => quarterOf(cut) !== cut).map(quarterOf))]
}

export function quarterOf(instantMs: EpochMs): EpochMs {
  return Math.floor(instantMs / QUARTER_MS) * QUARTER_MS
}

/** What the stays add, quarter by quarter, ascending. Cost: the quarters that they cover. */
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

/** What the cut quarters add to each span. */
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
      // Those that were there throughout are in the count already.
      return plus(sum, isThroughout(stay, quarterMs) ? { ...tally, occupiedMs: 0 } : tally)
    },
    { ...NOTHING, occupiedMs: throughout * (to - from) },
  )
}

function isThroughout({ startsAtMs, endsAtMs }: PastStay, quarterMs: EpochMs): boolean {
  return startsAtMs <= quarterMs && endsAtMs >= quarterMs + QUARTER_MS
}
