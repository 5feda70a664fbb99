/** The pages of analytics and charges: spans on the site's calendar, figures in words, and the file. */

import { describe, expect, test } from "vitest"
import {
  deliveryFigures,
  figuresCsv,
  visitFigures,
} from "../../../src/pages/web/portal/pages/analytics/figures.ts"
import {
  daysOf,
  lastMonths,
  monthName,
  totalText,
} from "../../../src/pages/web/portal/pages/charge-months.ts"
import { lastDays, spanOf } from "../../../src/pages/web/portal/pages/analytics/spans.ts"

/** Wednesday in Austin, and Thursday in Auckland. */
const nowMs = Date.parse("2026-11-25T16:00:00Z")
const austin = { zone: "America/Chicago", nowMs }
const NO_DAYS = { from: "", to: "" }

describe("a span", () => {
  test.each([
    ["America/Chicago", "2026-11-25T16:00:00Z", "2026-11-16", "2026-11-23"],
    ["America/Chicago", "2026-11-23T05:59:59Z", "2026-11-09", "2026-11-16"],
    ["America/Chicago", "2026-11-23T06:00:00Z", "2026-11-16", "2026-11-23"],
    ["Pacific/Auckland", "2026-11-22T12:00:00Z", "2026-11-16", "2026-11-23"],
  ])("last week in %s at %s is from Monday to Sunday there", (zone, at, startDate, endDate) => {
    const query = { startDate, endDate }
    expect(spanOf("last_week", NO_DAYS, { zone, nowMs: Date.parse(at) })?.query).toEqual(query)
  })

  test("of chosen days has both of them whole, and is compared with as many before", () => {
    expect(spanOf("days", { from: "2026-11-20", to: "2026-11-22" }, austin)).toEqual({
      query: { startDate: "2026-11-20", endDate: "2026-11-23" },
      before: "the 3 days before",
    })
    expect(spanOf("days", { from: "2026-11-25", to: "2026-11-25" }, austin)?.before).toBe(
      "as much time before",
    )
    expect(spanOf("days", { from: "2026-11-20", to: "" }, austin)).toBe(null)
    expect(lastDays(austin)).toEqual({ from: "2026-11-18", to: "2026-11-24" })
  })
})

const unchanged = { change_percentage: 0, change_type: "increase" as const }
const doubled = { change_percentage: 100, change_type: "increase" as const }
const NOTHING = { visits: 0, occupancy_percentage: 0, total_seconds: 0 }
const SPAN = "the 7 days before"

const visits = (now: number, before: typeof NOTHING, change = doubled) =>
  visitFigures(
    {
      autolane_sessions: { total: now, ...change },
      average_occupancy: { percentage: now * 10, ...change },
      average_dwell_time: { minutes: now, seconds: 5, total_seconds: now * 65, ...change },
      before,
    },
    SPAN,
  ).map(({ figure, about }) => `${figure}: ${about}`)

describe("figures", () => {
  test("are no percentage of nothing, and a double is one of something", () => {
    expect(visits(2, NOTHING)).toEqual([
      `2: None in ${SPAN}`,
      `20 %: Empty in ${SPAN}`,
      `2:05 min: No stay in ${SPAN}`,
    ])
    expect(visits(2, { visits: 1, occupancy_percentage: 10, total_seconds: 65 })).toEqual([
      `2: 100 % more than in ${SPAN}`,
      `20 %: 100 % more than in ${SPAN}`,
      `2:05 min: 100 % more than in ${SPAN}`,
    ])
    expect(visits(0, NOTHING, unchanged)).toEqual([
      `0: None in ${SPAN} either`,
      `–: Empty in ${SPAN} too`,
      `–: No stay in ${SPAN}`,
    ])
  })

  test("of deliveries say how many came in time, and what they cost", () => {
    const before = { completed: 4, kept: 1, fee_cents: 3_196 }
    const words = { span: SPAN, isFree: false }
    const shown = (figures: Parameters<typeof deliveryFigures>[0]) =>
      deliveryFigures(figures, words).map(({ name, figure, about }) => `${name}: ${figure}, ${about}`)
    expect(shown({ completed: 3, kept: 2, fee_cents: 2_397, before })).toEqual([
      `Deliveries completed: 3, 4 in ${SPAN}`,
      `Promise kept: 66.7 %, 2 of 3 in time; 25 % in ${SPAN}`,
      `Fees: $23.97, $31.96 in ${SPAN}`,
    ])
    expect(
      shown({ completed: 0, kept: 0, fee_cents: 0, before: { completed: 0, kept: 0, fee_cents: 0 } }),
    ).toEqual([
      `Deliveries completed: 0, None in ${SPAN} either`,
      "Promise kept: –, By the promised delivery time",
      `Fees: $0.00, None in ${SPAN} either`,
    ])
  })

  test("are a file with a line for each day", () => {
    const day = { bucket_start: "2026-11-24T06:00:00.000Z", bucket_end: "2026-11-25T06:00:00.000Z" }
    const shared = {
      granularity: "day",
      timezone: austin.zone,
      start: day.bucket_start,
      end: day.bucket_end,
    } as const
    const sums = { completed: 3, kept: 2, fee_cents: 2_397 }
    const file = figuresCsv(
      { ...shared, points: [{ ...day, occupancy_percentage: 12.5, session_count: 4 }] },
      { ...shared, ...sums, before: sums, points: [{ ...day, ...sums }] },
    )
    expect(file).toBe(
      "start,end,visits,occupancy_percentage,deliveries_completed,deliveries_in_time,fee_cents,currency\r\n" +
        `${day.bucket_start},${day.bucket_end},4,12.5,3,2,2397,USD\r\n`,
    )
  })
})

test("months of charges are whole, and their sums are added up by currency", () => {
  const months = lastMonths(new Date(2026, 1, 28).getTime())
  expect(months.slice(0, 3)).toEqual(["2026-02", "2026-01", "2025-12"])
  expect([...new Set(months)]).toHaveLength(13)
  expect(daysOf("2024-02")).toEqual({ from: "2024-02-01", to: "2024-02-29" })
  expect(monthName("2026-11")).toBe("November 2026")
  const sum = { month: "2026-11", site_id: "site_1", currency: "USD", count: 1, fee_cents: 799 }
  expect(totalText([sum])).toBe("1 delivery, $7.99")
  expect(totalText([sum, sum, { ...sum, currency: "EUR" }])).toBe("3 deliveries, $15.98, €7.99")
})
