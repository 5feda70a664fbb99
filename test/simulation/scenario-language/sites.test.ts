/** Further sites of a scenario: bookings, people and calls to runners at each of them, and mistakes in their words. */

import { describe, expect, test } from "vitest"
import { languageNames } from "../../../src/cli/scenarios/scenario-files.ts"
import { explain } from "../../../src/simulation/scenario/words/explain.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { scenarioText, withoutPlaces } from "../../../src/simulation/scenario/language/scenario-text.ts"
import { worldOf } from "../../../src/simulation/scenario/language/worlds.ts"

const HEAD = "scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\n"

function read(given: string, ...steps: readonly string[]) {
  const lines = steps.map((step) => `  - ${step}\n`).join("")
  const { scenarios, problems } = readScenarios(
    "s.yaml",
    `${HEAD}given: { ${given} }\nsteps:\n${lines}`,
    languageNames(),
  )
  return { scenario: scenarios[0], problems: problems.map((one) => formatProblem(one)).join("\n") }
}

function scenarioOf(given: string, ...steps: readonly string[]) {
  const { scenario, problems } = read(given, ...steps)
  expect(problems).toBe("")
  if (scenario === undefined) throw new Error("no scenario was read")
  return scenario
}

const SOUTH = "sites: [{ as: south, stalls: 2, active_stalls: 1, runners: false, time_zone: Asia/Kolkata }]"
const STORE =
  "sites: [{ as: south, stalls: 1, delivers: true, store_north_m: -6000, area_km: 3, price_cents: 499 }]"
const WINDOW = "window: [11:45, 12:15]"
const AT_SOUTH = `{ do: reservation.create, as: lunch, with: { ${WINDOW}, site: south } }`

