/**
 * A site's calendar: the instants at which its hours, days and weeks begin. A day has 23, 24 or 25 hours when clocks
 * change; an hour that the clocks show twice counts as two hours.
 */

import { wallClockAt } from "./local-time.ts"
import type { WallClockMs } from "./local-time.ts"
import { DAY_MS, HOUR_MS } from "./time.ts"
import type { EpochMs } from "./time.ts"

/** Weeks begin on Monday. Source: ISO 8601. */
export const GRANULARITIES = ["hour", "day", "week"] as const

export type Granularity = (typeof GRANULARITIES)[number]

/** A part of a calendar, half-open. */
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

/** A period with a constant offset from UTC. */
interface Piece extends Bucket {
  readonly offsetMs: number
}

const WEEK_MS = 7 * DAY_MS
/** 1970-01-01 was a Thursday: this long after a Monday. */
const THURSDAY_MS = 3 * DAY_MS

/**
 * More than the largest offset from UTC plus one bucket, so that every bucket of a range lies within this distance of
 * it.
 */
const AROUND_MS: Readonly<Record<Granularity, number>> = {
  hour: 2 * HOUR_MS,
  day: 2 * DAY_MS,
  week: 9 * DAY_MS,
}

/**
 * The whole buckets that overlap a range, in order and without gaps; the first may begin before it, the last end after
 * it. An empty range overlaps none. Cost: about 5 µs a day of the range, to find its offset from UTC.
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
 * The first instant of a date: midnight, or the end of the skipped hour when clocks go forward at midnight. If a zone
 * skipped the whole date, the first instant of the next date.
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
  // The bucket that contains the start of the range began before it.
  let last = nameOf(granularity, wallClockAt(range.fromMs, range.timeZone), range.fromMs)
  for (const [at, piece] of piecesOf(range).entries()) {
    const { startMs, endMs, offsetMs } = piece
    const aligned = Math.ceil((startMs + offsetMs) / step) * step - offsetMs
    // A clock change also begins an hour, and begins a day if the date changes.
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

/**
 * A number that is constant within a bucket and grows from bucket to bucket. An hour that is shown twice counts twice.
 */
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
  // Checked once a day: no zone changes its clocks twice within a day.
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

/**
 * The first whole instant after `low`, up to `high`, at which `holds` is true. It must stay true after that (binary
 * search).
 */
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
