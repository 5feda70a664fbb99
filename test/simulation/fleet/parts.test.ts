/** Figures by site and by demand: they are those of the site alone, and together those of the whole model. */

import { describe, expect, test } from "vitest"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import { METRICS, figureNamed, metricOf } from "../../../src/simulation/fleet/language/metrics.ts"
import { demandNames } from "../../../src/simulation/fleet/language/paths/demand-names.ts"
import { partsOf, shownParts } from "../../../src/simulation/fleet/language/parts.ts"
import { inputsOf } from "../../../src/simulation/fleet/language/inputs.ts"
import { resultText } from "../../../src/cli/fleets/fleet-text.ts"
import { answerOf } from "../../../src/simulation/fleet/results/answer.ts"
import { fleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import { fullFirst } from "../../../src/simulation/fleet/results/full-first.ts"
import {
  ROWS_APART,
  partReasons,
  partTables,
  restOf,
  restText,
} from "../../../src/simulation/fleet/results/by-part.ts"
import { differenceOf } from "../../../src/simulation/fleet/results/compare.ts"
import { merged } from "../../../src/simulation/fleet/results/observed.ts"
import { partSample } from "../../../src/simulation/fleet/results/part-sample.ts"
import { gapOf } from "../../../src/simulation/fleet/results/recommend.ts"
import { promiseWords } from "../../../src/simulation/fleet/results/promise-words.ts"
import { caseResult } from "../../../src/simulation/fleet/results/summary.ts"
import type { CaseResult } from "../../../src/simulation/fleet/results/summary.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { CLOCK, fleetModel } from "./models.ts"

/** A site of a queue before runners; one time is drawn for each task, so waits are those of an M/M/c queue. */
function queueSite(name: string, runners: number, latitude: number): string {
  return `{ as: ${name}, at: [${latitude}, -97.7], stalls: 25, runners: ${runners}, stores: [{ as: store, starts_before: 1d }] }`
}

function demandAt(name: string, perHour: number): string {
  return `{ product: reservation, site: ${name}, per_hour: ${perHour}, ahead: 3h, width: 120m }`
}

function queues(sites: readonly string[], demand: readonly string[], more = ""): string {
  return `
fleet: Queues
because: The waits of each are known.
clock: ${CLOCK}
horizon: 9h
warm_up: 1h
sites:
${sites.map((one) => `  - ${one}`).join("\n")}
runner: { walk: 0s, load: 0s, pick_up: { exponential: { mean: 5m } } }
bot: { punctuality: -1d, patience: 1d, settle: 0s, leave: 0s }
policy: { send_ahead: 1d, dispatch: first_booked }
demand:
${demand.map((one) => `  - ${one}`).join("\n")}
${more}`
}

const NORTH = queueSite("north", 2, 30.4)
const SOUTH = queueSite("south", 3, 30.2)

function resultOf(text: string, seeds: readonly number[]): CaseResult {
  const model = fleetModel(text)
  return caseResult(
    model,
    [],
    seeds.map((seed) => replicate(model, { seed })),
  )
}

const SEEDS = [101, 102, 103, 104, 105, 106, 107, 108, 109, 110]

/** Mean wait of M/M/c in milliseconds. Source: Erlang. */
function erlangWaitMs(servers: number, perHour: number, serviceMs: number): number {
  const perMs = perHour / 3_600_000
  const load = perMs * serviceMs
  let [term, sum] = [1, 1]
  for (let k = 1; k < servers; k += 1) {
    term *= load / k
    sum += term
  }
  const last = ((term * load) / servers) * (servers / (servers - load))
  return last / (sum + last) / (servers / serviceMs - perMs)
}

describe("two sites of one model", () => {
  const both = resultOf(queues([NORTH, SOUTH], [demandAt("north", 16), demandAt("south", 30)]), SEEDS)
  const north = both.estimates.part({ kind: "site", name: "north" })
  const south = both.estimates.part({ kind: "site", name: "south" })

  test("have the figures of a model of that site alone", () => {
    const seeds = SEEDS.slice(0, 4)
    const alone = resultOf(queues([NORTH], [demandAt("north", 16)]), seeds)
    const { estimates } = caseResult(MODEL, [], both.replications.slice(0, seeds.length))
    const ofNorth = estimates.part({ kind: "site", name: "north" })
    // The first demand draws the same numbers in both models, so nothing may differ but the width of a bin.
    for (const metric of [
      "runners.wait_mean",
      "runners.wait_p50",
      "runners.wait_p95",
      "wait_max",
      "orders.asked",
    ]) {
      expect(ofNorth?.of(metric), metric).toEqual({
        ...alone.estimates.of(metric),
        least: expect.any(Number),
        most: expect.any(Number),
      })
    }
    for (const metric of [
      "runners.utilisation",
      "runners.queue_max",
      "stalls.utilisation_peak",
      "runners.hours",
    ])
      expect(ofNorth?.of(metric), metric).toEqual(alone.estimates.of(metric))
    const [own, itself] = [ofNorth, alone.estimates].map((one) => one?.of("runners.wait_p95").most ?? 0)
    expect(Math.abs((own ?? 0) - (itself ?? 0)) / (itself ?? 0)).toBeLessThan(0.001)
  })

  test("wait as theory says, each for itself", () => {
    for (const [estimates, servers, perHour] of [
      [north, 2, 16],
      [south, 3, 30],
    ] as const) {
      const known = erlangWaitMs(servers, perHour, 300_050)
      const { value, low, high } = estimates?.of("runners.wait_mean") ?? {}
      expect(value).toBeGreaterThan(0)
      // Ten replications of 95 % intervals: twice their width holds for both.
      expect(Math.abs((value ?? 0) - known)).toBeLessThan((high ?? 0) - (low ?? 0))
    }
    const [light, heavy] = [north, south].map((one) => one?.of("runners.wait_mean").value ?? 0)
    expect(heavy).not.toBeCloseTo(light ?? 0, -3)
  })

  test("are together the whole model", () => {
    const sumOf = (metric: string): number => (north?.of(metric).value ?? 0) + (south?.of(metric).value ?? 0)
    for (const metric of ["orders.asked", "reservations.late", "runners.hours", "stalls.queue_mean"])
      expect(sumOf(metric), metric).toBeCloseTo(both.estimates.of(metric).value ?? Number.NaN, 9)
    for (const one of both.replications) {
      const parts = partsOf(MODEL).filter(({ kind }) => kind === "site")
      const samples = parts.map((part) => partSample(one, part))
      for (const measure of ["wait", "reservations.stay", "cooks.wait"])
        expect(merged(samples.flatMap(({ observed }) => observed[measure] ?? []))).toEqual(
          one.observed[measure],
        )
    }
  })

  const MODEL = fleetModel(queues([NORTH, SOUTH], [demandAt("north", 16), demandAt("south", 30)]))
})

describe("two demands at one site", () => {
  const text = `
fleet: Two kinds
because: Does the lunch of the office wait as the others do?
clock: ${CLOCK}
horizon: 4h
warm_up: 30m
sites: [{ as: curb, at: [30.4, -97.7], stalls: 12, vehicles: 4, runners: 3, stores: [{ as: kitchen, preparation: 4m, cooks: 6 }] }]
runner: { walk: 90s }
demand:
  - { as: office, product: reservation, site: curb, per_hour: 14, priority: 5 }
  - { product: reservation, site: curb, per_hour: 14 }
  - { as: home, product: delivery, site: curb, per_hour: 8, cancel: 20% }
costs: { runner_hour: 20 }
promises: { reservations.wait_p95: "< 8m", reservations.wait_p95 of office: "< 30m", orders.completed_share: "> 90%" }
`
  const found = resultOf(text, [1, 2, 3])
  const model = fleetModel(text)

  test("are counted apart, and their orders are all orders", () => {
    const [office, other, home] = demandNames(model.demand).map((name) =>
      found.estimates.part({ kind: "demand", name }),
    )
    expect(demandNames(model.demand)).toEqual(["office", "reservations at curb", "home"])
    const asked = [office, other, home].map((one) => one?.of("orders.asked").value ?? 0)
    expect(asked.every((count) => count > 10)).toBe(true)
    expect(asked.reduce((sum, one) => sum + one, 0)).toBeCloseTo(
      found.estimates.of("orders.asked").value ?? 0,
      9,
    )
    expect(home?.of("deliveries.canceled").value).toBe(found.estimates.of("deliveries.canceled").value)
    expect(office?.of("runners.wait_mean").value ?? 0).toBeLessThan(other?.of("runners.wait_mean").value ?? 0)
    // Figures of the only site are those of the model, with its resources and costs.
    const site = found.estimates.part({ kind: "site", name: "curb" })
    for (const metric of METRICS.keys()) expect(site?.of(metric), metric).toEqual(found.estimates.of(metric))
    expect(home?.of("runners.utilisation").value).toBeNull()
    expect(home?.of("cost.total").value).toBeNull()
  })

  test("are promised by name, and each promise is judged by its own part", () => {
    expect(found.promises.map(({ promise }) => promise.metric)).toEqual([
      "reservations.wait_p95",
      "reservations.wait_p95 of office",
      "orders.completed_share",
    ])
    expect(found.promises[1]?.estimate).toEqual(
      found.estimates.part({ kind: "demand", name: "office" })?.of("reservations.wait_p95"),
    )
    const [, ofOffice] = model.promises
    expect(ofOffice === undefined ? "" : promiseWords(ofOffice)).toBe(
      "95 of 100 reservations of office wait less than 30m",
    )
  })

  test("have a row each, with the limits that are about them, the worst one first", () => {
    const [table, ...others] = partTables(model, found)
    expect([table?.kind, others]).toEqual(["demand", []])
    const limits = Object.fromEntries(
      (table?.rows ?? []).map(({ part, promises }) => [
        part.name,
        promises.map(({ promise }) => `${promise.metric} ${promise.limit}`).toSorted(),
      ]),
    )
    expect(limits).toEqual({
      office: ["orders.completed_share 0.9", "reservations.wait_p95 1800000"],
      "reservations at curb": ["orders.completed_share 0.9", "reservations.wait_p95 480000"],
      home: ["orders.completed_share 0.9"],
    })
    const gaps = (table?.rows ?? []).map(({ promises: [worst] }) => (worst === undefined ? 0 : gapOf(worst)))
    expect(gaps).toEqual(gaps.toSorted((a, b) => b - a))
    // A fifth of the home orders is canceled.
    const home = table?.rows.find(({ part }) => part.name === "home")
    expect(home?.promises.map(({ isKept }) => isKept)).toEqual([false])
    expect(home?.lost).toBeCloseTo(1 - (home?.estimates.of("orders.completed_share").value ?? 0), 9)
  })

  test("are compared between cases on the seeds that both have", () => {
    const more = resultOf(text, [1, 2, 3, 4])
    const found_ = differenceOf("reservations.wait_p95 of office", { from: found, to: more, miss: 0.05 })
    // The shared seeds made the same orders.
    expect(found_?.value).toBe(0)
    expect(found_?.parts).toHaveLength(3)
  })
})

test("the rest of a long table is counted", () => {
  const rows = partTables(fleetModel(MANY), resultOf(MANY, [1])).flatMap((table) => table.rows)
  expect(rows).toHaveLength(30)
  const rest = restOf(rows.slice(20))
  expect(rest.parts).toBe(10)
  expect(rest.waits).toBe(rows.slice(20).reduce((sum, { wait }) => sum + (wait.mean.waits ?? 0), 0))
  expect(restText(rest, "site")).toMatch(
    /^10 more sites: \d+ orders on board; p95 of their waits from .+ to .+$/,
  )
  expect(restText({ parts: 1, waits: 1200, p95: null, broken: 1, notSure: 0 }, "demand")).toBe(
    "1 more demand: 1,200 orders on board; 1 breaks a limit",
  )
})

const MANY = `
fleet: Many sites
because: Is the table short?
clock: ${CLOCK}
horizon: 2h
sites:
${Array.from({ length: 30 }, (_, at) => `  - { as: site ${at + 1}, at: [${30 + at / 50}, -97.7], stalls: 2, runners: 1 }`).join("\n")}
demand:
${Array.from({ length: 30 }, (_, at) => `  - { product: reservation, site: site ${at + 1}, per_hour: ${10 + at / 3} }`).join("\n")}
`

describe("names", () => {
  test("of figures have the site or the demand behind them", () => {
    expect(figureNamed("wait_p95")).toEqual({ base: "wait_p95", part: null })
    expect(figureNamed("wait_p95 at the end of town")).toEqual({
      base: "wait_p95",
      part: { kind: "site", name: "the end of town" },
    })
    expect(metricOf("reservations.late_share of lunch")).toMatchObject({ unit: "share" })
    expect(metricOf("nothing at north")).toBeUndefined()
  })

  test("of demands that come again have a number", () => {
    const { demand, sites } = fleetModel(`
fleet: Names
because: Which is which?
clock: ${CLOCK}
horizon: 2h
sites: [{ as: curb, at: [30.4, -97.7], stalls: 2, runners: 1, vehicles: 1, stores: [{ as: pizza }, { as: sushi }] }]
demand:
  - { product: reservation, site: curb, per_hour: 5 }
  - { product: reservation, site: curb, per_hour: 5 }
  - { product: delivery, site: curb, store: sushi, per_hour: 5 }
  - { product: courier, site: curb, store: pizza, per_hour: 5, on: [Tue, Mon] }
`)
    expect(demandNames(demand)).toEqual([
      "reservations at curb",
      "reservations at curb (2)",
      "deliveries at sushi, curb",
      "courier orders at pizza, curb on Mon, Tue",
    ])
    expect(shownParts({ demand, sites }).map(({ kind }) => kind)).toEqual(Array(4).fill("demand"))
  })
})

describe("mistakes in promises of parts are reported", () => {
  const problemsOf = (promise: string, demand = [demandAt("north", 16), demandAt("south", 30)]) =>
    readFleet({
      file: "m.yaml",
      text: queues([NORTH, SOUTH], demand, `promises:\n  ${promise}`),
      beside: () => null,
    }).problems.map(({ message, expected, suggestion, help }) => ({ message, expected, suggestion, help }))

  test.each([
    ['wait_p95 at nord: "< 8m"', 'there is no site "nord"', { expected: "one of north, south" }],
    ['wait_p95 at east: "< 8m"', 'there is no site "east"', { expected: "one of north, south" }],
    [
      'wait_p95 of lunch: "< 8m"',
      'there is no demand "lunch"',
      {
        expected: "one of reservations at north, reservations at south",
      },
    ],
    ['deliveries.wait_p95 at north: "< 8m"', "nothing is measured by deliveries.wait_p95", {}],
    ['runners.utilisation of reservations at north: "< 90%"', "a demand has no runners.utilisation", {}],
    ['wait_p59 at north: "< 8m"', 'there is no figure "wait_p59"', { suggestion: "wait_p50" }],
    ['wait_p95 at north: "< 8"', '"< 8" is not right for wait_p95 at north', {}],
  ])("%s: %s", (promise, message, more) => {
    const problems = problemsOf(promise)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ message: expect.stringContaining(message), ...more })
  })

  test("two demands of one name", () => {
    const named = [demandAt("north", 16), demandAt("south", 30)].map((one) =>
      one.replace("{", "{ as: lunch,"),
    )
    expect(problemsOf('wait_p95 of lunch: "< 8m"', named)).toMatchObject([
      { message: 'two demands are called "lunch"' },
    ])
  })

  test("nothing, where the figure is measured there", () => {
    for (const promise of [
      'wait_p95 at north: "< 8m"',
      'runners.utilisation at south: "< 90%"',
      'runners.wait_p95 of reservations at south: "< 8m"',
      'orders.completed_share of reservations at north: "> 90%"',
    ])
      expect(problemsOf(promise), promise).toEqual([])
  })
})

