/** Patience that was planted is found again, from the waits of those who left and of those who were served before that. */

import { expect, test } from "vitest"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { Chance } from "../../../src/simulation/fleet/chance.ts"
import { fitModel } from "../../../src/simulation/fleet/fit/fit-model.ts"
import type { FittedSpread } from "../../../src/simulation/fleet/fit/families.ts"
import { observe } from "../../../src/simulation/fleet/fit/observations.ts"
import { fitWaits } from "../../../src/simulation/fleet/fit/wait-fit.ts"
import type { Wait } from "../../../src/simulation/fleet/fit/wait-fit.ts"
import { modelText } from "../../../src/simulation/fleet/fit/written-model.ts"
import { recordedReplication } from "../../../src/simulation/fleet/world/replication.ts"
import { fleetModel } from "./models.ts"

/** Each is served after a time of its own, unless it left before. */
function waitsOf(patience: FittedSpread, count: number): readonly Wait[] {
  const chance = new Chance(5)
  return Array.from({ length: count }, () => {
    const leavesMs = chance.duration(patience, "patience")
    const servedMs = chance.duration({ is: "uniform", fromMs: MINUTE_MS, toMs: 14 * MINUTE_MS }, "served")
    return { ms: Math.min(leavesMs, servedMs), isAtLeast: servedMs < leavesMs }
  })
}

const PLANTED: readonly (readonly [FittedSpread, Readonly<Record<string, number>>])[] = [
  [{ is: "exponential", meanMs: 9 * MINUTE_MS }, { meanMs: 9 * MINUTE_MS }],
  [
    { is: "weibull", shape: 2.5, scaleMs: 10 * MINUTE_MS },
    { shape: 2.5, scaleMs: 10 * MINUTE_MS },
  ],
  [
    { is: "lognormal", meanMs: 10 * MINUTE_MS, sdMs: 5 * MINUTE_MS },
    { meanMs: 10 * MINUTE_MS, sdMs: 5 * MINUTE_MS },
  ],
]

test.each(PLANTED)("patience is found again: %j", (planted, truth) => {
  const waits = waitsOf(planted, 900)
  const fit = fitWaits(waits)
  expect(fit?.spread.is).toBe(planted.is)
  expect(fit?.bounds).toEqual({ count: waits.filter(({ isAtLeast }) => isAtLeast).length, are: "lower" })
  expect(fit?.bounds?.count).toBeGreaterThan(200)
  for (const [name, value] of Object.entries(truth)) {
    expect(fit?.intervals[name]?.low).toBeLessThan(value)
    expect(fit?.intervals[name]?.high).toBeGreaterThan(value)
  }
  expect(fit?.probability).toBeGreaterThan(0.05)
})

test("a fit that the waits speak against has a small probability", () => {
  // Half leave at once, and the others stay for long.
  const chance = new Chance(3)
  const waits = Array.from({ length: 600 }, (_, at) => ({
    ms: (at % 2 === 0 ? 1 : 60) * MINUTE_MS * (1 + chance.fraction("more") / 10),
    isAtLeast: at % 6 === 1,
  }))
  expect(fitWaits(waits)?.probability).toBeLessThan(0.001)
})

test("a patience that all have is constant, unless one was served later", () => {
  const left = Array.from({ length: 5 }, () => ({ ms: 8 * MINUTE_MS, isAtLeast: false }))
  expect(fitWaits([...left, { ms: 3 * MINUTE_MS, isAtLeast: true }])?.spread).toEqual({
    is: "constant",
    ms: 8 * MINUTE_MS,
  })
  expect(fitWaits([...left, { ms: 9 * MINUTE_MS, isAtLeast: true }])?.spread.is).toBe("exponential")
})

test("few who left give an exponential patience: all waits for each of them", () => {
  const waits = [2, 4, 6].map((minutes) => ({ ms: minutes * MINUTE_MS, isAtLeast: minutes === 6 }))
  expect(fitWaits(waits)).toMatchObject({
    spread: { is: "exponential", meanMs: 6 * MINUTE_MS },
    distance: null,
  })
  expect(fitWaits(waits.slice(1))).toBeNull()
})

test("patience of a simulated run is found in its journal", () => {
  const truth = fleetModel(`
fleet: Impatient
because: A fit should find its patience again.
clock: 2026-03-02T00:00 America/Chicago
horizon: 3d
replications: 1
sites: [{ as: curb, at: [30.4, -97.7], stalls: 20, runners: 2, stores: [{ as: store, preparation: 4m }] }]
bot: { patience: { weibull: { shape: 2, scale: 9m } }, settle: 5s }
policy: { bot_wait: 60m }
demand: [{ product: reservation, site: curb, per_hour: 14, ahead: 30m, width: 60m }]
`)
  const { run } = recordedReplication(truth, { seed: 4, name: "truth", variant: null })
  const seen = observe(run.entries.map(({ entry }) => entry.text))
  const fitted = fitModel(seen, { fromMs: null, toMs: null, timeZone: "America/Chicago" })
  const { spread, intervals, bounds } = fitted?.bot.patience ?? {}
  expect(spread?.is).toBe("weibull")
  expect(bounds?.count).toBeGreaterThan(100)
  expect(intervals?.["shape"]?.low).toBeLessThan(2)
  expect(intervals?.["shape"]?.high).toBeGreaterThan(2)
  expect(intervals?.["scaleMs"]?.low).toBeLessThan(9 * MINUTE_MS)
  expect(intervals?.["scaleMs"]?.high).toBeGreaterThan(9 * MINUTE_MS)
  if (fitted !== null)
    expect(modelText(fitted, { source: "truth", place: null })).toMatch(
      /patience: \{ weibull: .* lower bounds/,
    )
})
