/** A model fitted from a table has the rates, durations and shares that made the table. */

import { expect, test } from "vitest"
import { DAY_MS, HOUR_MS, MINUTE_MS, isoMs } from "../../../../src/model/values/time.ts"
import { Chance } from "../../../../src/simulation/fleet/chance.ts"
import { fitTable } from "../../../../src/simulation/fleet/fit/table-fit.ts"
import { tableModelText } from "../../../../src/simulation/fleet/fit/written-table.ts"
import { readFleet } from "../../../../src/simulation/fleet/language/read.ts"
import { boundModelText } from "../../../../src/simulation/fleet/tables/bound-model.ts"
import { readTable } from "../../../../src/simulation/fleet/tables/read-table.ts"
import { deliveries, logWith } from "./tables.ts"

const MONDAY = Date.UTC(2026, 2, 2)

/** Four weeks: 6 orders an hour from 10:00, 18 from 12:00 to 14:00, half of that at weekends, and none on the day that is skipped. */
function synthetic(skipped: number | null = null): string {
  const chance = new Chance(11)
  const lines: string[] = []
  const stamp = (ms: number): string => isoMs(ms).slice(0, 19).replace("T", " ")
  for (let day = 0; day < 28; day += 1) {
    if (day === skipped) continue
    const share = day % 7 >= 5 ? 0.5 : 1
    for (let hour = 10; hour < 14; hour += 1) {
      const perHour = (hour < 12 ? 6 : 18) * share
      for (let ms = 0; ;) {
        ms -= (Math.log1p(-chance.fraction("gaps")) * HOUR_MS) / perHour
        if (ms >= HOUR_MS) break
        const atMs = MONDAY + day * DAY_MS + hour * HOUR_MS + ms
        const cookedMs = chance.duration(
          { is: "lognormal", meanMs: 9 * MINUTE_MS, sdMs: 3 * MINUTE_MS },
          "cook",
        )
        const status = chance.happens(0.1, "cancel") ? "canceled" : "ok"
        lines.push(`${stamp(atMs)},${stamp(atMs + cookedMs)},${status}`)
      }
    }
  }
  return ["at,ready,status", ...lines, "2026-03-02 10:59:00,2026-03-02 18:59:00,ok"].join("\n")
}

const REPLAY =
  "{ file: t.csv, time: at, preparation: { to: ready }, cancel: { column: status, is: canceled }, repeat: weekly }"

test("rates by hour and weekday, durations and shares are found again", async () => {
  const fitted = fitTable(await logWith(deliveries(REPLAY), { "t.csv": synthetic() }))
  const [store] = fitted.stores
  const [weekend, week] = (store?.arrivals.rates ?? []).toSorted((one, other) => one.count - other.count)
  expect(week?.on).toEqual(["Mon", "Tue", "Wed", "Thu", "Fri"])
  expect(weekend?.on).toEqual(["Sat", "Sun"])
  const rateAt = (rates: typeof week, hour: number): number =>
    rates?.steps.findLast(({ fromHour }) => fromHour <= hour)?.perHour ?? 0
  expect(rateAt(week, 10)).toBeCloseTo(6, -0.5)
  expect(Math.abs(rateAt(week, 12) - 18)).toBeLessThan(2)
  expect(rateAt(week, 15)).toBe(0)
  expect(Math.abs((store?.preparation?.meanMs ?? 0) - 9 * MINUTE_MS)).toBeLessThan(1.5 * MINUTE_MS)
  expect(fitted.cancel?.interval.low).toBeLessThan(0.1)
  expect(fitted.cancel?.interval.high).toBeGreaterThan(0.1)
})

test("days without rows and values far from the others are named", async () => {
  const { odd } = fitTable(await logWith(deliveries(REPLAY), { "t.csv": synthetic(20) }))
  expect(odd).toEqual([
    "No rows on 2026-03-22, 1 of 28 days: they count as days without orders.",
    expect.stringMatching(
      /^\d+ of \d+ values of preparation lie far from the others, up to 8h: they are in the fit\.$/,
    ),
  ])
})

