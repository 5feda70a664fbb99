/** Orders of a log that are scaled, repeated, or whose days are drawn. */

import { expect, test } from "vitest"
import { DAY_MS, HOUR_MS, MINUTE_MS, isoMs } from "../../../../src/model/values/time.ts"
import { casesOf, inCase } from "../../../../src/simulation/fleet/language/cases.ts"
import { factorsOf, timedChanges } from "../../../../src/simulation/fleet/language/changes.ts"
import type { FleetModel } from "../../../../src/simulation/fleet/language/model.ts"
import { Chance } from "../../../../src/simulation/fleet/chance.ts"
import { arrivalsOf } from "../../../../src/simulation/fleet/world/arrivals.ts"
import type { Arrival } from "../../../../src/simulation/fleet/world/arrivals.ts"
import { LocalClock } from "../../../../src/simulation/fleet/world/local-clock.ts"
import { deliveries, modelWith } from "./tables.ts"

const MONDAY = Date.UTC(2026, 2, 2)
const START = MONDAY + 10 * HOUR_MS

/** The arrivals of a demand on a seed. */
function arrivalsIn(model: FleetModel, seed: number, demand = 0): readonly Arrival[] {
  const clock = new LocalClock({ timeZone: "UTC", startMs: START, untilMs: START + 30 * DAY_MS })
  const changes = timedChanges(model.changes, { startMs: START, timeZone: "UTC" })
  return [
    ...arrivalsOf({
      demand: model.demand[demand] as FleetModel["demand"][number],
      instants: undefined,
      log: model.logs.find((log) => log.demand === demand),
      logChance: new Chance(seed).of("log/t.csv"),
      factors: factorsOf(model.demand[demand]?.as ?? "deliveries at curb", changes, START),
      chance: new Chance(seed).of(`demand/${demand}`),
      clock,
      startMs: START,
      horizonMs: model.horizon,
    }),
  ]
}

function csvOf(instants: readonly number[]): string {
  return `time,n\n${instants.map((ms) => `${isoMs(ms)},1`).join("\n")}`
}

/** An order every two minutes for eight hours. */
const EVEN = csvOf(Array.from({ length: 240 }, (_, at) => START + at * 2 * MINUTE_MS))

test.each([1.3, 0.4, 2])(
  "a scale of %s gives so many times as many, within chance, in each hour too",
  async (scale) => {
    const model = await modelWith(deliveries(`{ file: t.csv, time: time, scale: ${scale} }`), {
      "t.csv": EVEN,
    })
    const seeds = Array.from({ length: 40 }, (_, seed) => arrivalsIn(model, seed))
    const mean = seeds.reduce((sum, one) => sum + one.length, 0) / seeds.length
    // Of a Poisson count of as many orders; that of a fraction is less.
    expect(Math.abs(mean - 240 * scale)).toBeLessThan(3 * Math.sqrt((240 * scale) / seeds.length))
    const firstHour = seeds.flatMap((one) => one.filter(({ atMs }) => atMs < HOUR_MS)).length / seeds.length
    expect(Math.abs(firstHour - 30 * scale)).toBeLessThan(3 * Math.sqrt((30 * scale) / seeds.length))
  },
)

test("a sweep of demand scales a log", async () => {
  const text = `${deliveries("{ file: t.csv, time: time }")}sweep: { demand: [1, 2] }\n`
  const model = await modelWith(text, { "t.csv": EVEN })
  expect(casesOf(model).map((one) => arrivalsIn(inCase(model, one), 1).length)).toEqual([240, 480])
})

test("a change of the demand leaves the orders before it as they were", async () => {
  const text = deliveries("{ file: t.csv, time: time, scale: 0.8 }")
  const model = await modelWith(text, { "t.csv": EVEN })
  const changed = await modelWith(`${text}changes: [{ at: 12:30, demand: 2 }]\n`, { "t.csv": EVEN })
  const before = (of: FleetModel): readonly number[] =>
    arrivalsIn(of, 5).flatMap(({ atMs }) => (atMs < 2.5 * HOUR_MS ? [atMs] : []))
  expect(before(changed)).toEqual(before(model))
  expect(arrivalsIn(changed, 5).length).toBeGreaterThan(arrivalsIn(model, 5).length + 80)
})

/** Two weeks; on each day as many orders as its number says, at noon and after. */
function twoWeeks(count: (day: number) => number): string {
  return csvOf(
    Array.from({ length: 14 }, (_, day) =>
      Array.from(
        { length: count(day) },
        (_one, at) => MONDAY - 14 * DAY_MS + day * DAY_MS + 12 * HOUR_MS + at * MINUTE_MS,
      ),
    ).flat(),
  )
}

/** Orders of each day of a run. */
function byDay(arrivals: readonly Arrival[], days: number): readonly number[] {
  return Array.from(
    { length: days },
    (_, day) => arrivals.filter(({ atMs }) => Math.floor((START + atMs - MONDAY) / DAY_MS) === day).length,
  )
}

