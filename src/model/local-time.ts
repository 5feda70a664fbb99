/** A site's wall clock: which instant a local date and time is. */

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./time.ts"
import type { EpochMs } from "./time.ts"

/** A local date and time, as if it were UTC: milliseconds since 1970-01-01T00:00 on that wall. */
export type WallClockMs = number

/** `2026-03-02T11:30` or with seconds; null when there is no such day or time. */
export function wallClockOf(local: string): WallClockMs | null {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2})?)$/.exec(local)
  if (match === null) return null
  const ms = Date.parse(`${local}Z`)
  if (Number.isNaN(ms)) return null
  // Date.parse takes February 30 for March 2, and 24:00 for the next day.
  return new Date(ms).toISOString().startsWith(local) ? ms : null
}

/** Midnight of the day that the wall shows. */
export function midnightOf(wallMs: WallClockMs): WallClockMs {
  return Math.floor(wallMs / DAY_MS) * DAY_MS
}

/** Which of two instants a local time means where the clocks are put back and it comes twice. */
export type Occurrence = "first" | "second"

/**
 * The instants at which the wall of a time zone shows this, earliest first: two where clocks are put back, none in the
 * hour that is left out where they are put forward.
 */
export function instantsOf(wallMs: WallClockMs, timeZone: string): readonly EpochMs[] {
  const candidates = [DAY_MS, 0, -DAY_MS].map((around) => wallMs - offsetMs(wallMs - around, timeZone))
  const instants = candidates.filter((instant) => instant + offsetMs(instant, timeZone) === wallMs)
  return [...new Set(instants)].toSorted((a, b) => a - b)
}

/** What the wall of a time zone shows at an instant. */
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
