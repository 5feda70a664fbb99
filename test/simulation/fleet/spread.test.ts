/** Distributions of durations: what is drawn has the known mean, variance and shares. */

import { describe, expect, test } from "vitest"
import { Chance } from "../../../src/simulation/fleet/chance.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import type { Spread } from "../../../src/simulation/fleet/language/spread.ts"
import { siteText } from "./made-up.ts"

const DRAWS = 20_000

function drawn(of: Spread): readonly number[] {
  const chance = new Chance(7)
  return Array.from({ length: DRAWS }, () => chance.duration(of, "time", { isSigned: true }))
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
const sdOf = (values: readonly number[]): number =>
  Math.sqrt(meanOf(values.map((value) => (value - meanOf(values)) ** 2)))
const shareUpTo = (values: readonly number[], ms: number): number =>
  values.filter((value) => value <= ms).length / values.length

/** Four standard errors of a share. */
const ERROR = 4 * Math.sqrt(0.25 / DRAWS)

describe("a triangular distribution", () => {
  test.each([
    [60_000, 90_000, 300_000],
    [0, 0, 120_000],
    [-30_000, 60_000, 60_000],
  ])("from %d with the peak at %d to %d", (fromMs, modeMs, toMs) => {
    const values = drawn({ is: "triangular", fromMs, modeMs, toMs })
    const sum = fromMs + modeMs + toMs
    const products = fromMs * modeMs + modeMs * toMs + toMs * fromMs
    const sd = Math.sqrt((fromMs ** 2 + modeMs ** 2 + toMs ** 2 - products) / 18)
    expect(Math.abs(meanOf(values) - sum / 3)).toBeLessThan((4 * sd) / Math.sqrt(DRAWS))
    expect(sdOf(values) / sd).toBeCloseTo(1, 1)
    expect(Math.abs(shareUpTo(values, modeMs) - (modeMs - fromMs) / (toMs - fromMs))).toBeLessThan(ERROR)
    expect(Math.min(...values)).toBeGreaterThanOrEqual(fromMs)
    expect(Math.max(...values)).toBeLessThanOrEqual(toMs)
  })
})

test("quantiles give each share its part, with straight lines between", () => {
  const points = [
    { share: 0, ms: 60_000 },
    { share: 0.5, ms: 240_000 },
    { share: 0.95, ms: 540_000 },
    { share: 1, ms: 1_200_000 },
  ]
  const values = drawn({ is: "quantiles", points })
  for (const { share, ms } of points) expect(Math.abs(shareUpTo(values, ms) - share)).toBeLessThan(ERROR)
  expect(Math.abs(shareUpTo(values, 150_000) - 0.25)).toBeLessThan(ERROR)
})

function walkOf(walk: string): unknown {
  const { model, problems } = readFleet({
    file: "m.yaml",
    text: siteText("").replace("walk: 1m", `walk: ${walk}`),
    beside: () => null,
  })
  return model?.runner.walk ?? problems.map(({ message, expected }) => `${message}; ${expected}`)
}

test("a model reads both, and names each mistake in them", () => {
  expect(walkOf("{ triangular: [30s, 1m, 3m] }")).toEqual({
    is: "triangular",
    fromMs: 30_000,
    modeMs: 60_000,
    toMs: 180_000,
  })
  expect(walkOf("{ quantiles: { 100%: 3m, 0%: 30s, 50%: 1m } }")).toMatchObject({
    is: "quantiles",
    points: [{ share: 0 }, { share: 0.5, ms: 60_000 }, { share: 1 }],
  })
  expect(walkOf("{ triangular: [3m, 1m, 5m] }")).toEqual([
    "not in order; the least, the most frequent and the most",
  ])
  const expected = "shares such as 0%: 1m, 50%: 4m, 100%: 20m, whose durations do not fall"
  expect(walkOf("{ quantiles: { 0%: 30s, 50%: 1m } }")).toEqual([`not from 0% to 100%; ${expected}`])
  expect(walkOf("{ quantiles: { 0%: 30s, half: 1m, 100%: 2m } }")).toEqual([
    `a share that is none; ${expected}`,
  ])
  expect(walkOf("{ quantiles: { 0%: 3m, 100%: 2m } }")).toEqual([
    `a longer duration at a smaller share; ${expected}`,
  ])
})
