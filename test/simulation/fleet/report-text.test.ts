/** What a report says in words about a model: promises, inputs, limitations, and the durations of its day. */

import { describe, expect, test } from "vitest"
import type { FleetPromise } from "../../../src/simulation/fleet/language/promises.ts"
import { hourTicks } from "../../../src/simulation/fleet/report/hour-ticks.ts"
import { hoursText, inputRows } from "../../../src/simulation/fleet/report/input-summary.ts"
import { cannotTell } from "../../../src/simulation/fleet/report/limitations.ts"
import { shownMeasure } from "../../../src/simulation/fleet/results/by-hour.ts"
import { promiseWords } from "../../../src/simulation/fleet/results/promise-words.ts"
import { casesOf } from "../../../src/simulation/fleet/language/cases.ts"
import { promisesPart } from "../../../src/simulation/fleet/report/answer-part.ts"
import { fleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import { stepLines } from "../../../src/simulation/fleet/results/phrases.ts"
import { shownTime } from "../../../src/simulation/fleet/results/shown-time.ts"
import { caseResult } from "../../../src/simulation/fleet/results/summary.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { DAY_MS, HOUR_MS } from "../../../src/model/values/time.ts"
import { madeUp, site } from "./made-up.ts"
import { CLOCK, fleetModel } from "./models.ts"

const MINUTES_8 = 480_000

function promise(metric: string, sign: FleetPromise["sign"] = "<", limit = MINUTES_8): FleetPromise {
  return { metric, sign, limit }
}

test.each([
  ["reservations.wait_p95", "<", "95 of 100 reservations wait less than 8m"],
  ["deliveries.total_p90", "<=", "90 of 100 deliveries take at most 8m"],
  ["stalls.wait_mean", "<", "bots and vehicles wait for a stall less than 8m on average"],
  ["errands.booking_p50", "<", "50 of 100 courier orders take to be booked less than 8m"],
  ["wait_p95", ">", "the wait of 95 of 100 orders is more than 8m"],
  ["wait_max", "<", "the longest wait of orders is less than 8m"],
] as const)("%s %s 8m is said as a sentence: %s", (metric, sign, said) => {
  expect(promiseWords(promise(metric, sign))).toBe(said)
})

describe("what the next case changes", () => {
  test("of one setting is the change alone", () => {
    expect(stepLines([["runners", 3]], [["runners", 4]])).toEqual(["3 to 4"])
    expect(stepLines([["vehicle_dispatch", "nearest"]], [["vehicle_dispatch", "least_loaded"]])).toEqual([
      "nearest to least_loaded",
    ])
  })

  test("of two settings keeps the one that both cases share, so that no two labels are alike", () => {
    const cases = casesOf({
      ...whole,
      sweep: new Map([
        ["stalls", [2, 4]],
        ["cooks", [3, 5]],
      ]),
    })
    const steps = cases.slice(1).map((one, at) => stepLines(cases[at] ?? [], one))
    expect(steps).toEqual([
      ["stalls 2", "cooks 3 to 5"],
      ["stalls 2 to 4", "cooks 5 to 3"],
      ["stalls 4", "cooks 3 to 5"],
    ])
    expect(
      stepLines(
        [
          ["runners", 3],
          ["dispatch", "first_booked"],
        ],
        [
          ["runners", 3],
          ["dispatch", "shortest_walk"],
        ],
      ),
    ).toEqual(["runners 3", "first_booked to shortest_walk"])
  })
})

test("each pair of the report's chart of differences has its own label", () => {
  const model = site('promises: { reservations.wait_mean: "< 5m" }\nsweep: { stalls: [2, 4], cooks: [3, 5] }')
  const cases = casesOf(model).map((settings, at) =>
    caseResult(
      model,
      settings,
      [1, 2, 3].map((seed) => madeUp(seed, [300 - at * 40 + seed])),
    ),
  )
  const shown = promisesPart(fleetResult(model, cases)).html
  const labels = [...shown.matchAll(/<svg[^>]*aria-label="paired differences of [^:]+: ([^"]+)"/g)].map(
    ([, says = ""]) => says.split("; ").map((one) => one.split(":")[0]),
  )
  expect(labels).toHaveLength(2)
  for (const of of labels) expect(new Set(of).size).toBe(3)
})

