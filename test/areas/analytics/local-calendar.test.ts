/** The site's calendar across the days on which clocks are changed. Source of the zones' rules: the IANA data base. */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  GRANULARITIES,
  bucketsOf,
  startOfDate,
  startOfDay,
} from "../../../src/model/values/local-calendar.ts"
import type { Granularity } from "../../../src/model/values/local-calendar.ts"
import { wallClockAt } from "../../../src/model/values/local-time.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"

const at = (iso: string): number => Date.parse(iso)
const iso = (instantMs: number): string => new Date(instantMs).toISOString().replace(":00.000Z", "Z")

/** Local times at which the buckets of one date begin, and how many minutes each is long. */
function hoursOf(timeZone: string, date: string): readonly string[] {
  const fromMs = startOfDate(at(`${date}T00:00:00Z`), timeZone)
  const toMs = startOfDate(at(`${date}T00:00:00Z`) + DAY_MS, timeZone)
  return bucketsOf("hour", { timeZone, fromMs, toMs }).map(({ startMs, endMs }) => {
    const local = new Date(wallClockAt(startMs, timeZone)).toISOString().slice(11, 16)
    const minutes = (endMs - startMs) / MINUTE_MS
    return minutes === 60 ? local : `${local} for ${minutes} min`
  })
}

const clock = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, hour) => `${String(from + hour).padStart(2, "0")}:00`)

describe("N9: the hours of a day on which clocks are changed", () => {
  test.each<[string, string, string, readonly string[]]>([
    ["none changed", "America/Chicago", "2026-03-07", clock(0, 24)],
    ["forward at 2:00", "America/Chicago", "2026-03-08", [...clock(0, 2), ...clock(3, 24)]],
    ["back at 2:00", "America/Chicago", "2026-11-01", [...clock(0, 2), ...clock(1, 24)]],
    ["forward, in Europe", "Europe/Berlin", "2026-03-29", [...clock(0, 2), ...clock(3, 24)]],
    ["back, in Europe", "Europe/Berlin", "2026-10-25", [...clock(0, 3), ...clock(2, 24)]],
    ["forward at midnight", "America/Santiago", "2025-09-07", clock(1, 24)],
    ["back at midnight, into the day before", "America/Santiago", "2026-04-04", [...clock(0, 24), "23:00"]],
    ["back to midnight", "America/Havana", "2026-11-01", ["00:00", ...clock(0, 24)]],
    [
      "forward by half an hour",
      "Australia/Lord_Howe",
      "2025-10-05",
      [...clock(0, 2), "02:30 for 30 min", ...clock(3, 24)],
    ],
    [
      "back by half an hour",
      "Australia/Lord_Howe",
      "2026-04-05",
      [...clock(0, 2), "01:30 for 30 min", ...clock(2, 24)],
    ],
    ["never changed, half an hour from others", "Asia/Kolkata", "2026-03-08", clock(0, 24)],
    ["never changed, three quarters from others", "Asia/Kathmandu", "2026-11-01", clock(0, 24)],
    ["UTC", "UTC", "2026-03-08", clock(0, 24)],
  ])("%s: %s on %s", (_, timeZone, date, hours) => {
    expect(hoursOf(timeZone, date)).toEqual(hours)
  })
})

