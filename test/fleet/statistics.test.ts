/** Percentiles with their sample sizes, intervals by Student's t, and when there are enough replications. */

import { expect, test } from "vitest"
import { estimateOf, spreadOf, studentT95 } from "../../src/fleet/results/statistics.ts"
import { wideRules } from "../../src/fleet/results/summary.ts"
import { Level, STRETCH_MS } from "../../src/fleet/world/tally.ts"

test("a percentile of too few durations is no figure", () => {
  const of = (n: number): ReturnType<typeof spreadOf> => spreadOf(Array.from({ length: n }, (_, at) => at))
  expect(of(99)).toMatchObject({ n: 99, p95: 93.1, p99: null })
  expect(of(101)).toMatchObject({ n: 101, mean: 50, p50: 50, p90: 90, p99: 99, max: 100 })
  expect(of(9)).toMatchObject({ p50: 4, p90: null })
  expect(spreadOf([])).toEqual({ n: 0, mean: null, p50: null, p90: null, p95: null, p99: null, max: null })
})

// Known: mean 5, variance 4 over five values, so 2.776 × 2 / √5.
test("an interval is Student's t times the standard error", () => {
  const { mean, halfWidth, n } = estimateOf([3, 3, 5, 7, 7])
  expect({ mean, n }).toEqual({ mean: 5, n: 5 })
  expect(halfWidth).toBeCloseTo((2.776 * 2) / Math.sqrt(5), 10)
})

test("a replication without the figure does not count, and one alone has no interval", () => {
  expect(estimateOf([null, 4])).toEqual({ n: 1, mean: 4, halfWidth: null, least: 4, most: 4 })
  expect(estimateOf([null]).mean).toBeNull()
})

test.each([
  [1, 12.706],
  [30, 2.042],
  [40, 2.021],
  [120, 1.98],
])("Student's t at %i degrees of freedom is %f", (degrees, known) => {
  expect(studentT95(degrees)).toBeCloseTo(known, 3)
})

test("a stop rule asks for more until the interval is as narrow as it says", () => {
  const rule = { metric: "wait_p95", halfWidth: 0.05, isShare: true }
  const made = (...waits: readonly number[]) => waits.map((wait) => ({ figures: { wait_p95: wait } }))
  expect(wideRules([rule], made(100, 140, 80))).toEqual([rule])
  expect(wideRules([rule], made(100, 101, 99, 100))).toEqual([])
  expect(wideRules([rule], made(100))).toEqual([rule])
})

test("a level counts the time between warm-up and horizon, stretch by stretch", () => {
  const level = new Level({ fromMs: STRETCH_MS, untilMs: 3 * STRETCH_MS })
  level.change(2, 0)
  level.change(1, STRETCH_MS + 60_000)
  level.change(-3, 2 * STRETCH_MS + 60_000)
  level.change(9, 4 * STRETCH_MS)
  level.close(5 * STRETCH_MS)
  expect(level.areas).toEqual([2 * 60_000 + 3 * (STRETCH_MS - 60_000), 3 * 60_000])
  expect(level.max).toBe(3)
})
