import { describe, expect, test } from "vitest"
import { languageNames } from "../../../src/cli/scenarios/scenario-files.ts"
import { explain } from "../../../src/simulation/scenario/words/explain.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { scenarioText, withoutPlaces } from "../../../src/simulation/scenario/language/scenario-text.ts"

const HEAD = "scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\n"
const BOOKED = "{ do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }"

function read(given: string, ...steps: readonly string[]) {
  const lines = steps.map((step) => `  - ${step}\n`).join("")
  const { scenarios, problems } = readScenarios(
    "s.yaml",
    `${HEAD}given: { ${given} }\nsteps:\n${lines}`,
    languageNames(),
  )
  return { scenario: scenarios[0], problems: problems.map((one) => formatProblem(one)).join("\n") }
}

function failuresOf(given: string, ...steps: readonly string[]): readonly string[] {
  const { scenario, problems } = read(given, ...steps)
  expect(problems).toBe("")
  if (scenario === undefined) throw new Error("no scenario was read")
  return runScenario(scenario).failures.map(({ message }) => message)
}

const assigning = (by: string, code: string) =>
  `refuse: { do: runner.assign, for: lunch, by: ${by}, code: ${code} }`

describe("the shift of a person", () => {
  const people = "runners: [{ as: ana, from: 11:40, to: 12:00, breaks: [{ from: 11:45, to: 11:50 }] }]"

  test.each([
    ["11:39:59", false],
    ["11:40", true],
    ["11:44:59", true],
    ["11:45", false],
    ["11:50", true],
    ["11:59:59", true],
    ["12:00", false],
  ])("at %s a runner with a break from 11:45 to 11:50 is signed in: %s", (at, isOn) => {
    const step = isOn
      ? `{ at: "${at}", do: runner.assign, for: lunch, by: ana }`
      : `{ at: "${at}", ${assigning("ana", "SIGN_IN_REQUIRED")} }`
    expect(failuresOf(people, BOOKED, step)).toEqual([])
  })

  test("a step that is refused stops the run with the code of the service", () => {
    expect(failuresOf(people, BOOKED, "{ do: runner.assign, for: lunch, by: ana }")).toEqual([
      "runner.assign was refused with SIGN_IN_REQUIRED",
    ])
  })

  test("without an end it lasts as long as a session: twelve hours", () => {
    const booked = "{ do: reservation.create, as: lunch, with: { window: [23:40, 23:55] } }"
    for (const given of ["runners: [{ as: ana }]", "operators: [{ as: ana }]"]) {
      const late = [
        "{ at: 23:29, do: runner.assign, for: lunch, by: ana }",
        `{ at: 23:30, refuse: { do: runner.at_store, for: lunch, by: ana, code: SIGN_IN_REQUIRED } }`,
      ]
      expect(failuresOf(given, booked, ...late)).toEqual([])
    }
  })

  test("a shift that is over when the scenario begins never comes", () => {
    const given = "runners: [{ as: ana, from: 06:00, to: 11:30 }], operators: [{ as: olga, to: 11:30 }]"
    const steps = ["ana", "olga"].map((one) => `{ at: +5m, ${assigning(one, "SIGN_IN_REQUIRED")} }`)
    expect(failuresOf(given, BOOKED, ...steps)).toEqual([])
  })

  test.each([
    ["{ as: ana, from: 12:00, to: 11:00 }", "the shift ends before it begins"],
    ["{ as: ana, from: 06:00, to: 18:30 }", "the shift lasts 12h 30m"],
    ["{ as: ana, from: +10m }", "a shift has times of the site's clock"],
    ["{ as: ana, breaks: [{ from: 12:10, to: 12:00 }] }", "a break ends before it begins"],
    ["{ as: ana, from: 11:00, breaks: [{ from: 10:00, to: 12:00 }] }", "a break is outside of its shift"],
    [
      "{ as: ana, breaks: [{ from: 12:00, to: 12:30 }, { from: 12:20, to: 12:40 }] }",
      "two breaks of a shift overlap",
    ],
    ["{ as: ana, breaks: [{ from: 12:00 }] }", "to"],
    ["{ as: ana, breaks: [] }", "0 breaks"],
  ])("%s is a mistake: %s", (runner, message) => {
    expect(read(`runners: [${runner}]`, BOOKED).problems).toContain(message)
  })
})

