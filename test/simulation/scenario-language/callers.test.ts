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
  const lines = [BOOKED, ...steps].map((step) => `  - ${step}\n`).join("")
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
  return scenario === undefined
    ? ["no scenario"]
    : runScenario(scenario).failures.map(({ message }) => message)
}

describe("callers of a scenario", () => {
  test("a caller that nothing names is a mistake with the nearest name", () => {
    const { problems } = read("partners: [{ as: rival }]", "{ do: reservation.read, for: lunch, by: rivall }")
    expect(problems).toContain('nothing is named "rivall"')
    expect(problems).toContain("a caller named under given or in an earlier step: rival")
  })

  test("only calls of partners have a key, and only people take steps of a task", () => {
    const refused = (step: string) => read("partners: [{ as: rival }]", step).problems
    expect(refused("{ do: runner.assign, for: lunch, by: rival }")).toContain(
      '"rival" is a caller, not a person',
    )
    expect(refused("{ do: sms.reply, by: rival, with: { from: '+15125550100', text: STOP } }")).toContain(
      '"by" does not go with sms.reply',
    )
  })

  test("a key belongs to a partner that stands before it", () => {
    const { problems } = read("keys: [{ as: spare, of: rival }], partners: [{ as: rival }]")
    expect(problems).toBe("")
    expect(read("keys: [{ as: spare, of: someone }]").problems).toContain('nothing is named "someone"')
  })

  test("a call that is taken where a refusal was expected fails, and so does another code", () => {
    const refusing = (code: string) =>
      failuresOf(
        "keys: [{ as: spare }]",
        `refuse: { do: reservation.read, for: lunch, by: spare, code: ${code} }`,
      )
    expect(refusing("INVALID_API_KEY")).toEqual([
      "expected reservation.read to be refused with INVALID_API_KEY, it was taken",
    ])
  })

  test("a refused call of a partner stops the run with its code", () => {
    const given = "keys: [{ as: spare, state: revoked }]"
    expect(failuresOf(given, "{ do: reservation.read, for: lunch, by: spare }")).toEqual([
      "reservation.read was refused with INVALID_API_KEY",
    ])
  })

  test("another wait than the expected one fails", () => {
    const given = "policy: { requests_per_minute: 1 }"
    const refusal = (wait: string) =>
      `refuse: { do: reservation.read, for: lunch, code: RATE_LIMITED, retry_after: ${wait} }`
    expect(failuresOf(given, refusal("60s"))).toEqual([])
    expect(failuresOf(given, refusal("59s"))).toEqual([
      "expected that RATE_LIMITED asks to wait 59s before the next call, found that it asks to wait 1m",
    ])
    expect(
      failuresOf("", "refuse: { do: runner.at_store, for: lunch, code: INVALID_STATE, retry_after: 1s }"),
    ).toEqual([
      "expected that INVALID_STATE asks to wait 1s before the next call, found that it names no time to wait",
    ])
  })

  test("explained and written as text, they are the same", () => {
    const { scenario } = read(
      "partners: [{ as: rival, active: false }], keys: [{ as: spare, of: rival, state: revoked }]",
      "refuse: { do: reservation.read, for: lunch, by: spare, code: INVALID_API_KEY }",
    )
    if (scenario === undefined) throw new Error("no scenario")
    const { scenarios } = readScenarios("t.yaml", scenarioText(scenario), languageNames())
    expect(scenarios.map((one) => withoutPlaces(one))).toEqual([withoutPlaces(scenario)])
    const explained = explain(scenario)
    expect(explained).toContain("there is another partner, rival")
    expect(explained).toContain("with the key spare, the partner reads lunch")
  })

  test("what a refused command was to make can be named, and is not there", () => {
    const steps = [
      "refuse: { do: reservation.create, as: early, with: { window: [11:00, 11:20] }, code: WINDOW_IN_PAST }",
      "refuse: { do: reservation.read, for: early, code: NOT_FOUND }",
    ]
    expect(failuresOf("", ...steps)).toEqual([])
    expect(read("", "{ do: reservation.read, for: early }", ...steps).problems).toContain(
      '"early" is named only later, in line 8',
    )
  })
})
