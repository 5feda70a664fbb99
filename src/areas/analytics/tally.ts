/**
 * Tallies: the sums of a site's sessions for each span. A session counts once, in the span in which it began, with its
 * whole stay; the time at the stall is divided among the spans that it covers. Dividing a span in two therefore changes
 * no sum. This is the definition; a store may compute the same numbers faster.
 */

import type { EpochMs } from "../../model/values/time.ts"

/** A vehicle's time at a stall, half-open; null while it is there. */
export interface Stay {
  readonly startsAtMs: EpochMs
  readonly endsAtMs: EpochMs | null
}

export interface Tally {
  /** Sessions that began in the span. */
  readonly began: number
  /** Total stay of those sessions, until their end or now. */
  readonly stayMs: number
  /** Time inside the span, summed over all sessions. */
  readonly occupiedMs: number
}

export const NOTHING: Tally = { began: 0, stayMs: 0, occupiedMs: 0 }

/** One tally for each pair of neighbours in `cuts`, which are ascending. Cost: sessions times spans. */
export function tallyOf(
  stays: readonly Stay[],
  { cuts, nowMs }: { readonly cuts: readonly EpochMs[]; readonly nowMs: EpochMs },
): readonly Tally[] {
  return cuts.slice(0, -1).map((fromMs, at) => {
    const toMs = cuts[at + 1] ?? fromMs
    return stays.reduce((sum, stay) => plus(sum, within(stay, { fromMs, toMs, nowMs })), NOTHING)
  })
}

export function plus(one: Tally, other: Tally): Tally {
  return {
    began: one.began + other.began,
    stayMs: one.stayMs + other.stayMs,
    occupiedMs: one.occupiedMs + other.occupiedMs,
  }
}

/** The contribution of one stay to one span. */
function within(
  { startsAtMs, endsAtMs }: Stay,
  { fromMs, toMs, nowMs }: { readonly fromMs: EpochMs; readonly toMs: EpochMs; readonly nowMs: EpochMs },
): Tally {
  // The clock of another node may be slightly ahead of this one's.
  const untilMs = Math.max(startsAtMs, endsAtMs ?? nowMs)
  const isBegun = startsAtMs >= fromMs && startsAtMs < toMs
  return {
    began: isBegun ? 1 : 0,
    stayMs: isBegun ? untilMs - startsAtMs : 0,
    occupiedMs: Math.max(0, Math.min(untilMs, toMs) - Math.max(startsAtMs, fromMs)),
  }
}