describe("a further site", () => {
  test("has stalls of its own, the same retailer, and a time zone", () => {
    const [own, south] = worldOf(
      scenarioOf(`site: one-stall, ${SOUTH}, partners: [{ as: rival }]`, AT_SOUTH),
    ).sites
    expect(own?.timezone).toBe("America/Chicago")
    expect(south).toMatchObject({ name: "Site south", timezone: "Asia/Kolkata" })
    const [zone, ...others] = south?.zones ?? []
    expect(others).toEqual([])
    expect(zone?.hasRunner).toBe(false)
    expect(zone?.stalls.map(({ label, isActive }) => [label, isActive])).toEqual([
      ["A1", true],
      ["A2", false],
    ])
    expect(zone?.retailers[0]?.grantedTo).toEqual(own?.zones[0]?.retailers[0]?.grantedTo)
    expect(zone?.retailers[0]?.grantedTo).toContain("org_rival")
  })

  test.each(["sandbox-test", "domain-north", "{ stalls: 1 }"])(
    "beside the site %s it is booked by its name",
    (site) => {
      const made = scenarioOf(
        `site: ${site}, ${SOUTH}`,
        AT_SOUTH,
        "{ expect: { reservation: lunch, stall: A1 } }",
        `{ do: reservation.create, as: dinner, with: { ${WINDOW} } }`,
      )
      expect(runScenario(made).failures).toEqual([])
    },
  )

  test("is named by runners, operators and calls to runners, who reach nothing of another site", () => {
    const given = `${SOUTH}, runners: [{ as: ana }, { as: ben, site: south }], operators: [{ as: sam, site: south }]`
    const made = scenarioOf(
      given,
      AT_SOUTH,
      `{ do: reservation.create, as: dinner, with: { ${WINDOW} } }`,
      "{ refuse: { do: runner.assign, for: dinner, by: ben, code: NOT_FOUND } }",
      "{ refuse: { do: runner.assign, for: dinner, by: sam, code: NOT_FOUND } }",
      "{ do: runner.assign, for: dinner, by: ana }",
      "{ do: exception.raise, for: dinner, with: { code: stall_blocked } }",
      "{ do: runners.call, by: sam, with: { site: south } }",
      "{ refuse: { do: runners.answer, by: ben, code: NOT_FOUND } }",
      "{ refuse: { do: runners.answer, by: ana, with: { site: south }, code: NOT_FOUND } }",
      "{ do: runners.answer, by: ben, with: { site: south } }",
      "{ do: runners.call, by: sam, with: { site: south } }",
      "{ do: runners.withdraw, by: sam, with: { site: south } }",
      "{ refuse: { do: runners.answer, by: ben, with: { site: south }, code: INVALID_STATE } }",
    )
    expect(runScenario(made).failures.map(({ message }) => message)).toEqual([])
  })

  test("has a store with an area, a price and a fleet of its own, and a number of an order is one of its store", () => {
    const made = scenarioOf(
      `${STORE}, vehicles: [{ as: van }, { as: southern, site: south, north_m: 500 }]`,
      "{ do: delivery.quote, as: food, with: { north_m: -5500 } }",
      "{ expect: { quote: food, available: false, reason: OUT_OF_SERVICE_AREA } }",
      "{ do: delivery.requote, for: food, with: { site: south, north_m: 500 } }",
      "{ expect: { quote: food, available: true, fee_cents: 499 } }",
      "{ refuse: { do: delivery.create, for: food, with: { site: here }, code: QUOTE_UNAVAILABLE } }",
      "{ do: delivery.create, for: food }",
      "{ refuse: { do: delivery.read, for: food, with: { site: here }, code: DELIVERY_NOT_FOUND } }",
      "{ refuse: { do: delivery.reassign, for: food, with: { vehicle: van }, code: NOT_FOUND } }",
      "{ expect: { vehicle: southern, active: food, within: 1s } }",
      "{ expect: { delivery_list: 1, site: south } }",
      "{ expect: { delivery_list: 0 } }",
      "{ at: +5m, do: vehicle.report, for: southern, with: { load: loaded } }",
      "{ do: vehicle.report, for: van, with: { site: south } }",
      "{ expect: { delivery: food, status: LOADED, within: 1s } }",
    )
    expect(runScenario(made).failures.map(({ message }) => message)).toEqual([])
  })

  test("may share the fleet of the scenario's own store", () => {
    const made = scenarioOf(
      `${STORE.replace("delivers: true", "delivers: true, own_fleet: false")}, vehicles: [{ as: van }]`,
      "{ do: delivery.quote, as: food, with: { site: south } }",
      "{ do: delivery.create, for: food }",
      "{ expect: { vehicle: van, active: food, within: 1s } }",
    )
    expect(runScenario(made).failures.map(({ message }) => message)).toEqual([])
  })

  test("with a store is written as it was read, and explained", () => {
    const made = scenarioOf(
      `${STORE}, vehicles: [{ as: southern, site: south }]`,
      "{ do: delivery.quote, as: food, with: { site: south } }",
      '{ do: fleet.change, with: { site: south, open_url: "https://south.example/open" } }',
    )
    const { scenarios, problems } = readScenarios("s.yaml", scenarioText(made), languageNames())
    expect(problems).toEqual([])
    expect(scenarios.map(withoutPlaces)).toEqual([withoutPlaces(made)])
    expect(explain(made)).toContain("a store from which deliveries start")
    expect(explain(made)).toContain("the retailer asks for a quote food, with the store south.\n")
  })

  test("is written as it was read, and explained", () => {
    const made = scenarioOf(`${SOUTH}, runners: [{ as: ben, site: south }]`, AT_SOUTH)
    const { scenarios, problems } = readScenarios("s.yaml", scenarioText(made), languageNames())
    expect(problems).toEqual([])
    expect(scenarios.map(withoutPlaces)).toEqual([withoutPlaces(made)])
    expect(explain(made)).toContain(
      "And the site south (Asia/Kolkata) has 2 stalls, 1 of them in use, and no runners.\n",
    )
    expect(explain(made)).toContain("the partner books lunch for 11:45 to 12:15, with the site south.\n")
  })
})

test("a booking names a site or a zone, and not both", () => {
  const both = "{ do: reservation.create, as: lunch, with: { window: [11:45, 12:15], site: south, zone: z } }"
  const { problems } = read(SOUTH, both)
  expect(problems).toContain("error: site and zone are both given")
  expect(problems).toContain("= expected: one of them")
})

describe("a mistake", () => {
  test.each([
    ["sites: [{ as: south }]", "stalls"],
    ["sites: [{ as: here, stalls: 1 }]", "a site cannot have the name here"],
    ["sites: [{ as: south, stalls: 1, time_zone: Texas }]", '"Texas" is no time zone'],
    ["sites: [{ as: south, stalls: 1, active_stalls: 2 }]", "2 active stalls of 1"],
    ["sites: [{ as: east, stalls: 1 }]", "nothing is named south"],
    ["sites: [{ as: south, stalls: 1, area_km: 3 }]", "area_km without a store"],
    ["sites: [{ as: south, stalls: 1, delivers: false, own_fleet: true }]", "own_fleet without a store"],
    [`${SOUTH}, vehicles: [{ as: van, site: souht }]`, "did you mean"],
    [`${SOUTH}, runners: [{ as: ana, site: suoth }]`, "nothing is named suoth"],
    [
      `${SOUTH}, operators: [{ as: max, site: everywere }]`,
      "expected: everywhere, or here, or elsewhere, or a site named under given: south",
    ],
  ])("is reported at its place: %s", (given, message) => {
    expect(
      read(given, AT_SOUTH).problems.replaceAll('"south"', "south").replaceAll('"suoth"', "suoth"),
    ).toContain(message)
  })
})
