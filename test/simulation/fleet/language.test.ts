/** Mistakes in a fleet model, each at its place and with what would be right. */

import { expect, test } from "vitest"
import { arrivalsOf } from "../../../src/simulation/fleet/world/arrivals.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { Chance } from "../../../src/simulation/fleet/chance.ts"
import type { Spread } from "../../../src/simulation/fleet/language/spread.ts"
import { LocalClock } from "../../../src/simulation/fleet/world/local-clock.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { CLOCK, fleetModel } from "./models.ts"

const RIGHT = `fleet: A model
because: It is right.
clock: ${CLOCK}
horizon: 2h
sites:
  - { as: curb, at: [30.4, -97.7], stalls: 2, runners: 1, vehicles: 2 }
demand:
  - { product: reservation, site: curb, per_hour: 5 }
`

/** In Chicago there is no 02:30 on 8 March. */
const BESIDE: Readonly<Record<string, string>> = {
  "bad.csv": "at\nnoon\n",
  "years-ago.csv": "2016-03-02T10:30\n",
  "first.csv": "2026-3-2 10:30\n2026-03-02 10:40\n",
  "skipped.csv": "at\n\n2026-03-08T02:30\n",
}

function problemsOf(text: string): readonly string[] {
  const { problems, model } = readFleet({
    file: "m.yaml",
    text,
    beside: (name) => BESIDE[name] ?? null,
  })
  expect(model).toBeNull()
  return problems.map(({ place, message, suggestion }) => {
    const meant = suggestion === undefined ? "" : `, did you mean ${suggestion}?`
    return `${place.line}:${place.column} ${message}${meant}`
  })
}