test("a log is repeated by weekdays, or day after day", async () => {
  const files = { "t.csv": twoWeeks((day) => day + 1) }
  const weekly = await modelWith(
    deliveries("{ file: t.csv, time: time, repeat: weekly }", { horizon: "16d" }),
    files,
  )
  expect(byDay(arrivalsIn(weekly, 1), 16)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 1, 2])
  const short = { "t.csv": files["t.csv"].split("\n").slice(0, 4).join("\n") }
  const daily = await modelWith(
    deliveries("{ file: t.csv, time: time, repeat: daily }", { horizon: "5d" }),
    short,
  )
  expect(byDay(arrivalsIn(daily, 1), 5)).toEqual([1, 2, 1, 2, 1])
})

test("days are drawn with replacement from those of the same weekday", async () => {
  const files = { "t.csv": twoWeeks((day) => day + 1) }
  const model = await modelWith(
    deliveries("{ file: t.csv, time: time, resample: days }", { horizon: "7d" }),
    files,
  )
  const seen = Array.from({ length: 40 }, (_, seed) => byDay(arrivalsIn(model, seed), 7))
  for (let day = 0; day < 7; day += 1)
    expect([...new Set(seen.map((days) => days[day]))].toSorted((a = 0, b = 0) => a - b)).toEqual([
      day + 1,
      day + 8,
    ])
  expect(byDay(arrivalsIn(model, 3), 7)).toEqual(seen[3])
})

test("demands of one log draw the same days", async () => {
  const text = `${deliveries("{ file: t.csv, time: time, resample: days }", { horizon: "7d" })}  - product: delivery
    site: curb
    replay: { file: t.csv, time: time, resample: days }
`
  const model = await modelWith(text, { "t.csv": twoWeeks((day) => day + 1) })
  expect(byDay(arrivalsIn(model, 9, 0), 7)).toEqual(byDay(arrivalsIn(model, 9, 1), 7))
})

test("demands that take other rows of one log draw the same dates", async () => {
  const replay = (shop: string): string =>
    `{ file: t.csv, time: time, only: { shop: ${shop} }, resample: days }`
  const text = `${deliveries(replay("a"), { horizon: "7d" })}  - product: delivery
    site: curb
    replay: ${replay("b")}
`
  const [whole = "", ...rows] = twoWeeks((day) => day + 1).split("\n")
  const shops = rows.flatMap((row) => {
    const day = (Date.parse(row.split(",")[0] ?? "") - (MONDAY - 14 * DAY_MS)) / DAY_MS
    return [`${row},a`, ...(day >= 5 && day < 10 ? [`${row},b`] : [])]
  })
  const model = await modelWith(text, { "t.csv": [`${whole},shop`, ...shops].join("\n") })
  const [one, other] = model.logs
  expect(other?.days?.map(({ date }) => date)).toEqual(one?.days?.map(({ date }) => date))
  expect(other?.notes[0]).toContain("9 of its 14 days have no orders, the first 2026-02-16")
  for (let seed = 0; seed < 10; seed += 1) {
    const counts = byDay(arrivalsIn(model, seed, 1), 7)
    for (const [day, count] of byDay(arrivalsIn(model, seed, 0), 7).entries())
      expect(counts[day]).toBe(count > 5 && count <= 10 ? count : 0)
  }
})

test("drawn days widen the interval of a log whose days differ, and not that of one whose days are alike", async () => {
  const spreadOf = async (count: (day: number) => number): Promise<number> => {
    const model = await modelWith(
      deliveries("{ file: t.csv, time: time, resample: days }", { horizon: "8h" }),
      {
        "t.csv": twoWeeks(count),
      },
    )
    const counts = Array.from({ length: 60 }, (_, seed) => arrivalsIn(model, seed).length)
    const mean = counts.reduce((sum, one) => sum + one, 0) / counts.length
    return Math.sqrt(counts.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (counts.length - 1))
  }
  expect(await spreadOf(() => 40)).toBe(0)
  // Of Mondays with 20 and 60 orders the deviation is 20.
  expect(await spreadOf((day) => (day < 7 ? 20 : 60))).toBeCloseTo(20, 0)
})

test("an order of an hour comes within the hour", async () => {
  const model = await modelWith(
    deliveries("{ file: t.csv, time: { weekday: day, hour: hour, zero_is: Mon } }"),
    {
      "t.csv": `day,hour\n${Array.from({ length: 200 }, () => "Monday,12").join("\n")}`,
    },
  )
  const offsets = arrivalsIn(model, 1).map(({ atMs }) => atMs - 2 * HOUR_MS)
  expect(Math.min(...offsets)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...offsets)).toBeLessThan(HOUR_MS)
  expect(Math.abs(offsets.reduce((sum, ms) => sum + ms, 0) / offsets.length - HOUR_MS / 2)).toBeLessThan(
    8 * MINUTE_MS,
  )
})
