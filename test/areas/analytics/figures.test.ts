/** Spans, tallies and figures without a host. */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { changeOf, metricsOf, occupancyOf } from "../../../src/areas/analytics/figures.ts"
import { QUARTER_MS, cutQuartersOf, quarterOf, quartersOf } from "../../../src/areas/analytics/quarters.ts"
import type { PastStay } from "../../../src/areas/analytics/quarters.ts"
import { granularityOf, spanOf } from "../../../src/areas/analytics/spans.ts"
import { NOTHING, plus, tallyOf } from "../../../src/areas/analytics/tally.ts"
import type { Stay } from "../../../src/areas/analytics/tally.ts"

const at = (iso: string): number => Date.parse(iso)
const iso = (instantMs: number): string => new Date(instantMs).toISOString()

const CHICAGO = "America/Chicago"
const NOW = at("2026-06-03T20:30:00Z")

/** As text: `start/end`, or `field: message`. */
function span(asked: Parameters<typeof spanOf>[0], nowMs = NOW, timeZone = CHICAGO): string {
  const found = spanOf(asked, { timeZone, nowMs })
  return "field" in found ? `${found.field}: ${found.message}` : `${iso(found.startMs)}/${iso(found.endMs)}`
}

describe("spans", () => {
  test.each<[string, Parameters<typeof spanOf>[0], string]>([
    ["today, from midnight at the site", {}, "2026-06-03T05:00:00.000Z/2026-06-03T20:30:00.000Z"],
    ["today, asked for", { period: "today" }, "2026-06-03T05:00:00.000Z/2026-06-03T20:30:00.000Z"],
    ["the last 7 days", { period: "week" }, "2026-05-27T20:30:00.000Z/2026-06-03T20:30:00.000Z"],
    ["the last 30 days", { period: "month" }, "2026-05-04T20:30:00.000Z/2026-06-03T20:30:00.000Z"],
  ])("N3: %s", (_, asked, expected) => {
    expect(span(asked)).toBe(expected)
  })

  test.each([
    ["just before midnight", "2026-06-04T04:59:59.999Z", "2026-06-03T05:00:00.000Z"],
    ["at midnight", "2026-06-04T05:00:00.000Z", "2026-06-04T05:00:00.000Z"],
    ["after clocks were put forward", "2026-03-08T20:00:00.000Z", "2026-03-08T06:00:00.000Z"],
    ["after clocks were put back", "2026-11-02T05:30:00.000Z", "2026-11-01T05:00:00.000Z"],
  ])("N3: today %s", (_, now, start) => {
    expect(span({}, at(now))).toBe(`${start}/${now}`)
  })

  test.each<[string, string, string, string]>([
    [
      "instants",
      "2026-06-01T00:00:00Z",
      "2026-06-01T00:00:00.001Z",
      "2026-06-01T00:00:00.000Z/2026-06-01T00:00:00.001Z",
    ],
    [
      "instants with offsets",
      "2026-06-01T00:00:00-05:00",
      "2026-06-02T02:00:00+02:00",
      "2026-06-01T05:00:00.000Z/2026-06-02T00:00:00.000Z",
    ],
    [
      "dates: midnights at the site",
      "2026-03-08",
      "2026-03-09",
      "2026-03-08T06:00:00.000Z/2026-03-09T05:00:00.000Z",
    ],
    [
      "a date and an instant",
      "2026-11-01",
      "2026-11-02T06:00:00Z",
      "2026-11-01T05:00:00.000Z/2026-11-02T06:00:00.000Z",
    ],
    [
      "366 days of a leap year and an hour of clocks put back",
      "2027-11-07",
      "2028-11-07",
      "2027-11-07T05:00:00.000Z/2028-11-07T06:00:00.000Z",
    ],
    [
      "366 times 24 hours that the calendar calls more",
      "2026-03-01T06:00:00Z",
      "2027-03-02T06:00:00Z",
      "2026-03-01T06:00:00.000Z/2027-03-02T06:00:00.000Z",
    ],
  ])("N4: %s", (_, startDate, endDate, expected) => {
    expect(span({ startDate, endDate, period: "month" })).toBe(expected)
  })

  test.each<[string, { startDate?: string; endDate?: string }, string]>([
    ["a begin alone", { startDate: "2026-06-01" }, "endDate: must come with startDate"],
    ["an end alone", { endDate: "2026-06-01" }, "startDate: must come with endDate"],
    [
      "an end at the begin",
      { startDate: "2026-06-01", endDate: "2026-06-01" },
      "endDate: must be after startDate",
    ],
    [
      "an end before the begin",
      { startDate: "2026-06-02", endDate: "2026-06-01" },
      "endDate: must be after startDate",
    ],
    [
      "more than 366 days",
      { startDate: "2026-06-01", endDate: "2027-06-03" },
      "endDate: must be at most 366 days after startDate",
    ],
    [
      "all of time",
      { startDate: "0001-01-01", endDate: "9999-12-31" },
      "endDate: must be at most 366 days after startDate",
    ],
  ])("N4: %s is refused", (_, asked, expected) => {
    expect(span(asked)).toBe(expected)
  })

  test.each<[string, string, string | undefined, string]>([
    ["2026-06-01", "2026-06-02", undefined, "hour"],
    ["2026-06-01", "2026-06-03", undefined, "hour"],
    ["2026-06-01", "2026-06-03T05:00:00.001Z", undefined, "day"],
    ["2026-10-31", "2026-11-02", undefined, "hour"],
    ["2026-06-01", "2026-06-02", "day", "day"],
    ["2026-06-01", "2026-06-02", "week", "week"],
    ["2026-10-05", "2026-11-05", "hour", "hour"],
    ["2026-10-05", "2026-11-06", "hour", "granularity: may be hour for at most 31 days"],
    ["2026-01-01", "2027-01-01", "day", "day"],
  ])("N8: from %s to %s, asked for %s, is told by %s", (startDate, endDate, asked, expected) => {
    const found = spanOf({ startDate, endDate }, { timeZone: CHICAGO, nowMs: NOW })
    if ("field" in found) throw new Error(found.message)
    const told = granularityOf(asked as Parameters<typeof granularityOf>[0], found, CHICAGO)
    expect(typeof told === "string" ? told : `${told.field}: ${told.message}`).toBe(expected)
  })
})