describe("what the promises of the whole mean for its parts is said", () => {
  const part = (name: string, perHour: number) => [
    queueSite(name, 2, 30 + name.length / 10),
    demandAt(name, perHour),
  ]
  const reasonsOf = (limit: string, loads: readonly (readonly [string, number])[]): readonly string[] => {
    const parts = loads.map(([name, perHour]) => part(name, perHour))
    const text = queues(
      parts.map(([one = ""]) => one),
      parts.map(([, one = ""]) => one),
      `promises: { runners.wait_mean: "${limit}" }`,
    )
    return partReasons(fleetModel(text), resultOf(text, SEEDS.slice(0, 8)))
  }

  test("where one site breaks what all together keep", () => {
    const [reason, ...others] = reasonsOf("< 6m", [
      ["east", 6],
      ["north", 23],
      ["middle", 6],
    ])
    expect(reason).toMatch(
      /^At 1 of 3 sites the mean wait for a runner of tasks breaks its limit: north \(\d+m( \d+s)?\)\.$/,
    )
    expect(others).toEqual([])
  })

  test("where each site keeps it", () => {
    expect(
      reasonsOf("< 10m", [
        ["east", 6],
        ["north", 12],
      ]),
    ).toEqual([
      expect.stringMatching(
        /^Each of the 2 sites keeps the limit of the mean wait for a runner of tasks too; nearest to the limit is north \((\d+m )?\d+s\)\.$/,
      ),
    ])
  })
})

