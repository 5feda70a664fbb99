/** The wall clock of a model's sites over a run, through changes to and from daylight saving time. */

import { midnightOf, wallClockAt } from "../../../model/values/local-time.ts"
import type { WallClockMs } from "../../../model/values/local-time.ts"
import { DAY_MS, SECOND_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { weekdayAt } from "../language/weekday.ts"

/** From this instant the clocks are so far ahead of UTC, milliseconds. */
interface Offset {
  readonly fromMs: EpochMs
  readonly offsetMs: number
}

export interface LocalClockSpan {
  readonly timeZone: string
  readonly startMs: EpochMs
  /** Clocks do not change after this instant. */
  readonly untilMs: EpochMs
}

export class LocalClock {
  /** Earliest first; the first one holds for all time before it, too. */
  readonly #offsets: readonly [Offset, ...Offset[]]

  constructor(span: LocalClockSpan) {
    this.#offsets = offsetsOf(span)
  }

  /** Milliseconds since midnight. Cost: no more than the number of changes in the run. */
  msOfDay(atMs: EpochMs): number {
    const wall = this.#wallAt(atMs)
    return wall - midnightOf(wall)
  }

  /** 0 is Monday. */
  weekday(atMs: EpochMs): number {
    return weekdayAt(this.dayNumber(atMs) * DAY_MS)
  }

  /** Days since 1970-01-01 by the wall clock. */
  dayNumber(atMs: EpochMs): number {
    return Math.floor(this.#wallAt(atMs) / DAY_MS)
  }

  /**
   * The next instant after `afterMs` at which the clocks show this time of day. A time that they skip is taken as the instant of
   * the change, and of a time that comes twice in a day only the first.
   */
  next(msOfDay: number, afterMs: EpochMs): EpochMs {
    for (let midnight = midnightOf(this.#wallAt(afterMs)); ; midnight += DAY_MS) {
      const atMs = this.#instantOf(midnight + msOfDay)
      if (atMs > afterMs) return atMs
    }
  }

  /**
   * The next instant after `afterMs` at which the clocks show one of these times of day, or are changed. `timesOfDay`: ascending, the
   * first is midnight.
   */
  nextOf(timesOfDay: readonly number[], afterMs: EpochMs): EpochMs {
    const nowMs = this.msOfDay(afterMs)
    const nextMs = timesOfDay.find((ms) => ms > nowMs) ?? DAY_MS
    const change = this.#offsets.find(({ fromMs }) => fromMs > afterMs)
    return Math.min(afterMs + nextMs - nowMs, change?.fromMs ?? Number.POSITIVE_INFINITY)
  }

  #wallAt(atMs: EpochMs): WallClockMs {
    let [{ offsetMs }] = this.#offsets
    for (const change of this.#offsets) if (change.fromMs <= atMs) ({ offsetMs } = change)
    return atMs + offsetMs
  }

  #instantOf(wall: WallClockMs): EpochMs {
    const [first, ...changes] = this.#offsets
    let { offsetMs } = first
    for (const change of changes) {
      if (wall - offsetMs < change.fromMs) return wall - offsetMs
      // Skipped: after the change by the old clock, before it by the new one.
      if (wall - change.offsetMs < change.fromMs) return change.fromMs
      ;({ offsetMs } = change)
    }
    return wall - offsetMs
  }
}

function offsetsOf({ timeZone, startMs, untilMs }: LocalClockSpan): readonly [Offset, ...Offset[]] {
  const offsetAt = (atMs: EpochMs): number => wallClockAt(atMs, timeZone) - atMs
  const offsets: [Offset, ...Offset[]] = [{ fromMs: startMs, offsetMs: offsetAt(startMs) }]
  let before = offsets[0]
  for (let dayMs = startMs; dayMs < untilMs; dayMs += DAY_MS) {
    const offsetMs = offsetAt(dayMs + DAY_MS)
    if (offsetMs === before.offsetMs) continue
    // Halves the day until the second of the change is known.
    let [low, high] = [dayMs, dayMs + DAY_MS]
    while (high - low > SECOND_MS) {
      const middle = Math.floor((low + high) / 2)
      if (offsetAt(middle) === before.offsetMs) low = middle
      else high = middle
    }
    before = { fromMs: Math.floor(high / SECOND_MS) * SECOND_MS, offsetMs }
    offsets.push(before)
  }
  return offsets
}
