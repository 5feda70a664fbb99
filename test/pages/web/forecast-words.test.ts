/** What the board says of the hours ahead. */

import { expect, test } from "vitest"
import { forecastLines } from "../../../src/pages/web/ops/board/forecast-words.ts"
import type { ForecastFigures } from "../../../src/pages/web/ops/board/records.ts"

function figuresWith(breaks: number, at: string | null): ForecastFigures {
  const promise = (metric: string, value: number, when: string | null) => ({
    metric,
    bound: "< 1",
    breaks: { value, low: value, high: value },
    breaks_with_one_more: null,
    breaks_with_one_more_vehicle: null,
    at: when,
    value: null,
  })
  return {
    pickups: { all: 12, late: 0 },
    pickups_with_one_more: null,
    late_after_ms: 480_000,
    late_from: null,
    late_until: null,
    deliveries: null,
    errands: null,
    promises: [promise("reservations.wait_max", 0.1, null), promise("reservations.late", breaks, at)],
  } as unknown as ForecastFigures
}

test("an order that will be on board after its window has the time at which that window ends", () => {
  const countsOf = (breaks: number, at: string | null): string =>
    forecastLines({ ahead: "2h" }, figuresWith(breaks, at), "America/Chicago")[0]?.counts ?? ""
  expect(countsOf(0.6, "2026-03-02T18:30:00Z")).toContain(
    "An order is on board after its window that ends at about 12:30, 60% likely.",
  )
  expect(countsOf(0.6, null)).toContain("An order is on board after its window, 60% likely.")
  expect(countsOf(0.4, "2026-03-02T18:30:00Z")).not.toContain("after its window")
})