test.each([
  [
    "stalls: 2",
    "stals: 2",
    [
      '6:36 unknown key "stals", did you mean stalls?',
      "8:35 reservations need stalls and runners at their site",
    ],
  ],
  ["horizon: 2h", "horizon: 2", ["4:10 the bare number 2 is not a duration"]],
  ["horizon: 2h", "horizon: 2h\nwarm_up: 3h", ["5:10 nothing is left to measure"]],
  ["per_hour: 5", "every: { quantiles: { 0%: 0s, 100%: 0s } }", ["8:48 orders come without a pause"]],
  ["site: curb, per", "site: crub, per", ['8:35 there is no site "crub", did you mean curb?']],
  [
    "vehicles: 2 }\ndemand:\n  - { product: reservation",
    "vehicles: 0 }\ndemand:\n  - { product: courier",
    ["8:31 courier orders need vehicles at their site"],
  ],
  [
    "vehicles: 2 }\ndemand:\n",
    "vehicles: 2 }\n  - { as: far, at: [30, -97], vehicles: 2 }\ndemand:\n  - { product: courier, site: far, every: 1h }\n  - { product: courier, site: curb, every: 1h }\n",
    ["10:31 courier orders of another site"],
  ],
  ["per_hour: 5", "per_hour: 5, errand: { restricted: 5% }", ["8:62 a reservation has no errand"]],
  [
    "product: reservation, site: curb",
    "product: courier, site: curb, errand: { declined_card: 5% }",
    ['8:47 unknown key "declined_card", did you mean declined_cards?'],
  ],
  [
    "vehicles: 2",
    "vehicles: 2, stores: [{ as: kitchen, hours: 7-22 }]",
    ['6:103 hours must be such as "Mon-Fri 07:00-22:00; Sat 08:00-02:00"; "7-22" is not'],
  ],
  [
    "vehicles: 2",
    "vehicles: 2, stores: [{ as: kitchen, category: pharmcy }]",
    ['6:106 unknown value "pharmcy", did you mean pharmacy?'],
  ],
  ["per_hour: 5", "per_hour: 5, items: 2", ["8:61 nothing depends on these items"]],
  [
    "per_hour: 5 }",
    "per_hour: 5 }\n  - { product: delivery, site: curb, per_hour: 5, items: 2 }\n  - { product: reservation, site: curb, per_hour: 5, items: 4 }\nvehicle: { batching: { within_km: 3, capacity: 8 } }",
    ["10:61 nothing depends on these items"],
  ],
  [
    "product: reservation, site: curb, per_hour: 5 }",
    "product: delivery, site: curb, per_hour: 5, items: { drawn_from: [9, 12] } }\nvehicle: { batching: { within_km: 3, capacity: 8 } }",
    ["8:58 no vehicle has room for one of these orders"],
  ],
  [
    "product: reservation, site: curb, per_hour: 5 }",
    "product: delivery, site: curb, per_hour: 5 }\nvehicle: { batching: { within_km: 3, capacity: 8 } }",
    ["9:48 no order says how many items it has"],
  ],
  ["per_hour: 5", "population: { size: 3, thinks: 0s }", ["8:53 customers order without a pause"]],
  [
    "per_hour: 5",
    "batch: 2, population: { size: 3, thinks: 1m }",
    ["8:48 each customer orders one thing at a time"],
  ],
  ["per_hour: 5", "per_hour: 5, every: 3m", ["8:5 orders come in exactly one way"]],
  [
    "per_hour: 5",
    "every: { exponental: { mean: 3m } }",
    ['8:50 unknown distribution "exponental", did you mean exponential?'],
  ],
  ["per_hour: 5", 'per_hour: { by_hour: { "7am": 5 } }', ['8:51 "7am" is no time of day']],
  ["per_hour: 5", "replay: none.csv", ['8:49 there is no file "none.csv" beside the model']],
  ["per_hour: 5", "replay: bad.csv", ["8:49 line 2 of bad.csv begins with no instant"]],
  ["per_hour: 5", "replay: years-ago.csv", ["8:49 no order comes during the run"]],
  ["per_hour: 5", "replay: first.csv", ["8:49 line 1 of first.csv begins with no instant"]],
  ["per_hour: 5", "replay: skipped.csv", ["8:49 line 3 of skipped.csv begins with no instant"]],
  ["per_hour: 5", "per_hour: 5, on: [Tue, Sun]", ["8:58 none of these weekdays is in the run"]],
  ["demand:", "sweep: { runners: [2, 3, 2] }\ndemand:", ["7:26 2 twice"]],
  ["per_hour: 5", "per_hour: 5, width: 3m", ["8:61 a window of this width is refused"]],
  ["stalls: 2", "stalls: 2.5", ["6:44 2.5 is not a whole number"]],
  [
    CLOCK,
    "2026-03-02T10:00 America/Chicgo",
    ['3:25 there is no time zone "America/Chicgo", did you mean America/Chicago?'],
  ],
  [
    "demand:",
    "promises: { wait_p59: < 3m }\ndemand:",
    ['7:13 there is no figure "wait_p59", did you mean wait_p50?'],
  ],
  ["demand:", 'promises: { wait_p95: "< 3" }\ndemand:', ['7:23 "< 3" is not right for wait_p95']],
  ["demand:", "until: { wait_p95: 5% }\ndemand:", ['7:20 "5%" is not right for wait_p95']],
  ["demand:", "sweep: { vehicles: [1.5] }\ndemand:", ["7:21 1.5 is not a whole number"]],
  [
    "demand:",
    "policy: { vehicle_dispatch: least_load }\ndemand:",
    ['7:29 unknown value "least_load", did you mean least_loaded?'],
  ],
  [
    "demand:",
    "policy: { vehicle_dispatch: least_loaded }\nsweep: { vehicle_dispatch: [nearest] }\ndemand:",
    ["7:29 no order of this model needs a vehicle", "8:28 no order of this model needs a vehicle"],
  ],
  [
    "demand:",
    "vehicle: { batching: { within_km: 1 } }\ndemand:",
    ["7:22 no order of this model could share a trip"],
  ],
  [
    "demand:",
    "vehicle: { batching: { within: 1km } }\ndemand:",
    ['7:22 the key "within_km" is missing', '7:24 unknown key "within"'],
  ],
  ["demand:", "sweep: { vehicles: [3, 5] }\ndemand:", ["7:20 no order of this model needs a vehicle"]],
  [
    "{ product: reservation, site: curb, per_hour: 5 }",
    "{ product: delivery, site: curb, per_hour: 5 }\nsweep: { runners: [1, 2], vehicles: [3], staging_lead: [5m] }",
    ["9:19 no order of this model needs a runner", "9:56 no order of this model needs a runner"],
  ],
  [
    "demand:",
    "sweep: { runners at crub: [1, 2], vehicles at curb: [1], stalls at each site: [2] }\ndemand:",
    [
      '7:27 there is no site "crub", did you mean curb?',
      "7:53 no order at curb needs vehicles",
      "7:79 a sweep has no stalls at each site",
    ],
  ],
  [
    "demand:",
    "sweep: { runners: [1, 2], runners at curb: [3] }\ndemand:",
    ["7:44 runners is the count at every site, also at curb"],
  ],
  ["demand:", "sweep: { runners at curb: [1.5] }\ndemand:", ["7:28 1.5 is not a whole number"]],
  [
    "demand:",
    'promises: { wait_p95: "< 8m" }\nfind: { least: runner at curb }\ndemand:',
    ['8:16 unknown count "runner at curb", did you mean runners at curb?'],
  ],
  [
    "demand:",
    'promises: { wait_p95: "< 8m" }\nfind: { least: runners at crub }\ndemand:',
    ['8:16 there is no site "crub", did you mean curb?'],
  ],
  [
    "demand:",
    'promises: { wait_p95: "< 8m" }\nfind: { least: [runners, runners at curb] }\ndemand:',
    ["8:26 runners is the count at every site, also at curb"],
  ],
  [
    "demand:",
    'promises: { wait_p95: "< 8m" }\nfind: { least: [runners at each site, stalls at each site] }\ndemand:',
    ["8:17 each site is searched for one count", "8:39 each site is searched for one count"],
  ],
  [
    "demand:",
    'promises: { orders.late: "< 8" }\nfind: { least: runners at each site }\ndemand:',
    ["8:16 orders.late is a figure of all sites together, and each site is searched by itself"],
  ],
  [
    "vehicles: 2 }\n",
    'vehicles: 2 }\n  - { as: far, at: [30, -97], stalls: 2, runners: 2 }\npromises: { wait_p95 at far: "< 8m", wait_p95 at curb: "< 8m" }\nfind: { least: runners at curb, that_keeps: [wait_p95 at far] }\n',
    ["9:46 wait_p95 at far does not depend on runners at curb"],
  ],
  [
    "vehicles: 2 }\n",
    'vehicles: 2 }\n  - { as: far, at: [30, -97], stalls: 2, runners: 2 }\npromises: { wait_p95 at far: "< 8m" }\nfind: { least: runners at curb }\n',
    ["9:7 no promise depends on runners at curb"],
  ],
  [
    "vehicles: 2 }\ndemand:\n",
    'vehicles: 2 }\n  - { as: far, at: [30, -97], stalls: 2, runners: 2 }\npromises: { wait_p95 at far: "< 8m" }\nfind: { least: runners at each site }\ndemand:\n  - { product: reservation, site: far, per_hour: 5 }\n',
    ["9:16 nothing is promised of curb"],
  ],
  [
    "demand:",
    "changes: [{ at: 10:40, runers at curb: +1 }]\ndemand:",
    ['7:24 unknown key "runers at curb", did you mean runners at curb?'],
  ],
  [
    "demand:",
    "changes: [{ at: 10:40, runners at crub: +1 }]\ndemand:",
    ['7:41 there is no site "crub", did you mean curb?'],
  ],
  [
    "demand:",
    "changes: [{ at: 10:40, runners: 2 }]\ndemand:",
    ["7:33 2 is not how many more or fewer, did you mean +2?"],
  ],
  ["demand:", "changes: [{ at: 10:40, runners at curb: -2 }]\ndemand:", ["7:41 curb has 1 runner then"]],
  [
    "demand:",
    "changes: [{ at: 10:40, vehicles: -1 }]\ndemand:",
    ["7:34 no order of this model needs vehicles"],
  ],
  ["demand:", "changes: [{ at: 10:40, demand of visits: 2 }]\ndemand:", ['7:42 there is no demand "visits"']],
  [
    "demand:",
    "changes: [{ at: 10:40, breakdowns: 2 }]\ndemand:",
    ["7:36 no vehicle of this model breaks down"],
  ],
  [
    "demand:",
    "changes: [{ at: 10:40, breakdown of veh_0_0003: 5m }]\ndemand:",
    ['7:49 there is no vehicle "veh_0_0003" at that time, did you mean veh_0_0001?'],
  ],
  [
    "demand:",
    "changes: [{ at: 10:40, breakdwn of veh_0_0001: 5m }]\ndemand:",
    ['7:24 unknown key "breakdwn of veh_0_0001", did you mean breakdown of veh_0_0001?'],
  ],
  ["demand:", "changes: [{ at: 12:00, demand: 2 }]\ndemand:", ["7:17 the change is outside of the run"]],
  [
    "demand:",
    "changes: [{ at: 2026-03-03T10:40, demand: 2 }]\ndemand:",
    ["7:17 the change is outside of the run"],
  ],
  [
    "demand:",
    "changes: [{ at: 10:40 }, { demand: 2 }]\ndemand:",
    ["7:11 nothing is changed", '7:26 the key "at" is missing'],
  ],
  ["demand:", "sweep: { vans: [1] }\ndemand:", ['7:10 unknown key "vans"']],
  [
    "demand:",
    'promises: { wait_p95: "< 8m" }\nfind: { least: runner }\ndemand:',
    ['8:16 unknown count "runner", did you mean runners?'],
  ],
  [
    "demand:",
    'promises: { wait_p95: "< 8m" }\nfind: { least: [runners, stalls, cooks] }\ndemand:',
    ["8:16 3 counts"],
  ],
  [
    "demand:",
    'promises: { wait_p95: "< 8m" }\nfind: { least: [stalls, stalls] }\ndemand:',
    ["8:25 stalls twice"],
  ],
  [
    "demand:",
    'promises: { wait_p95: "< 8m" }\nfind: { least: runners, that_keeps: [wait_p59] }\ndemand:',
    ['8:38 "wait_p59" is not promised, did you mean wait_p95?'],
  ],
  [
    "demand:",
    'promises: { wait_p95: "< 8m" }\nfind: { least: vehicles }\ndemand:',
    ["8:16 no order of this model needs vehicles"],
  ],
  [
    "demand:",
    'promises: { wait_p95: "< 8m" }\nfind: { least: runners, at_most: 1500 }\ndemand:',
    ["8:34 1500 runners"],
  ],
  ["demand:", "find: { least: runners }\ndemand:", ["7:7 there is no promise to keep"]],
  [
    "demand:",
    'promises: { wait_p95: "< 8m" }\nsweep: { runners: [1, 2] }\nuntil: { wait_p95: ±5% }\nfind: { least: runners }\ndemand:',
    ["10:7 a search makes its own cases", "10:7 a search makes its own replications"],
  ],
  ["demand:", 'promises: { cost.total: "< 900" }\ndemand:', ["7:25 cost.total needs prices"]],
  ["demand:", "costs: { runner_hour: -3 }\ndemand:", ["7:23 -3 is out of range"]],
  [
    "demand:",
    "costs: { runers_hour: 24 }\ndemand:",
    ['7:10 unknown key "runers_hour", did you mean runner_hour?'],
  ],
  [
    "demand:",
    'promises: { deliveries.wait_p95: "< 8m" }\ndemand:',
    ["7:34 nothing is measured by deliveries.wait_p95"],
  ],
  [
    "demand:",
    'promises: { vehicles.utilisation: "< 80%" }\ndemand:',
    ["7:35 nothing is measured by vehicles.utilisation"],
  ],
  ["demand:", "sensitivity: 20%\ndemand:", ["7:14 there is no promised figure that an input could move"]],
  ["demand:", "sensitivity: 0%\ndemand:", ["7:14 inputs must change, and stay above 0"]],
  ["per_hour: 5", "per_hour: -5", ["8:51 -5 is out of range"]],
  ["per_hour: 5", "per_hour: 0", ["8:51 no order comes during the run"]],
  [
    "runners: 1,",
    "runners: [{ count: 1, from: 14:00, to: 11:00 }],",
    ["6:57 the shift ends before it begins"],
  ],
  ["runners: 1,", "runners: [{ count: 1, from: 24:00 }],", ['6:75 "24:00" is no time of day']],
  ["runners: 1,", "runners: [{ count: 1, to: 24:30 }],", ['6:73 "24:30" is no time of day']],
  [
    "runners: 1,",
    "runners: [{ count: 1, from: 14:00, to: 18:00 }],",
    ["6:57 the shift is outside of the run"],
  ],
  [
    "runners: 1,",
    "runners: [{ count: 2, breaks: [{ from: 11:00, to: 11:20, lasts: 30m }] }],",
    ["6:78 the break is longer than the time for it"],
  ],
  [
    "runners: 1,",
    "runners: [{ count: 2, from: 10:00, to: 12:00, breaks: [{ from: 11:00, to: 13:00, lasts: 30m }] }],",
    ["6:102 the break is outside of its shift"],
  ],
  [
    "runners: 1,",
    "runners: [{ count: 2, breaks: [{ from: 11:00, to: 12:00, lasts: 5m }, { from: 11:30, to: 13:00, lasts: 5m }] }],",
    ["6:117 two breaks of a shift overlap"],
  ],
  [
    "product: reservation, site: curb",
    "product: delivery, priority: 2, site: curb",
    ["8:36 only reservations wait for runners"],
  ],
] as const)("%s → %s", (right, wrong, expected) => {
  expect(RIGHT).toContain(right)
  expect(problemsOf(RIGHT.replace(right, wrong))).toEqual(expected)
})