describe("what people may do", () => {
  test("a runner moves the tasks that they took at their site", () => {
    const given = "runners: [{ as: ana }, { as: ben }, { as: kim, site: elsewhere }]"
    const steps = [
      BOOKED,
      assigning("kim", "NOT_FOUND"),
      "refuse: { do: runner.at_store, for: lunch, by: ana, code: INVALID_STATE }",
      "{ do: runner.assign, for: lunch, by: ana, with: { runner: ben } }",
      // The phone's runner takes the task, whatever the step says.
      "expect: { reservation: lunch, runner: ana }",
      assigning("ben", "INVALID_STATE"),
      "refuse: { do: runner.at_store, for: lunch, by: ben, code: INVALID_STATE }",
      "{ do: runner.at_store, for: lunch, by: ana }",
      "refuse: { do: exception.clear, for: lunch, by: ana, with: { code: bot_no_show }, code: INVALID_OPERATOR_TOKEN }",
      "{ do: reservation.cancel_by_runner, for: lunch, by: ana }",
      "expect: { reservation: lunch, status: canceled, canceled_by: runner }",
    ]
    expect(failuresOf(given, ...steps)).toEqual([])
  })

  test("an operator may do what the role and the sites allow", () => {
    const given =
      "vehicles: [{ as: van }, { as: cart, north_m: 4000 }], operators: [{ as: vic, role: viewer }, { as: olga, site: here }, " +
      "{ as: mia, role: manager }, { as: max, role: admin, site: elsewhere }, { as: ada, role: admin }]"
    const steps = [
      BOOKED,
      "{ do: delivery.quote, as: groceries, with: { ready_by: +30m } }",
      "{ do: delivery.create, for: groceries }",
      assigning("vic", "PERMISSION_DENIED"),
      assigning("max", "NOT_FOUND"),
      "{ do: runner.assign, for: lunch, by: olga, with: { runner: someone } }",
      "expect: { reservation: lunch, runner: someone }",
      "{ do: reservation.cancel_by_operations, for: lunch, by: olga }",
      "expect: { reservation: lunch, canceled_by: ops }",
      "refuse: { do: delivery.reassign, for: groceries, by: vic, with: { vehicle: cart }, code: PERMISSION_DENIED }",
      "refuse: { do: delivery.reassign, for: groceries, by: max, with: { vehicle: cart }, code: NOT_FOUND }",
      "{ do: delivery.reassign, for: groceries, by: olga, with: { vehicle: cart } }",
      'refuse: { do: fleet.change, by: mia, with: { open_url: "https://fleet.example/open" }, code: PERMISSION_DENIED }',
      'refuse: { do: fleet.change, by: max, with: { open_url: "https://fleet.example/open" }, code: PERMISSION_DENIED }',
      '{ do: fleet.change, by: ada, with: { open_url: "https://fleet.example/open" } }',
      "{ do: vehicle.go_offline, for: van, by: mia }",
    ]
    expect(failuresOf(given, ...steps)).toEqual([])
  })

  test("who the service does not know cannot sign in", () => {
    const given = "runners: [{ as: ana, known: false }], operators: [{ as: eve, known: false }]"
    const steps = [BOOKED, assigning("ana", "SIGN_IN_REQUIRED"), assigning("eve", "INVALID_OPERATOR_TOKEN")]
    expect(failuresOf(given, ...steps)).toEqual([])
  })

  test("a task is expected with the wrong runner", () => {
    const steps = [
      BOOKED,
      "expect: { reservation: lunch, handoff: QUEUED, runner: null }",
      "{ do: runner.assign, for: lunch, by: ana }",
      "expect: { reservation: lunch, runner: ben }",
    ]
    const [message, ...others] = failuresOf("runners: [{ as: ana }, { as: ben }]", ...steps)
    expect(message).toContain("runner ben")
    expect(message).toContain("runner ana")
    expect(others).toEqual([])
  })
})

describe("names of people", () => {
  test("an unknown name is a mistake with the nearest one", () => {
    const { problems } = read("runners: [{ as: ana }]", BOOKED, "{ do: runner.assign, for: lunch, by: anna }")
    expect(problems).toContain('nothing is named "anna"')
    expect(problems).toContain("ana")
  })

  test("a person does not call with a key", () => {
    const { problems } = read(
      "operators: [{ as: olga }]",
      BOOKED,
      "{ do: reservation.read, for: lunch, by: olga }",
    )
    expect(problems).toContain('"olga" is a person, not a caller')
  })

  test("explained and written as text, the scenario is the same", () => {
    const { scenario, problems } = read(
      "runners: [{ as: ana, from: 11:00, to: 14:00, breaks: [{ from: 12:00, to: 12:30 }] }], operators: [{ as: olga, role: viewer, site: here }]",
      BOOKED,
      "{ do: runner.assign, for: lunch, by: ana }",
      "refuse: { do: runner.at_store, for: lunch, by: olga, code: PERMISSION_DENIED }",
    )
    expect(problems).toBe("")
    if (scenario === undefined) throw new Error("no scenario was read")
    const { scenarios } = readScenarios("t.yaml", scenarioText(scenario), languageNames())
    expect(scenarios.map((one) => withoutPlaces(one))).toEqual([withoutPlaces(scenario)])
    const explained = explain(scenario)
    expect(explained).toContain(
      "ana is a runner, with a shift from 11:00, the end of the shift at 14:00 and breaks from 12:00 to 12:30",
    )
    expect(explained).toContain("by ana: a runner takes lunch")
    expect(explained).toContain("olga is an operator, with the role viewer and work here")
  })
})
