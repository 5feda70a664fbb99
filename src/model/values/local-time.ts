/** A site's wall clock: converts between local dates and times and instants. */

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./time.ts"
import type { EpochMs } from "./time.ts"

/** A local date and time, stored as if it were UTC: milliseconds since 1970-01-01T00:00 on that clock. */
export type WallClockMs = number

/** Reads `2026-03-02T11:30`, or the same with seconds; null when there is no such day or time. */
export function wallClockOf(local: string): WallClockMs | null {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2})?)$/.exec(local)
  if (match === null) return null
  const ms = Date.parse(`${local}Z`)
  if (Number.isNaN(ms)) return null
  // Date.parse reads February 30 as March 2, and 24:00 as the next day.
  return new Date(ms).toISOString().startsWith(local) ? ms : null
}

/** Midnight of the same local day. */
export function midnightOf(wallMs: WallClockMs): WallClockMs {
  return Math.floor(wallMs / DAY_MS) * DAY_MS
}

/** Which of two instants is meant when clocks go back and a local time occurs twice. */
export type Occurrence = "first" | "second"

/**
 * The instants at which the clocks of a time zone show this time, earliest first: two when clocks go back, none in the
 * hour that is skipped when they go forward.
 */
export function instantsOf(wallMs: WallClockMs, timeZone: string): readonly EpochMs[] {
  const candidates = [DAY_MS, 0, -DAY_MS].map((around) => wallMs - offsetMs(wallMs - around, timeZone))
  const instants = candidates.filter((instant) => instant + offsetMs(instant, timeZone) === wallMs)
  return [...new Set(instants)].toSorted((a, b) => a - b)
}

/** The local date and time of a time zone at an instant. */
export function wallClockAt(instant: EpochMs, timeZone: string): WallClockMs {
  return instant + offsetMs(instant, timeZone)
}

const formatByZone = new Map<string, Intl.DateTimeFormat>()

function offsetMs(instant: EpochMs, timeZone: string): number {
  let format = formatByZone.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" })
    formatByZone.set(timeZone, format)
  }
  const name = format.formatToParts(instant).find((part) => part.type === "timeZoneName")?.value ?? ""
  const match = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(name)
  if (match === null) return 0
  const [, sign, hours, minutes, seconds] = match
  const ms =
    Number(hours ?? 0) * HOUR_MS + Number(minutes ?? 0) * MINUTE_MS + Number(seconds ?? 0) * SECOND_MS
  return sign === "-" ? -ms : ms
}