test("a mistake reads like a compiler's", () => {
  const { problems } = readFleet({
    file: "m.yaml",
    text: RIGHT.replace("stalls: 2", "stals: 2"),
    beside: () => null,
  })
  expect(problems.map((problem) => formatProblem(problem))[0]).toContain("--> m.yaml:6:36")
})

test.each([
  ["", "a fleet model"],
  ["hello\n", "keys such as fleet, because, clock, horizon, sites, demand"],
  [`${RIGHT}---\n${RIGHT}`, "one fleet model a file, without ---"],
])("a text that is no model says what a model is: %j", (text, expected) => {
  const { problems } = readFleet({ file: "m.yaml", text, beside: () => null })
  expect(problems.map((problem) => problem.expected)).toEqual([expected])
})

test("demands of other weekdays may stay in a run of one day, if some are of this day", () => {
  const { demand } = fleetModel(
    `${RIGHT.replace("per_hour: 5", "per_hour: 5, on: [Mon]")}  - { product: reservation, site: curb, per_hour: 9, on: [Sat, Sun] }\n`,
  )
  expect(demand.map(({ on }) => on?.[0])).toEqual(["Mon", "Sat"])
})

test("a position has two numbers", () => {
  const { problems } = readFleet({
    file: "m.yaml",
    text: RIGHT.replace("[30.4, -97.7]", "[30.4]"),
    beside: () => null,
  })
  expect(problems.map(({ expected }) => expected)).toEqual(["a list of 2 degrees [latitude, longitude]"])
})

