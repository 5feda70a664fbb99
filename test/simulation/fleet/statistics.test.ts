/** The statistics of fleet results, against values that are known. */

import { describe, expect, test } from "vitest"
import { Estimates } from "../../../src/simulation/fleet/results/estimates.ts"
import { binOf, msOfBin, observed, within } from "../../../src/simulation/fleet/results/observed.ts"
import { Pool } from "../../../src/simulation/fleet/results/percentile.ts"
import { spreadOf } from "../../../src/simulation/fleet/results/spread-figures.ts"
import { boundsOf, halfWidthOf, meanOf, ratioOf } from "../../../src/simulation/fleet/results/statistics.ts"
import { studentProbability, studentQuantile } from "../../../src/model/values/student.ts"
import { estimateText, wideRules } from "../../../src/simulation/fleet/results/summary.ts"
import { Level, STRETCH_MS } from "../../../src/simulation/fleet/world/tally.ts"
import { sampleOf } from "./bare-queue.ts"

test("a percentile of too few durations is no figure", () => {
  const of = (n: number): ReturnType<typeof spreadOf> => spreadOf(Array.from({ length: n }, (_, at) => at))
  expect(of(99)).toMatchObject({ n: 99, p95: 93.1, p99: null })
  expect(of(100).p99).not.toBeNull()
  expect(of(101)).toMatchObject({ n: 101, mean: 50, p50: 50, p90: 90, p99: 99, max: 100 })
  expect(of(9)).toMatchObject({ p50: 4, p90: null })
  expect(spreadOf([])).toEqual({ n: 0, mean: null, p50: null, p90: null, p95: null, p99: null, max: null })
})

// Known: mean 5, variance 4 over five values, so 2.776 × 2 / √5.
test("an interval of values without skewness is Student's t times the standard error", () => {
  const { value, low, high, n } = meanOf([3, 3, 5, 7, 7])
  expect({ value, n }).toEqual({ value: 5, n: 5 })
  expect(halfWidthOf({ low, high })).toBeCloseTo((2.776445 * 2) / Math.sqrt(5), 5)
})

test("an interval of skewed values reaches farther to the long side", () => {
  const values = [1, 1, 2, 2, 3, 3, 4, 5, 9, 20]
  const [low, high] = boundsOf(values)
  const mean = 5
  expect((high ?? 0) - mean).toBeGreaterThan(1.5 * (mean - (low ?? 0)))
  expect(low).toBeGreaterThan(1)
})

// Known: Student's t at 0.975 is 4.302653 with two degrees of freedom, and 3.182446 with three.
test.each([
  [[1, 1, 10], 4.302653],
  [[140, 150, 145, 20], 3.182446],
])("the interval of so few values as %j is Student's t alone, on both sides alike", (values, t) => {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  const squares = values.reduce((sum, one) => sum + (one - mean) ** 2, 0)
  const half = t * Math.sqrt(squares / (values.length * (values.length - 1)))
  const [low, high] = boundsOf(values)
  expect(low).toBeCloseTo(mean - half, 3)
  expect(high).toBeCloseTo(mean + half, 3)
})

test("five values are enough for the correction, and ten have the same interval as ever", () => {
  const [low, high] = boundsOf([1, 1, 1, 1, 10])
  expect((high ?? 0) - 2.8).toBeGreaterThan(1.5 * (2.8 - (low ?? 0)))
  const [ofTenLow, ofTenHigh] = boundsOf([1, 1, 2, 2, 3, 3, 4, 5, 9, 20])
  expect([ofTenLow, ofTenHigh].map((one) => one?.toFixed(4))).toEqual(["2.2458", "19.1786"])
})

test("a replication without the figure does not count, and one alone has no interval", () => {
  expect(meanOf([null, 4])).toMatchObject({ n: 1, value: 4, low: null, high: null, least: 4, most: 4 })
  expect(meanOf([null]).value).toBeNull()
  expect(estimateText("wait_max", meanOf([null, 240_000]), 2)).toBe("4m (in 1 of 2 replications)")
})

test("a ratio counts every order once, and a replication without orders too", () => {
  const estimate = ratioOf([
    { sum: 10, count: 1 },
    { sum: 20, count: 4 },
    { sum: 0, count: 0 },
  ])
  expect(estimate).toMatchObject({ n: 3, waits: 5, value: 6, least: 5, most: 10 })
  const parts = estimate.parts.map(Number)
  expect(parts.reduce((sum, part) => sum + part, 0) / 3).toBeCloseTo(6, 10)
})

// Source: NIST handbook, 1.3.6.7.2, and scipy.stats.t for the extreme ones.
test.each([
  [0.975, 1, 12.7062],
  [0.975, 9, 2.26216],
  [0.975, 30, 2.04227],
  [0.975, 499, 1.96473],
  [0.9999, 9, 6.010132],
  [1 - 1e-6, 9, 10.720159],
  [0.025, 9, -2.26216],
])("Student's t at %f and %i degrees of freedom is %f", (probability, degrees, known) => {
  expect(studentQuantile(probability, degrees)).toBeCloseTo(known, 4)
  expect(studentProbability(known, degrees)).toBeCloseTo(probability, 5)
})

