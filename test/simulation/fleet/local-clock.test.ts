/** The wall clock of a fleet's sites through both changes of daylight saving time. */

import { describe, expect, test } from "vitest"
import { LocalClock } from "../../../src/simulation/fleet/world/local-clock.ts"
import { midnightOf, wallClockAt } from "../../../src/model/values/local-time.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"

const ZONES = ["America/Chicago", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"] as const
const START = Date.UTC(2026, 1, 20, 9, 30)

function clockOf(timeZone: string): LocalClock {
  return new LocalClock({ timeZone, startMs: START, untilMs: START + 365 * DAY_MS })
}

test.each(ZONES)(
  "in %s it is the clock of the time zone database at every quarter of an hour",
  (timeZone) => {
    const clock = clockOf(timeZone)
    const others: string[] = []
    for (let atMs = START; atMs < START + 365 * DAY_MS; atMs += 15 * MINUTE_MS) {
      const wall = wallClockAt(atMs, timeZone)
      const isSame =
        clock.msOfDay(atMs) === wall - midnightOf(wall) && clock.dayNumber(atMs) === Math.floor(wall / DAY_MS)
      if (!isSame) others.push(new Date(atMs).toISOString())
    }
    expect(others).toEqual([])
  },
)

describe("the next instant of a time of day", () => {
  const clock = clockOf("America/Chicago")
  const at = (iso: string): number => Date.parse(iso)
  const shown = (atMs: number): string => new Date(atMs).toISOString()

  test.each([
    ["of today", "2026-03-02T15:00Z", 11, "2026-03-02T17:00:00.000Z"],
    ["of tomorrow when it is that time now", "2026-03-02T17:00Z", 11, "2026-03-03T17:00:00.000Z"],
    ["23 hours later over the change forward", "2026-03-07T17:00Z", 11, "2026-03-08T16:00:00.000Z"],
    ["at the change for a time that is skipped", "2026-03-08T07:00Z", 2.5, "2026-03-08T08:00:00.000Z"],
    ["25 hours later over the change back", "2026-10-31T16:00Z", 11, "2026-11-01T17:00:00.000Z"],
    ["the first of a time that comes twice", "2026-11-01T05:00Z", 1.5, "2026-11-01T06:30:00.000Z"],
    ["not the second one of it", "2026-11-01T06:30Z", 1.5, "2026-11-02T07:30:00.000Z"],
  ] as const)("%s: after %s, of %s o'clock, is %s", (_, after, hour, wanted) => {
    expect(shown(clock.next(hour * HOUR_MS, at(after)))).toBe(wanted)
  })
})

describe("the next of several times of day", () => {
  const clock = clockOf("America/Chicago")
  const hours = Array.from({ length: 24 }, (_, hour) => hour * HOUR_MS)

  test.each([
    ["the next hour", "2026-03-02T15:20Z", "2026-03-02T16:00:00.000Z"],
    ["the one after it when it is that time now", "2026-03-02T16:00Z", "2026-03-02T17:00:00.000Z"],
    ["midnight", "2026-03-02T05:59Z", "2026-03-02T06:00:00.000Z"],
    ["the change forward, which is on an hour", "2026-03-08T07:30Z", "2026-03-08T08:00:00.000Z"],
    ["the change back, which is before 02:00", "2026-11-01T06:30Z", "2026-11-01T07:00:00.000Z"],
    ["02:00 after an hour that came twice", "2026-11-01T07:00Z", "2026-11-01T08:00:00.000Z"],
  ] as const)("%s: after %s it is %s", (_, after, wanted) => {
    expect(new Date(clock.nextOf(hours, Date.parse(after))).toISOString()).toBe(wanted)
  })

  test("clocks that are changed by half an hour have a mark there", () => {
    const island = clockOf("Australia/Lord_Howe")
    const changes = Array.from({ length: 365 * 24 }, (_, hour) => START + hour * HOUR_MS)
      .map((afterMs) => island.nextOf(hours, afterMs))
      .filter((atMs) => island.msOfDay(atMs) % HOUR_MS !== 0)
    expect(new Set(changes.map((atMs) => island.msOfDay(atMs) / HOUR_MS))).toEqual(new Set([1.5, 2.5]))
  })
})
