/** A sweep sets any value of a model by its path. */

import { describe, expect, test } from "vitest"
import { caseName, casesOf, inCase } from "../../../src/simulation/fleet/language/cases.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import { fleetNumbers } from "../../../src/simulation/fleet/language/written-numbers.ts"
import { answerOf } from "../../../src/simulation/fleet/results/answer.ts"
import { fleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import { resultJson } from "../../../src/simulation/fleet/results/outputs.ts"
import { caseResult } from "../../../src/simulation/fleet/results/summary.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { CLOCK, fleetModel } from "./models.ts"

const written = (sweep: string, more = ""): string => `fleet: A model
because: It has values of each kind.
clock: ${CLOCK}
horizon: 2h
sites:
  - { as: St. Mary, at: [30.4, -97.7], stalls: 2, runners: [{ count: 2, to: 14:00 }], vehicles: 2, stores: [{ as: tacos, preparation: { lognormal: { mean: 6m, sd: 2m } } }] }
vehicle: { load: 2m }
demand:
  - { as: lunch, product: reservation, site: St. Mary, per_hour: { by_hour: { "10:00": 5, "11:00": 9 } } }
  - { product: delivery, site: St. Mary, per_hour: 5 }
sweep: { ${sweep} }
${more}`

function cases(sweep: string, more = "") {
  const model = fleetModel(written(sweep, more))
  return casesOf(model).map((settings) => inCase(model, settings))
}

describe("a path leads to", () => {
  test("a value that the text leaves out", () => {
    expect(
      cases("vehicle.speed_kmh: [15, 20]").map(({ vehicle }) => vehicle.speed_kmh.steps[0]?.value),
    ).toEqual([15, 20])
  })

  test("a mean in a distribution, of a store and a site by their names", () => {
    const means = cases("sites.St. Mary.stores.tacos.preparation.mean: [6m, 8m]").map(
      ({ sites: [site] }) => site?.stores[0]?.preparation.steps[0]?.value,
    )
    expect(means).toMatchObject([
      { meanMs: 360_000, sdMs: 120_000 },
      { meanMs: 480_000, sdMs: 120_000 },
    ])
  })

  test("a distribution as a whole", () => {
    const [first] = cases("sites.St. Mary.stores.tacos.preparation: [4m]")
    expect(first?.sites[0]?.stores[0]?.preparation.steps[0]?.value).toEqual({ is: "constant", ms: 240_000 })
  })

  test("an hour of a demand, and a demand by the name that tables give it", () => {
    const [first] = cases("demand.lunch.per_hour.11:00: [4], demand.deliveries at St. Mary.per_hour: [6]")
    expect(first?.demand.map((one) => one.per_hour?.steps.map(({ value }) => value))).toEqual([[5, 4], [6]])
  })

  test("a part without a name by its number", () => {
    const [first] = cases("sites.St. Mary.runners.1.count: [7], vehicle.returns: [false]")
    expect([first?.sites[0]?.runners[0]?.count, first?.vehicle.returns]).toEqual([7, false])
  })

  test("what changes during the run", () => {
    const [first] = cases("changes.1.demand: [3]", "changes: [{ at: 10:40, demand: 2 }]")
    expect(first?.changes[0]?.effects.get("demand")).toMatchObject({ factor: 3 })
  })

  test("the times of a matrix", () => {
    const travel =
      "travel: { matrix: { places: [{ as: town, at: [30.4, -97.7] }], times: { town: { town: 5m } } } }"
    const [first] = cases("travel.matrix.times.town.town: [9m]", travel)
    expect(first?.travel).toMatchObject({ times: [[{ steps: [{ value: 540_000 }] }]] })
  })
})

test("a case is the model that is written with its values", () => {
  const [, swept] = cases("vehicle.load: [1m, 9m], demand: [2]")
  const plain = fleetModel(written("demand: [2]").replace("load: 2m", "load: 9m"))
  const [settings = []] = casesOf(plain)
  const digests = [swept, inCase(plain, settings)].map((one) => one && replicate(one, { seed: 1 }).digest)
  expect(digests[0]).toBe(digests[1])
})

test("answer and JSON name the case by the path", () => {
  const model = fleetModel(
    written("vehicle.load: [1m, 40m]", 'promises: { deliveries.total_mean: "< 50m" }\n'),
  )
  const made = casesOf(model).map((settings) =>
    caseResult(
      model,
      settings,
      [1, 2, 3].map((seed) => replicate(inCase(model, settings), { seed })),
    ),
  )
  const result = fleetResult(model, made)
  expect(answerOf(result).headline).toBe("1m as vehicle.load keeps the promise; 40m does not.")
  expect(JSON.stringify(resultJson(result))).toContain('"vehicle.load 40m"')
  expect(caseName(made[1]?.settings ?? [])).toBe("vehicle.load 40m")
})

test("a slider of a swept value says so, and one that is left out moves no other", () => {
  const numbers = fleetNumbers("m.yaml", written("vehicle.load: [1m, 3m], vehicle.speed_kmh: [20]"))
  const set = numbers.filter(({ setBy }) => setBy !== null)
  expect(set.map(({ label, setBy, firstCase }) => [label, setBy, firstCase])).toEqual([
    ["Load of vehicles", "the sweep tries 1m and 3m", "1m"],
  ])
})

function problemsOf(text: string): readonly string[] {
  const { problems } = readFleet({
    file: "m.yaml",
    text,
    beside: (name) => (name === "town.geojson" ? TOWN : null),
  })
  return problems.map(({ place, message, suggestion }) => {
    const meant = suggestion === undefined ? "" : `, did you mean ${suggestion}?`
    return `${place.line}:${place.column} ${message}${meant}`
  })
}

const TOWN = JSON.stringify({
  type: "FeatureCollection",
  attribution: "invented",
  features: [
    {
      type: "Feature",
      properties: { name: "Main Road" },
      geometry: {
        type: "LineString",
        coordinates: [
          [-97.71, 30.4],
          [-97.69, 30.4],
        ],
      },
    },
  ],
})

describe("values of two paths", () => {
  const walks = (sweep: string): string => written(sweep, "runner: { walk: { uniform: [60s, 150s] } }")

  test("are wrong together where one combination is no model, at the sweep", () => {
    expect(problemsOf(walks("runner.walk.1: [60s, 140s], runner.walk.2: [90s, 150s]"))).toEqual([
      "11:8 the second is the shorter one, with runner.walk.1 140s and runner.walk.2 90s",
    ])
  })

  test("are right together where one alone would not be", () => {
    expect(problemsOf(walks("runner.walk.1: [160s], runner.walk.2: [170s]"))).toEqual([])
  })

  test("stand each at its place where no other value makes it right", () => {
    expect(problemsOf(walks("runner.walk.1: [60s, 190s], runner.walk.2: [90s, 150s]"))).toHaveLength(1)
  })
})

test("streets of what is out are looked up for each value", () => {
  const more = "travel: { streets: town.geojson }\nout: [{ street: Main Road, from: 10:20, to: 10:40 }]"
  expect(problemsOf(written("out.1.street: [Main Road, Main Raod]", more))).toEqual([
    '11:36 town.geojson has no street that is "Main Raod", did you mean Main Road?',
  ])
})

test("one item is a value like another, and so is each capacity that an order fits", () => {
  const items = (sweep: string, count: number): string =>
    written(sweep)
      .replace("product: delivery", `as: d, items: ${count}, product: delivery`)
      .replace("load: 2m", "load: 2m, batching: { within_km: 3, capacity: 8 }")
  expect(problemsOf(items("demand.d.items: [1, 4]", 4))).toEqual([])
  expect(problemsOf(items("vehicle.batching.capacity: [4, 8]", 1))).toEqual([])
  expect(problemsOf(items("vehicle.batching.capacity: [3, 8]", 4))).toEqual([
    "11:38 no vehicle has room for one of these orders, in line 10 with this value",
  ])
})

describe("a mistake names the place and what is near", () => {
  test.each([
    ["vehcile.load: [3m]", ['11:10 unknown key "vehcile.load", did you mean vehicle.load?']],
    ["vehicle.laod: [3m]", ['11:10 unknown key "laod", did you mean vehicle.load?']],
    ["demand.lnch.per_hour: [2]", ['11:10 demand has no "lnch", did you mean demand.lunch.per_hour?']],
    ["vehicle.load.mean: [3m]", ["11:10 vehicle.load is one value, 2m"]],
    ["vehicle.load: [3m, 3]", ["11:29 the bare number 3 is not a duration"]],
    ["vehicle.load: [{ uniform: [1m, 2m] }]", ["11:25 a map where one value should be"]],
    [
      'sites.St. Mary.runners.1.to: ["00:00"]',
      ["11:40 the shift ends before it begins, in line 6 with this value"],
    ],
    ["sites.St. Mary.at.1: [30.5]", ["11:10 sites.St. Mary.at.1 cannot be swept"]],
    [
      "runners: [1], sites.St. Mary.runners.1.count: [2]",
      ["11:24 sites.St. Mary.runners.1.count is also set by runners"],
    ],
    [
      "dispatch: [first_booked], policy.dispatch: [shortest_walk]",
      ["11:36 policy.dispatch is also set by dispatch"],
    ],
    [
      "sites.St. Mary.stores.tacos.preparation: [3m], sites.St. Mary.stores.tacos.preparation.mean: [2m]",
      [
        "11:57 sites.St. Mary.stores.tacos.preparation.mean is also set by sites.St. Mary.stores.tacos.preparation",
      ],
    ],
  ])("%s", (sweep, messages) => {
    expect(problemsOf(written(sweep))).toEqual(messages)
  })
})