test("a stop rule asks for more until the interval is as narrow as it says", () => {
  const rule = { metric: "wait_mean", halfWidth: 0.05, isShare: true }
  const made = (...waits: readonly number[]) => waits.map((wait) => sampleOf([wait]))
  const clock = { local: "2026-03-02T10:00", timeZone: "America/Chicago" }
  const noParts = { costs: null, sites: [], demand: [], clock, horizon: 3_600_000, warm_up: 0 }
  expect(wideRules({ ...noParts, until: [rule] }, made(100, 140, 80))).toEqual([rule])
  expect(wideRules({ ...noParts, until: [rule] }, made(100, 101, 99, 100))).toEqual([])
  expect(wideRules({ ...noParts, until: [rule] }, made(100))).toEqual([rule])
})

describe("durations of several replications", () => {
  test("are exact below four seconds, and at most a quarter of a thousandth wrong above", () => {
    for (const ms of [0, 1, 2047, 2048, 4095]) expect(msOfBin(binOf(ms))).toBe(ms)
    for (let ms = 4096; ms < 2 ** 31; ms = Math.floor(ms * 1.37) + 1) {
      expect(Math.abs(msOfBin(binOf(ms)) - ms)).toBeLessThanOrEqual(ms / 4096)
    }
  })

  test("keep the quarter of an hour in which they began", () => {
    const all = observed([500, 100, 100, 900], (at) => [2, 0, 0, 1][at] ?? 0)
    expect(all).toEqual({ stretch: [0, 1, 2], bin: [100, 900, 500], count: [2, 1, 1] })
    expect(within(all, (stretch) => stretch === 1)).toEqual({ stretch: [1], bin: [900], count: [1] })
    expect(within(all, (stretch) => stretch > 2).bin).toEqual([])
  })

  // Known: 1 to 200; by Hyndman and Fan's definition 8 the rank of p95 is 190.65.
  test("have the percentile of all of them together", () => {
    const parts = [0, 1, 2, 3].map((unit) => Array.from({ length: 50 }, (_, at) => at * 4 + unit + 1))
    const pool = new Pool(parts.map((part) => observed(part, () => 0)))
    const estimate = pool.percentile(0.95)
    expect(estimate).toMatchObject({ n: 4, waits: 200 })
    expect(estimate.value).toBeCloseTo(190.65, 1)
    expect(estimate.low).toBeLessThan(190)
    expect(estimate.high).toBeGreaterThan(190)
    expect(pool.percentile(0.99).value).not.toBeNull()
    const few = new Pool(parts.slice(0, 1).map((part) => observed(part, () => 0)))
    expect(few.percentile(0.99)).toMatchObject({ value: null, waits: 50 })
    expect(few.percentile(0.95)).toMatchObject({ low: null, high: null })
  })

  test("have no upper bound when they are too few to give one", () => {
    const pool = new Pool(
      [1, 2, 3].map((unit) => observed([unit, unit + 10, unit + 20, 5, 6, 7, 8], () => 0)),
    )
    const { value, low, high } = pool.percentile(0.95)
    expect(value).toBeGreaterThan(20)
    expect(low).toBeLessThan(value ?? 0)
    expect(high).toBeNull()
  })

  test("that are all the same have an interval without width", () => {
    const pool = new Pool(
      [3, 5].map((n) =>
        observed(
          Array.from({ length: n * 10 }, () => 0),
          () => 0,
        ),
      ),
    )
    expect(pool.percentile(0.95)).toMatchObject({ value: 0, low: 0, high: 0, parts: [0, 0] })
  })

  test("show their number, also when they are too few", () => {
    const estimates = new Estimates([sampleOf([60]), sampleOf([60, 90])])
    expect(estimateText("wait_mean", estimates.of("wait_mean"), 2)).toMatch(/^1m 10s \(.+; 3 waits\)$/)
    expect(estimateText("wait_p95", estimates.of("wait_p95"), 2)).toBe("no figure: 3 waits are too few")
    const one = new Estimates([sampleOf([60])])
    expect(estimateText("wait_p95", one.of("wait_p95"), 1)).toBe("no figure: 1 wait is too few")
  })
})

test("figures of what nothing gave are left out, and costs need prices", () => {
  const asked = { ...sampleOf([60]), figures: { "orders.completed": 4, "orders.asked": 5 } }
  const free = new Estimates([asked])
  const names = free.known().map(([name]) => name)
  expect(names).toContain("wait_mean")
  expect(names).toContain("orders.completed_share")
  expect(names.filter((name) => /^(cost|deliveries|errands)[.]/.test(name))).toEqual([])
  expect(free.of("cost.per_order").value).toBeNull()
  // A promise about what was not measured has no waits, whichever figure it is about.
  expect(free.of("deliveries.wait_p95")).toMatchObject({ n: 1, waits: 0, value: null })
  expect(free.of("deliveries.wait_mean")).toMatchObject({ n: 1, waits: 0, value: null })
  const priced = new Estimates([{ ...asked, figures: { ...asked.figures, "cost.total": 0 } }])
  expect(priced.of("cost.per_order").value).toBe(0)
})

test("a level has no height that did not last", () => {
  const level = new Level({ fromMs: 0, untilMs: STRETCH_MS })
  level.change(1, 1000)
  level.change(1, 2000)
  level.change(-1, 2000)
  level.close(STRETCH_MS)
  expect(level.max).toBe(1)
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
