/**
 * A site's calendar: where its hours, days and weeks begin, as instants. Days have 23, 24 or 25 hours where clocks are put
 * forward or back; an hour that the clocks show twice is two hours here.
 */

import { wallClockAt } from "./local-time.ts"
import type { WallClockMs } from "./local-time.ts"
import { DAY_MS, HOUR_MS } from "./time.ts"
import type { EpochMs } from "./time.ts"

/** Weeks begin on Monday. Source: ISO 8601. */
export const GRANULARITIES = ["hour", "day", "week"] as const

export type Granularity = (typeof GRANULARITIES)[number]

/** Part of a calendar: from an instant on, half-open. */
export interface CalendarRange {
  readonly timeZone: string
  readonly fromMs: EpochMs
  readonly toMs: EpochMs
}

/** One hour, day or week, half-open. */
export interface Bucket {
  readonly startMs: EpochMs
  readonly endMs: EpochMs
}

/** A stretch of time in which the wall keeps one distance from UTC. */
interface Piece extends Bucket {
  readonly offsetMs: number
}

const WEEK_MS = 7 * DAY_MS
/** 1970-01-01 was a Thursday: this long after a Monday. */
const THURSDAY_MS = 3 * DAY_MS

/** No zone is further from UTC, so every day of a range begins and ends within this of it. */
const AROUND_MS: Readonly<Record<Granularity, number>> = {
  hour: 2 * HOUR_MS,
  day: 2 * DAY_MS,
  week: 9 * DAY_MS,
}

/**
 * The whole buckets that overlap a range, in order and without gaps; the first may begin before it, the last end after
 * it. An empty range overlaps none. Cost: about 5 µs a day of the range, for its distance from UTC.
 */
export function bucketsOf(
  granularity: Granularity,
  { timeZone, fromMs, toMs }: CalendarRange,
): readonly Bucket[] {
  if (toMs <= fromMs) return []
  const around = AROUND_MS[granularity]
  const wide = { timeZone, fromMs: fromMs - around, toMs: toMs + around }
  const starts = boundaries(granularity, wide)
  return starts
    .slice(0, -1)
    .map((startMs, at) => ({ startMs, endMs: starts[at + 1] ?? startMs }))
    .filter(({ startMs, endMs }) => startMs < toMs && endMs > fromMs)
}

/** The first instant of the local day on which the instant lies. */
export function startOfDay(instantMs: EpochMs, timeZone: string): EpochMs {
  const [day] = bucketsOf("day", { timeZone, fromMs: instantMs, toMs: instantMs + 1 })
  return day?.startMs ?? instantMs
}

/**
 * The first instant of a date: midnight, or the end of the hour that is left out when clocks are put forward at
 * midnight. Of a date that a zone skipped, the first instant of the next.
 */
export function startOfDate(midnight: WallClockMs, timeZone: string): EpochMs {
  const range = { timeZone, fromMs: midnight - 3 * DAY_MS, toMs: midnight + 3 * DAY_MS }
  const found = boundaries("day", range).find((start) => wallClockAt(start, timeZone) >= midnight)
  return found ?? midnight
}

/** Instants in a range at which a bucket begins. */
function boundaries(granularity: Granularity, range: CalendarRange): readonly EpochMs[] {
  const step = granularity === "hour" ? HOUR_MS : DAY_MS
  const starts: EpochMs[] = []
  // What the range begins in has begun somewhere before it.
  let last = nameOf(granularity, wallClockAt(range.fromMs, range.timeZone), range.fromMs)
  for (const [at, piece] of piecesOf(range).entries()) {
    const { startMs, endMs, offsetMs } = piece
    const aligned = Math.ceil((startMs + offsetMs) / step) * step - offsetMs
    // Where the clocks are changed, a bucket begins too: an hour always, a day if the date is a later one.
    const candidates = at === 0 || aligned === startMs ? [] : [startMs]
    for (let start = aligned; start < endMs; start += step) candidates.push(start)
    for (const start of candidates) {
      const name = nameOf(granularity, start + offsetMs, start)
      if (name > last) starts.push(start)
      last = Math.max(last, name)
    }
  }
  return starts
}

/** A number that grows from bucket to bucket; within one it stays. An hour shown twice counts twice. */
function nameOf(granularity: Granularity, wall: WallClockMs, instantMs: EpochMs): number {
  switch (granularity) {
    case "hour":
      return instantMs
    case "day":
      return Math.floor(wall / DAY_MS)
    case "week":
      return Math.floor((wall + THURSDAY_MS) / WEEK_MS)
  }
}

function piecesOf({ timeZone, fromMs, toMs }: CalendarRange): readonly Piece[] {
  const offsetAt = (instantMs: EpochMs): number => wallClockAt(instantMs, timeZone) - instantMs
  const pieces: Piece[] = []
  let startMs = fromMs
  let offsetMs = offsetAt(fromMs)
  // Looked at once a day: no zone changes its clocks and changes them back within one.
  for (let at = fromMs; at < toMs; at += DAY_MS) {
    const next = Math.min(at + DAY_MS, toMs)
    const nextOffset = offsetAt(next)
    if (nextOffset === offsetMs) continue
    const changeMs = firstWith(at, next, (instantMs) => offsetAt(instantMs) === nextOffset)
    pieces.push({ startMs, endMs: changeMs, offsetMs })
    startMs = changeMs
    offsetMs = nextOffset
  }
  return [...pieces, { startMs, endMs: toMs, offsetMs }]
}

/** The first whole instant after `low`, up to `high`, for which it holds; from there on it holds. */
function firstWith(low: EpochMs, high: EpochMs, holds: (instantMs: EpochMs) => boolean): EpochMs {
  let before = low
  let from = high
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (holds(middle)) from = middle
    else before = middle
  }
  return from
}