describe("what is full first", () => {
  const [calm, busy] = [queueSite("calm", 6, 30.4), queueSite("busy", 1, 30.2)]
  const text = queues([calm, busy], [demandAt("calm", 6), demandAt("busy", 40)])
  const found = fleetResult(fleetModel(text), [resultOf(text, [1, 2])])

  test("is said with its site, because all sites together have room", () => {
    const [one] = found.cases
    if (one === undefined) throw new Error("a case was run")
    expect(fullFirst(found.model, one).map(({ resource, site }) => [resource, site])).toEqual([
      ["runners", "busy"],
      ["stalls", "busy"],
    ])
    const { headline, reasons } = answerOf(found)
    expect(headline).toMatch(/^What is full first: runners at busy, at \d\d:\d\d\.$/)
    expect(reasons[0]).toMatch(/^Then stalls at busy, at \d\d:\d\d\.$/)
    const printed = resultText(found, { isFull: false })
    expect(printed).toMatch(/^ {2}runners at busy +\d+\.\d% +\d\d:\d\d +\d\d:\d\d/m)
    expect(printed).toMatch(/^ {2}runners at calm +\d+\.\d% +\d\d:\d\d +–$/m)
  })

  test("counts the demand of that site alone", () => {
    const growing = text.replace("per_hour: 40", 'per_hour: { by_hour: { "10:00": 3, "14:00": 30 } }')
    const model = fleetModel(growing)
    const first = fullFirst(model, resultOf(growing, [1, 2]))[0]
    expect(first).toMatchObject({ resource: "runners", site: "busy", timesDemand: 10 })
  })

  test("the command says what its intervals mean, as the report does", () => {
    expect(resultText(found, { isFull: false })).toContain(ROWS_APART)
  })
})