test("replayed times without an offset are those of the model's clock, in any form that spreadsheets write", () => {
  const beside = {
    "asked.csv":
      '\uFEFF"placed at",order\r\n"2026-03-02 10:30",7\r\n2026-03-02T10:20:15\r\n2026-03-02T16:10:00Z,9\r\n',
  }
  const { replayed } = fleetModel(RIGHT.replace("per_hour: 5", "replay: asked.csv"), beside)
  expect(replayed.get(0)).toEqual([10, 20.25, 30].map((minutes) => minutes * 60_000))
})

const SPREADS: readonly (readonly [string, Spread, number])[] = [
  ["exponential", { is: "exponential", meanMs: 60_000 }, 60_000],
  ["lognormal", { is: "lognormal", meanMs: 60_000, sdMs: 30_000 }, 60_000],
  ["gamma", { is: "gamma", meanMs: 60_000, sdMs: 30_000 }, 60_000],
  ["normal", { is: "normal", meanMs: 60_000, sdMs: 10_000 }, 60_000],
  ["uniform", { is: "uniform", fromMs: 40_000, toMs: 80_000 }, 60_000],
  ["weibull", { is: "weibull", shape: 2, scaleMs: 60_000 }, 60_000 * Math.sqrt(Math.PI) * 0.5],
  ["a list", { is: "drawn", valuesMs: [30_000, 90_000] }, 60_000],
]