describe("the bars of the margins", () => {
  const barsOf = (waits: readonly number[]): { readonly widths: readonly number[]; readonly cut: number } => {
    const model = site(
      `promises: { reservations.wait_mean: "< 5m" }\nsweep: { runners: [${waits.map((_, at) => at + 1).join(", ")}] }`,
    )
    const cases = casesOf(model).map((settings, at) =>
      caseResult(
        model,
        settings,
        [1, 2, 3].map((seed) => madeUp(seed, [waits[at] ?? 0])),
      ),
    )
    const [, shown = ""] = promisesPart(fleetResult(model, cases)).html.split('<table class="margins">')
    const widths = [...shown.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width))
    return { widths, cut: shown.split('class="cut"').length - 1 }
  }

  test("stay visible when one case is far off, whose bar is marked as cut", () => {
    const { widths, cut } = barsOf([30_000, 315, 291])
    expect(cut).toBe(1)
    expect(widths[0]).toBe(32)
    expect(Math.min(...widths)).toBeGreaterThan(1.5)
  })

  test("have one scale, and no cut, when all are of one size", () => {
    const { widths, cut } = barsOf([600, 330, 200])
    expect(cut).toBe(0)
    expect(widths).toEqual([32, 3.2, 10.7])
  })
})

test("the chart of a promise of a demand has a dot for each replication", () => {
  const text = `
fleet: Two kinds
because: Each has its own days.
clock: ${CLOCK}
horizon: 2h
sites: [{ as: curb, at: [30.4, -97.7], stalls: 8, runners: 2 }]
demand:
  - { as: lunch, product: reservation, site: curb, per_hour: 20 }
  - { as: other, product: reservation, site: curb, per_hour: 20 }
promises: { reservations.wait_mean of lunch: "< 5m" }
`
  const model = fleetModel(text)
  const found = caseResult(
    model,
    [],
    [1, 2, 3].map((seed) => replicate(model, { seed })),
  )
  const shown = promisesPart(fleetResult(model, [found])).html
  // One form for wide pages, one for phones.
  expect(shown.split('class="dot"')).toHaveLength(2 * 3 + 1)
  expect(shown).toContain("of lunch")
})

test("a margin of a share is in points, as sentences say it", () => {
  const model = site('promises: { orders.completed_share: "> 90%" }')
  const made = [1, 2, 3].map((seed) => madeUp(seed, [60], { "orders.asked": 100, "orders.completed": 98 }))
  const shown = promisesPart(fleetResult(model, [caseResult(model, [], made)])).html
  expect(shown).toMatch(/class="ok number">\+8\.0 points</)
})

describe("the durations of the day", () => {
  test("are of the first promised duration, beside the promised percentile, with its limit", () => {
    const promises = [promise("orders.late", "<", 3), promise("deliveries.total_p90"), promise("wait_p50")]
    expect(shownMeasure({ promises })).toEqual({
      measure: "deliveries.total",
      high: "p90",
      limit: { ms: MINUTES_8, of: "p90" },
    })
  })

  test("have p95 beside a promised mean, whose limit is named as such", () => {
    expect(shownMeasure({ promises: [promise("cooks.wait_mean")] })).toEqual({
      measure: "cooks.wait",
      high: "p95",
      limit: { ms: MINUTES_8, of: "mean" },
    })
  })

  test("are the waits of all products where nothing is promised of a duration", () => {
    expect(shownMeasure({ promises: [] })).toEqual({ measure: "wait", high: "p95", limit: null })
  })
})