test("a figure of a demand whose name depends on the order of the demands has an advice, and a named one has none", () => {
  const demands = [demandAt("north", 16), demandAt("north", 4), demandAt("south", 30)]
  const adviceIn = (promise: string, all = demands): readonly string[] => {
    const text = queues([NORTH, SOUTH], all, `promises:\n  ${promise}`)
    const { advice, problems } = readFleet({ file: "m.yaml", text, beside: () => null })
    expect(problems).toEqual([])
    return advice.map(({ place, message }) => `${place.line}: ${message}`)
  }
  for (const name of ["reservations at north", "reservations at north (2)"])
    expect(adviceIn(`wait_p95 of ${name}: "< 8m"`)).toEqual([
      `18: wait_p95 of ${name}: 2 demands are reservations at north, and their order tells them apart; write as: with a name in that demand, so that the figure stays its own when a demand is added.`,
    ])
  expect(adviceIn('wait_p95 of reservations at south: "< 8m"')).toEqual([])
  const named = demands.with(1, demandAt("north", 4).replace("{", "{ as: few,"))
  for (const name of ["few", "reservations at north"])
    expect(adviceIn(`wait_p95 of ${name}: "< 8m"`, named), name).toEqual([])
})

test("a study of sensitivity changes the count of each site by itself", () => {
  const model = fleetModel(queues([NORTH, SOUTH], [demandAt("north", 16), demandAt("south", 30)]))
  const inputs = inputsOf(model)
  const names = inputs.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(["runners at north", "runners at south", "stalls at north"]))
  expect(names).not.toContain("runners")
  const change = inputs.find(({ name }) => name === "runners at south")?.changed(0.2)
  expect(change?.says).toBe("3 to 4")
  expect(change?.model.sites.map(({ runners }) => runners[0]?.count)).toEqual([2, 4])
})