test.each(SPREADS)("durations of %s have the mean that the model says", (_, of, mean) => {
  const chance = new Chance(7)
  const drawn = Array.from({ length: 20_000 }, () => chance.duration(of, "test"))
  const found = drawn.reduce((sum, ms) => sum + ms, 0) / drawn.length
  expect(Math.abs(found - mean)).toBeLessThan(0.02 * mean)
})

const TEN = Date.UTC(2026, 2, 2, 10)

/** Instants of requests, milliseconds from 10:00. */
function arrivalsAt(perHour: string, seed: number): readonly number[] {
  const { demand } = fleetModel(RIGHT.replace("per_hour: 5", `per_hour: { by_hour: ${perHour} }`))
  const arrivals = arrivalsOf({
    demand: demand[0] as (typeof demand)[number],
    instants: undefined,
    log: undefined,
    logChance: new Chance(seed),
    factors: [],
    chance: new Chance(seed),
    clock: new LocalClock({ timeZone: "UTC", startMs: TEN, untilMs: TEN + 2 * HOUR_MS }),
    startMs: TEN,
    horizonMs: 2 * HOUR_MS,
  })
  return [...arrivals].map(({ atMs }) => atMs)
}

test("a Poisson process has each hour's own rate", () => {
  const instants = arrivalsAt('{ "10:00": 400, "11:00": 100 }', 1)
  const hours = [0, 1].map((hour) => instants.filter((at) => Math.floor(at / HOUR_MS) === hour).length)
  expect(hours[0]).toBeGreaterThan(340)
  expect(hours[0]).toBeLessThan(460)
  expect(hours[1]).toBeGreaterThan(70)
  expect(hours[1]).toBeLessThan(130)
})

