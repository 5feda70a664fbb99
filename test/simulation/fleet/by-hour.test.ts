/** Waits and late orders by when they were: an order of the last hour may wait after the horizon. */

import { describe, expect, test } from "vitest"
import { shownMeasure, waitsByHour } from "../../../src/simulation/fleet/results/by-hour.ts"
import { batchesOf } from "../../../src/simulation/fleet/results/batches.ts"
import { measured } from "../../../src/simulation/fleet/results/measured.ts"
import { fleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import { adviceOf } from "../../../src/simulation/fleet/results/advice.ts"
import { caseResult, stretchesOf } from "../../../src/simulation/fleet/results/summary.ts"
import type { CaseResult } from "../../../src/simulation/fleet/results/summary.ts"
import { STRETCH_MS, Tally } from "../../../src/simulation/fleet/world/tally.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { madeUp, site } from "./made-up.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Waits of reservations, each of them `[minutes after the start of the measured time, minutes]`. */
type Waits = readonly (readonly [beganAt: number, minutes: number])[]

function tallyOf(waits: Waits, { horizonMs = 4 * HOUR_MS, late = [] as readonly number[] } = {}): Tally {
  let nowMs = 0
  const tally = new Tally({ fromMs: 0, untilMs: horizonMs, nowMs: () => nowMs })
  for (const [beganAt, minutes] of waits) {
    nowMs = (beganAt + minutes) * MINUTE_MS
    tally.observe("wait", minutes * MINUTE_MS, 0)
    tally.observe("reservations.wait", minutes * MINUTE_MS, 0)
  }
  for (const at of late) tally.countLate("reservation", at * MINUTE_MS, { demandNumber: 0, askedAtMs: 0 })
  return tally
}

function caseOf(model: FleetModel, days: readonly Waits[]): CaseResult {
  const made = days.map((waits, at) => ({
    ...madeUp(at + 1, []),
    ...measured(tallyOf(waits, { horizonMs: model.horizon })),
  }))
  return caseResult(model, [], made)
}

const MODEL = site('promises: { reservations.wait_p90: "< 9m" }')

/** One wait of a minute each five minutes for four hours, and then as many of half an hour each until 16:00. */
const LONG_AFTER: Waits = Array.from({ length: 72 }, (_, at) => [at * 5, at < 48 ? 1 : 30])

describe("waits by the hour", () => {
  test("of the last hour are those that began in it, and the later ones have a row of their own", () => {
    const rows = waitsByHour(shownMeasure(MODEL), {
      model: MODEL,
      one: caseOf(MODEL, [LONG_AFTER, LONG_AFTER]),
    })
    expect(rows.map(({ hour, waits }) => [hour, waits])).toEqual([
      ["10:00", 24],
      ["11:00", 24],
      ["12:00", 24],
      ["13:00", 24],
      ["after 14:00", 48],
    ])
    expect(rows.map(({ isAfterHorizon }) => isAfterHorizon)).toEqual([false, false, false, false, true])
    const [last, after] = rows.slice(-2).map(({ upper }) => Math.round((upper.value ?? 0) / MINUTE_MS))
    expect({ last, after }).toEqual({ last: 1, after: 30 })
  })

  test("of a run over several days keep those after its end apart from that hour of the days before", () => {
    const days = { ...MODEL, horizon: 27 * HOUR_MS }
    const hourly: Waits = Array.from({ length: 29 }, (_, at) => [at * 60, 1])
    const rows = waitsByHour(shownMeasure(days), { model: days, one: caseOf(days, [hourly]) })
    expect(rows.at(-1)).toMatchObject({ hour: "after Tue 13:00", waits: 2 })
    expect(rows.find(({ hour }) => hour === "13:00")?.waits).toBe(1)
    expect(rows.find(({ hour }) => hour === "12:00")?.waits).toBe(2)
  })

  test("know the horizon to the minute, also in the middle of a quarter of an hour", () => {
    const short = { ...MODEL, horizon: 50 * MINUTE_MS }
    const one = caseOf(short, [
      [
        [49, 1],
        [50, 1],
        [52, 1],
        [61, 1],
      ],
    ])
    const rows = waitsByHour(shownMeasure(short), { model: short, one })
    expect(rows.map(({ hour, waits }) => [hour, waits])).toEqual([
      ["10:00", 1],
      ["after 10:50", 3],
    ])
  })
})

test("late orders count in the quarter of an hour in which they were due, also after the horizon", () => {
  const { late } = measured(tallyOf([], { horizonMs: HOUR_MS, late: [10, 59, 61, 130] }))
  expect(late["reservations"]).toEqual([1, 0, 0, 1, 1, 0, 0, 0, 1])
  const { late: inTime } = measured(tallyOf([], { horizonMs: HOUR_MS, late: [10] }))
  expect(inTime["reservations"]).toEqual([1, 0, 0, 0])
})

// They have to be somewhere: a figure of the batches is that of the replication, which counts orders by their request.
test("batches of one replication together have all of its waits, those after the horizon in the last one", () => {
  const [one] = caseOf(MODEL, [LONG_AFTER]).replications
  if (one === undefined) throw new Error("there is one replication")
  const batches = batchesOf(one, stretchesOf(MODEL))
  const counts = batches?.samples.map(({ durations }) => durations["wait"]?.n ?? 0) ?? []
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(72)
  expect(counts.at(-1)).toBeGreaterThan(24)
  expect(batches?.eachMs).toBe(STRETCH_MS * Math.floor(16 / counts.length))
})

test("waits after the horizon, when no new orders come, say nothing about the warm-up", () => {
  const steady = site('promises: { reservations.wait_mean: "< 1h" }')
  const even: Waits = Array.from({ length: 320 }, (_, at) => [at * 0.75, 10 + (at % 7)])
  const emptying: Waits = Array.from({ length: 60 }, (_, at) => [240 + at * 4, 0.1])
  const days = Array.from({ length: 10 }, (_, day): Waits => [...even.slice(day), ...emptying])
  expect(adviceOf(fleetResult(steady, [caseOf(steady, days)])).join(" ")).not.toContain("warm-up")
})