test("days before the first order of a demand are no gaps of its rates", async () => {
  const csv = "at,ready,status\n2026-03-01 11:00,,gone\n2026-03-04 11:00,,ok\n2026-03-05 11:00,,ok\n"
  const log = await logWith(deliveries("{ file: t.csv, time: at, only: { status: ok }, repeat: weekly }"), {
    "t.csv": csv,
  })
  expect(log.days).toHaveLength(5)
  expect(fitTable(log).odd).toEqual([])
})

test("the written model is read, with the odd things as comments", async () => {
  const log = await logWith(deliveries(REPLAY), { "t.csv": synthetic(20) })
  const text = tableModelText(fitTable(log), {
    source: "t.csv",
    product: "delivery",
    timeZone: "America/Chicago",
    place: { latitude: 30.4, longitude: -97.7 },
    reachKm: 3,
    notes: ["t.csv: a note"],
  })
  const { model, problems } = readFleet({ file: "t.yaml", text, beside: () => null })
  expect(problems).toEqual([])
  // The Sunday without orders sets Sundays apart.
  expect(model?.demand.map(({ on }) => on?.length)).toEqual([1, 1, 5])
  expect(text).toContain("# t.csv: a note\n")
  expect(text).toContain("# - No rows on 2026-03-22")
})

test("pairs of words and columns make a model whose site lies in the middle of the doors", async () => {
  const csv =
    "at,shop,y,x\n2026-03-02 11:00,7,30.40,-97.70\n2026-03-02 11:00,7,30.41,-97.71\n2026-03-02 11:00,9,30.42,-97.72\n"
  const table = await readTable("t.csv", new TextEncoder().encode(csv))
  if ("fault" in table) throw new Error(table.fault)
  const text = boundModelText(table, {
    bind: [
      ["time", "at"],
      ["time.zone", "UTC"],
      ["store", "shop"],
      ["door.lat", "y"],
      ["door.lon", "4"],
      ["only.shop", "7"],
      ["only.shop", "9"],
    ],
    product: "delivery",
    timeZone: "UTC",
  })
  const log = await logWith(text.replace('"file":"t.csv"', '"file":"t.csv","repeat":"daily"'), {
    "t.csv": csv,
  })
  expect(log.rows).toMatchObject({ used: 3, leftOut: [] })
  expect(log.days?.[0]?.orders.map(({ facts }) => facts.store)).toEqual(["7", "7", "9"])
  expect(text).toContain('"at":[30.41,-97.71]')
})

test("patience is fitted from the waits of bots that left and of bots that were served", async () => {
  const chance = new Chance(7)
  const rows = Array.from({ length: 400 }, (_, at) => {
    const leaves = chance.duration({ is: "exponential", meanMs: 8 * MINUTE_MS }, "leaves") / 1000
    const served = chance.duration({ is: "exponential", meanMs: 8 * MINUTE_MS }, "served") / 1000
    const day = String(1 + (at % 20)).padStart(2, "0")
    return `2026-03-${day} 11:00,${Math.min(leaves, served)},${leaves < served ? "Gone" : "loaded"}`
  })
  const reservations = (patience: string): string =>
    deliveries(`{ file: t.csv, time: at, repeat: weekly, patience: ${patience} }`)
      .replace("product: delivery", "product: reservation")
      .replace("vehicles: 40", "stalls: 4\n    runners: 4")
  const files = { "t.csv": ["at,waited,how", ...rows].join("\n") }
  const left = "{ column: waited, unit: s, left: { column: how, is: gone } }"
  const { patience } = fitTable(await logWith(reservations(left), files))
  expect(patience?.spread.is).toBe("exponential")
  expect(patience?.intervals["meanMs"]?.low).toBeLessThan(8 * MINUTE_MS)
  expect(patience?.intervals["meanMs"]?.high).toBeGreaterThan(8 * MINUTE_MS)
  const log = await logWith(reservations(left), files)
  const facts = log.days?.flatMap(({ orders }) => orders.map((one) => one.facts)) ?? []
  expect(facts.filter(({ patienceMs }) => patienceMs !== undefined)).toHaveLength(
    rows.filter((row) => row.endsWith("Gone")).length,
  )
})