describe("N9: days and weeks", () => {
  test.each<[string, string, string, number]>([
    ["2026-03-08", "America/Chicago", "2026-03-08T06:00Z", 23],
    ["2026-11-01", "America/Chicago", "2026-11-01T05:00Z", 25],
    ["2026-06-15", "America/Chicago", "2026-06-15T05:00Z", 24],
    ["2025-09-07", "America/Santiago", "2025-09-07T04:00Z", 23],
    ["2026-04-04", "America/Santiago", "2026-04-04T03:00Z", 25],
    ["2026-11-01", "America/Havana", "2026-11-01T04:00Z", 25],
    ["2026-03-29", "Asia/Beirut", "2026-03-28T22:00Z", 23],
    ["2026-04-05", "Australia/Lord_Howe", "2026-04-04T13:00Z", 24.5],
    ["2026-06-15", "Asia/Kathmandu", "2026-06-14T18:15Z", 24],
  ])("%s in %s begins at %s and has %d hours", (date, timeZone, start, hours) => {
    const midnight = at(`${date}T00:00:00Z`)
    const startMs = startOfDate(midnight, timeZone)
    const endMs = startOfDate(midnight + DAY_MS, timeZone)
    expect([iso(startMs), (endMs - startMs) / HOUR_MS]).toEqual([start, hours])
    expect(bucketsOf("day", { timeZone, fromMs: startMs, toMs: endMs })).toEqual([{ startMs, endMs }])
    expect(startOfDay(endMs - 1, timeZone)).toBe(startMs)
  })

  test("a date that a zone skipped begins with the next one, and is no day", () => {
    const skipped = startOfDate(at("2011-12-30T00:00:00Z"), "Pacific/Apia")
    expect(iso(skipped)).toBe("2011-12-30T10:00Z")
    const around = { timeZone: "Pacific/Apia", fromMs: skipped - DAY_MS, toMs: skipped + DAY_MS }
    expect(bucketsOf("day", around).map(({ startMs }) => iso(startMs))).toEqual([
      "2011-12-29T10:00Z",
      "2011-12-30T10:00Z",
    ])
  })

  test("weeks begin on Monday; one with a change of clocks has an hour more or less", () => {
    const range = {
      timeZone: "America/Chicago",
      fromMs: at("2026-03-06T12:00Z"),
      toMs: at("2026-03-16T12:00Z"),
    }
    const weeks = bucketsOf("week", range).map(
      ({ startMs, endMs }) => `${iso(startMs)} ${(endMs - startMs) / HOUR_MS}`,
    )
    expect(weeks).toEqual(["2026-03-02T06:00Z 167", "2026-03-09T05:00Z 168", "2026-03-16T05:00Z 168"])
  })

  test("an empty range overlaps no bucket; an instant lies in one", () => {
    const fromMs = at("2026-03-08T06:00Z")
    expect(bucketsOf("day", { timeZone: "America/Chicago", fromMs, toMs: fromMs })).toEqual([])
    expect(bucketsOf("day", { timeZone: "America/Chicago", fromMs, toMs: fromMs + 1 })).toHaveLength(1)
    expect(bucketsOf("day", { timeZone: "America/Chicago", fromMs: fromMs - 1, toMs: fromMs })).toHaveLength(
      1,
    )
  })
})

const ZONES = [
  "UTC",
  "America/Chicago",
  "America/Havana",
  "America/Santiago",
  "Africa/Casablanca",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Europe/Dublin",
  "Pacific/Apia",
]

test("N9: always, buckets follow each other without gaps, cover the range, and begin where the wall says", () => {
  const named: Readonly<Record<Granularity, (wall: number) => number>> = {
    hour: (wall) => Math.floor(wall / HOUR_MS),
    day: (wall) => Math.floor(wall / DAY_MS),
    week: (wall) => Math.floor((wall + 3 * DAY_MS) / (7 * DAY_MS)),
  }
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.constantFrom(...GRANULARITIES),
      fc.integer({ min: at("2005-01-01T00:00Z"), max: at("2036-01-01T00:00Z") }),
      fc.integer({ min: 1, max: 40 * DAY_MS }),
      (timeZone, granularity, fromMs, lengthMs) => {
        const toMs = fromMs + lengthMs
        const buckets = bucketsOf(granularity, { timeZone, fromMs, toMs })
        expect(buckets[0]?.startMs).toBeLessThanOrEqual(fromMs)
        expect(buckets[0]?.endMs).toBeGreaterThan(fromMs)
        expect(buckets.at(-1)?.startMs).toBeLessThan(toMs)
        expect(buckets.at(-1)?.endMs).toBeGreaterThanOrEqual(toMs)
        for (const [number, { startMs, endMs }] of buckets.entries()) {
          expect(buckets[number + 1]?.startMs ?? endMs).toBe(endMs)
          const name = named[granularity]
          expect(name(wallClockAt(startMs, timeZone))).toBe(name(wallClockAt(endMs - 1, timeZone)))
        }
      },
    ),
    { numRuns: 300 },
  )
})