const whole = fleetModel(`
fleet: Everything
because: Each input has a row.
clock: ${CLOCK}
horizon: 2h
sites: [{ as: curb, at: [30.4, -97.7], area: [[30.3, -97.8], [30.5, -97.8], [30.5, -97.6]], stalls: 3, runners: 2, vehicles: 4 }]
vehicle:
  batching: { within_km: 2, waits: 3m }
  breakdown: { every: 10h, repair: 30m }
  charging: { after_km: 40, takes: 20m }
demand:
  - { product: reservation, site: curb, per_hour: 5, ahead: 25m, width: 40m }
  - { product: delivery, site: curb, per_hour: 5, ready_in: 15m }
costs: { currency: USD, runner_hour: 24, late_order: 5 }
promises: { wait_p95: "< 8m" }
`)

const errands = fleetModel(`
fleet: Errands
because: Doors that no customer opens are part of the model.
clock: ${CLOCK}
horizon: 2h
sites: [{ as: curb, at: [30.4, -97.7], vehicles: 4 }]
demand: [{ product: courier, site: curb, per_hour: 5, errand: { nobody_home: 1%, gives_up: 4% } }]
`)

test("the inputs have prices, promises, lead times, agents, and what a vehicle needs besides driving", () => {
  const rows = new Map(inputRows(whole, []))
  expect(rows.get("Site curb")).toContain("4 vehicles that reach an area of 3 corners")
  expect(rows.get("Demand 1")).toContain("made 25m before a window of 40m")
  expect(rows.get("Demand 2")).toContain("ready 15m after the request")
  expect(rows.get("Vehicles")).toContain(
    "two orders on a trip if their doors are within 2 km, waiting up to 3m for the second, " +
      "break down every 10h of driving, repaired in 30m, charge after 40 km for 20m",
  )
  expect(rows.get("Prices")).toBe("runner hour 24 USD, late order 5 USD")
  expect(rows.get("Promises")).toBe("95 of 100 orders wait less than 8m")
  expect(rows.has("Agents")).toBe(false)
  expect(new Map(inputRows(errands, [])).get("Agents")).toMatch(/gives up 4%.*no\w+ home 1%/)
})

test("the limitations are those of the products that the model has", () => {
  const about = (model: typeof whole): string => cannotTell(model).join("\n")
  expect(about(errands)).toContain("in the share that the model gives as nobody_home")
  expect(about(errands)).not.toContain("A runner carries one order")
  expect(about(whole)).toContain("A runner carries one order")
  expect(about(whole)).not.toContain("payment processor")
})

describe("times of a run", () => {
  const START = Date.UTC(2026, 2, 28, 19)
  const night = {
    clock: { local: "2026-03-28T20:00", timeZone: "Europe/Berlin", occurrence: "first" as const },
    horizon: 14 * HOUR_MS,
  }
  const at = (hours: number): number => START + hours * HOUR_MS

  test("have the day after midnight, and everywhere in a run of several days", () => {
    expect(shownTime(night, at(1))).toBe("21:00")
    // The clocks are put forward at 02:00.
    expect(shownTime(night, at(8))).toBe("Sun 05:00")
    expect(shownTime({ ...night, horizon: 3 * DAY_MS }, at(1))).toBe("Sat 21:00")
    expect(shownTime({ ...night, horizon: 9 * DAY_MS }, at(0))).toBe("Sat 28 Mar 20:00")
    expect(hoursText({ ...site(""), ...night })).toBe("20:00 to Sun 11:00")
  })

  test("are ticks at whole local hours, also after the clocks were changed", () => {
    const span = { fromMs: at(0), untilMs: at(14) }
    const ticks = hourTicks(night, { ...span, wanted: 9 })
    expect(ticks.map(({ atMs, text }) => [(atMs - START) / HOUR_MS, text])).toEqual([
      [0, "20:00"],
      [2, "22:00"],
      [4, "00:00"],
      [7, "04:00"],
      [9, "06:00"],
      [11, "08:00"],
      [13, "10:00"],
    ])
  })

  test("have the name of each day at its midnight", () => {
    const days = { ...night, horizon: 3 * DAY_MS }
    const ticks = hourTicks(days, { fromMs: at(0), untilMs: at(72), wanted: 6 })
    expect(ticks.map(({ text }) => text)).toEqual(["Sun", "12:00", "Mon", "12:00", "Tue", "12:00"])
  })
})
