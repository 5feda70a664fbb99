/**
 * The timeline's scale. A run has minutes of work between hours of waiting; a fold shows every long wait with the same
 * small width, so that the work stays readable. Positions are fractions of the timeline, from 0 to 1.
 */

import { SECOND_MS } from "../../model/values/time.ts"
import { clockText } from "./durations.ts"

/** A wait longer than this fraction of the unfolded time is folded too. */
const LONG = 0.04
/** The width of a fold, and the maximum width of all folds, as fractions of the timeline. */
const FOLD = 0.015
const FOLDS_MAX = 0.5
/** More folds than this would appear as adjacent lines. */
const WAITS_FOLDED_MAX = 60

export interface Stretch {
  readonly fromT: number
  readonly toT: number
  readonly from: number
  readonly to: number
  readonly isFolded: boolean
}

/** Intervals in order, without gaps. `t` ascends; unit: ms. */
export function stretchesOf(
  t: readonly number[],
  { isFolding }: { readonly isFolding: boolean },
): readonly Stretch[] {
  const start = t[0] ?? 0
  const end = Math.max(t.at(-1) ?? 0, start + 1)
  const waits = isFolding ? longWaits(t, end - start) : []
  const waiting = waits.reduce((sum, [from, to]) => sum + to - from, 0)
  const isAllWaiting = waiting === end - start
  // A run that consists only of waits divides the whole width among them.
  const fold =
    waits.length === 0 ? 0 : isAllWaiting ? 1 / waits.length : Math.min(FOLD, FOLDS_MAX / waits.length)
  const busyMs = Math.max(1, end - start - waiting)
  const busy = 1 - fold * waits.length
  const stretches: Stretch[] = []
  let fromT = start
  let from = 0
  const add = (toT: number, width: number, isFolded: boolean): void => {
    stretches.push({ fromT, toT, from, to: from + width, isFolded })
    fromT = toT
    from += width
  }
  for (const [begin, finish] of waits) {
    if (begin > fromT) add(begin, ((begin - fromT) / busyMs) * busy, false)
    add(finish, fold, true)
  }
  if (end > fromT || stretches.length === 0) add(end, Math.max(0, 1 - from), false)
  return stretches
}

type Wait = readonly [from: number, to: number]

/**
 * Waits that would exceed their share of the width. When the longest are folded, the next ones may exceed the remaining
 * share, so this repeats until none does. Cost: a sort of the waits.
 */
function longWaits(t: readonly number[], wholeMs: number): readonly Wait[] {
  const waits: Wait[] = []
  for (let row = 1; row < t.length; row += 1) {
    const [from, to] = [t[row - 1] ?? 0, t[row] ?? 0]
    if (to > from) waits.push([from, to])
  }
  waits.sort(([a, b], [c, d]) => d - c - (b - a))
  let leftMs = wholeMs
  let folds = 0
  for (const [from, to] of waits) {
    if (folds >= WAITS_FOLDED_MAX || to - from <= leftMs * LONG) break
    leftMs -= to - from
    folds += 1
  }
  return waits.slice(0, folds).toSorted(([a], [b]) => a - b)
}

/** The position of a time. */
export function placeOf(stretches: readonly Stretch[], t: number): number {
  const found = stretches.find(({ toT }) => t <= toT) ?? stretches.at(-1)
  if (found === undefined) return 0
  const part = (t - found.fromT) / Math.max(1, found.toT - found.fromT)
  return found.from + Math.min(1, Math.max(0, part)) * (found.to - found.from)
}

/** The time at a position. */
export function timeAt(stretches: readonly Stretch[], place: number): number {
  const found = stretches.find(({ to }) => place <= to) ?? stretches.at(-1)
  if (found === undefined) return 0
  const part = found.to === found.from ? 1 : (place - found.from) / (found.to - found.from)
  return found.fromT + Math.min(1, Math.max(0, part)) * (found.toT - found.fromT)
}

/** An interval that is shown over the whole width, to scale. Unit: ms. */
export interface Enlarged {
  readonly zoom: number
  readonly fromT: number
  readonly toT: number
}

/** Shortest interval that is shown over the whole width: entries have whole milliseconds. Unit: ms. */
export const SHOWN_MS_MIN = 20

/**
 * The part of the run that a zoom shows: its length divided by the zoom, with the playhead in it. The last part stays
 * while the playhead moves within it, so that the scale does not move during a drag; otherwise the playhead is in the
 * middle.
 */
export function enlargedAround(
  last: Enlarged | null,
  { t, now, zoom }: { readonly t: readonly number[]; readonly now: number; readonly zoom: number },
): Enlarged {
  if (last?.zoom === zoom && last.fromT <= now && now <= last.toT) return last
  const start = t[0] ?? 0
  const end = Math.max(t.at(-1) ?? 0, start + 1)
  const width = (end - start) / zoom
  const fromT = Math.max(start, Math.min(end - width, now - width / 2))
  return { zoom, fromT, toT: fromT + width }
}

/**
 * The times at evenly spread places. Labels less than a second apart have milliseconds, the others whole seconds. `nameOf` gives a time
 * with three digits of milliseconds.
 */
export function labelsOf(
  stretches: readonly Stretch[],
  count: number,
  nameOf: (ms: number) => string = clockText,
): readonly string[] {
  const times = Array.from({ length: count }, (_, label) => timeAt(stretches, label / (count - 1)))
  return times.map((ms, label) => {
    const isNear = [times[label - 1], times[label + 1]].some(
      (other) => other !== undefined && Math.abs(other - ms) < SECOND_MS,
    )
    return isNear ? nameOf(ms) : nameOf(ms).slice(0, -".000".length)
  })
}