test("the counts before and after a step of the rate inside an hour are independent, each Poisson", () => {
  const [stepMs, seeds] = [20 * MINUTE_MS, 400]
  const made = Array.from({ length: seeds }, (_, seed) => arrivalsAt('{ "10:00": 60, "10:20": 90 }', seed))
  const before = made.map((instants) => instants.filter((at) => at < stepMs).length)
  const after = made.map((instants) => instants.filter((at) => at >= stepMs && at < HOUR_MS).length)
  const meanOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / seeds
  const covariance = (one: readonly number[], other: readonly number[]): number =>
    meanOf(one.map((value, at) => value * (other[at] ?? 0))) - meanOf(one) * meanOf(other)
  for (const [counts, known] of [
    [before, 20],
    [after, 60],
  ] as const) {
    // Four standard errors of the mean, and of the variance.
    expect(Math.abs(meanOf(counts) - known)).toBeLessThan(4 * Math.sqrt(known / seeds))
    expect(Math.abs(covariance(counts, counts) - known)).toBeLessThan(4 * known * Math.sqrt(2 / seeds))
  }
  expect(Math.abs(covariance(before, after))).toBeLessThan(4 * Math.sqrt((20 * 60) / seeds))
  // The wait from the step to the next order is that of the new rate.
  const firstMs = made.map((instants) => (instants.find((at) => at >= stepMs) ?? Number.NaN) - stepMs)
  const gapMs = HOUR_MS / 90
  expect(Math.abs(meanOf(firstMs) - gapMs)).toBeLessThan((4 * gapMs) / Math.sqrt(seeds))
})

test("orders of which some are over the capacity are advised of", () => {
  const text = RIGHT.replace("reservation", "delivery")
    .replace("per_hour: 5", "per_hour: 5, items: { geometric: { mean: 9 } }")
    .concat("vehicle: { batching: { within_km: 3, capacity: 8 } }\n")
  const { advice } = readFleet({ file: "m.yaml", text, beside: () => null })
  expect(advice.map(({ place, message }) => `${place.line} ${message}`)).toEqual([
    "8 some orders have more items than the capacity of 8: each of them is alone on its trip",
  ])
})