describe("figures", () => {
  test.each([
    [0, 0, 0, "increase"],
    [1, 0, 100, "increase"],
    [0, 5, 100, "decrease"],
    [5, 5, 0, "increase"],
    [6, 5, 20, "increase"],
    [4, 5, 20, "decrease"],
    [1, 3, 66.7, "decrease"],
    [7, 3, 133.3, "increase"],
    [9_999, 10_000, 0, "increase"],
    [9_995, 10_000, 0.1, "decrease"],
  ])("N5: %d after %d is a change of %d, an %s", (now, before, percentage, type) => {
    expect(changeOf(now, before)).toEqual({ change_percentage: percentage, change_type: type })
  })

  test.each([
    ["a quarter of the stall-time", 2 * HOUR_MS, 4, 2 * HOUR_MS, 25],
    ["a third, with one decimal", HOUR_MS, 3, HOUR_MS, 33.3],
    ["more than there was", 5 * HOUR_MS, 2, HOUR_MS, 100],
    ["no stall", HOUR_MS, 0, HOUR_MS, 0],
    ["no time", 0, 3, 0, 0],
  ])("N6: occupancy of %s", (_, occupiedMs, stalls, elapsedMs, expected) => {
    expect(occupancyOf({ ...NOTHING, occupiedMs }, { stalls, elapsedMs })).toBe(expected)
  })

  test.each([
    [0, 0, [0, 0, 0]],
    [1, 59_499, [0, 59, 59]],
    [1, 59_500, [1, 0, 60]],
    [3, 3 * 754_000, [12, 34, 754]],
    [2, 3 * HOUR_MS, [90, 0, 5_400]],
  ])("N7: the dwell time of %d sessions of %d ms together", (began, stayMs, [minutes, seconds, total]) => {
    const { average_dwell_time: dwell } = metricsOf({ ...NOTHING, began, stayMs }, NOTHING, {
      stalls: 1,
      elapsedMs: 1,
    })
    expect(dwell).toMatchObject({ minutes, seconds, total_seconds: total })
  })
})

const T = at("2026-06-01T15:00:00Z")
const instant = fc.integer({ min: T - DAY_MS, max: T + DAY_MS })
const stay: fc.Arbitrary<Stay> = fc
  .tuple(instant, fc.integer({ min: 0, max: 10 * HOUR_MS }), fc.boolean())
  .map(([startsAtMs, lengthMs, isOver]) => ({ startsAtMs, endsAtMs: isOver ? startsAtMs + lengthMs : null }))
const stays = fc.array(stay, { maxLength: 20 })
const cuts = fc
  .uniqueArray(instant, { minLength: 2, maxLength: 10 })
  .map((all) => all.toSorted((a, b) => a - b))

describe("tallies", () => {
  test("N5: always, cutting a span changes neither its sessions, nor their stays, nor the occupied time", () => {
    fc.assert(
      fc.property(stays, cuts, (all, at_) => {
        const nowMs = T + DAY_MS
        const whole = tallyOf(all, { cuts: [at_[0] ?? 0, at_.at(-1) ?? 0], nowMs })
        expect(tallyOf(all, { cuts: at_, nowMs }).reduce(plus, NOTHING)).toEqual(whole[0])
      }),
    )
  })

  test("N6: always, the time of all spans together is what the stays have of them, and never more than vehicles times time", () => {
    fc.assert(
      fc.property(stays, cuts, (all, at_) => {
        for (const [number, { occupiedMs }] of tallyOf(all, { cuts: at_, nowMs: T + DAY_MS }).entries()) {
          const lengthMs = (at_[number + 1] ?? 0) - (at_[number] ?? 0)
          expect(occupiedMs).toBeGreaterThanOrEqual(0)
          expect(occupiedMs).toBeLessThanOrEqual(lengthMs * all.length)
        }
      }),
    )
  })

  test("always, the quarters of a stay add up to it", () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: 0, max: DAY_MS }), (startsAtMs, lengthMs) => {
        const one: PastStay = { startsAtMs, endsAtMs: startsAtMs + lengthMs }
        const quarters = quartersOf([one, one])
        expect(
          quarters.reduce<typeof NOTHING>(
            (sum, { began, stayMs, occupiedMs }) => plus(sum, { began, stayMs, occupiedMs }),
            NOTHING,
          ),
        ).toEqual({
          began: 2,
          stayMs: 2 * lengthMs,
          occupiedMs: 2 * lengthMs,
        })
        for (const { quarterMs, throughout, occupiedMs } of quarters) {
          expect(quarterMs % QUARTER_MS).toBe(0)
          expect(throughout === 2).toBe(occupiedMs === 2 * QUARTER_MS)
        }
      }),
    )
  })

  test("a quarter is cut by an instant inside it, and not by its begin", () => {
    expect(cutQuartersOf([T, T + 1, T + 2, T + QUARTER_MS, T + 2 * QUARTER_MS - 1])).toEqual([
      T,
      T + QUARTER_MS,
    ])
    expect(quarterOf(T + 14 * MINUTE_MS)).toBe(T)
  })
})
