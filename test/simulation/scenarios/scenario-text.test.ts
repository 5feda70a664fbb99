/** The serializer that failing seeds are written with: what it writes reads back as it was. */

import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { languageNames } from "../../../src/cli/scenarios/scenario-files.ts"
import { scenario as begun } from "../../../src/simulation/scenario/builder.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { runAnyScenario } from "../../../src/simulation/swarm/scenario-run.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import { firstDifference, namedScenarios, runOf } from "./live-scenarios.ts"
import { randomScenario } from "./random-scenario.ts"
import {
  asItWasTaken,
  scenarioText,
  withoutPlaces,
} from "../../../src/simulation/scenario/language/scenario-text.ts"
import { isLong } from "../../long-tests.ts"

// Tests that try many positions take a few seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describe("a scenario that is written down reads back as it was", () => {
  test.each(namedScenarios)("%s", (_, scenario) => {
    expect(withoutPlaces(readBack(scenario))).toStrictEqual(withoutPlaces(scenario))
  })

  test.each(namedScenarios.filter((_, at) => isLong || at % 8 === 0))(
    "and runs as it did: %s",
    (_, scenario) => {
      expect(firstDifference(runOf(scenario), runAnyScenario(readBack(scenario)))).toBe(null)
    },
  )

  test("whatever random partners do", () => {
    fc.assert(
      fc.property(randomScenario, (scenario) => {
        expect(withoutPlaces(readBack(scenario))).toEqual(withoutPlaces(scenario))
      }),
    )
  })
})

test("the text has no more than the scenario says, and short lists on one line", () => {
  const short = begun("A visit", { because: "It is short.", clock: "2026-03-02T11:30 America/Chicago" })
    .do("reservation.create", { as: "lunch", with: { window: ["11:45", "12:15"] } })
    .build()
  expect(scenarioText(short).split("\n")).toEqual([
    "scenario: A visit",
    "because: It is short.",
    "seed: 1",
    "clock: 2026-03-02T11:30 America/Chicago",
    "given:",
    "  site: domain-north",
    "steps:",
    "  - do: reservation.create",
    "    as: lunch",
    "    with:",
    "      window: [11:45:00, 12:15:00]",
    "",
  ])
  const without = { ...short, permissions: [], environment: "sandbox" } as const
  expect(scenarioText(without)).toContain("environment: sandbox\npermissions: []\n")
})

test("what was refused unexpectedly is written as a refusal, and runs the same without tolerance", () => {
  fc.assert(
    fc.property(randomScenario, (scenario) => {
      const run = runAnyScenario(scenario, { isTolerant: true })
      const strict = runAnyScenario(readBack(asItWasTaken(scenario, run.refused)))
      expect(strict.failures).toEqual([])
      expect(firstDifference(run, strict)).toBe(null)
    }),
    { numRuns: isLong ? 200 : 20 },
  )
})

function readBack(scenario: Scenario): Scenario {
  const text = scenarioText(scenario)
  const { scenarios, problems } = readScenarios(scenario.file, text, languageNames())
  const [again] = scenarios
  if (again === undefined || scenarios.length > 1) {
    throw new Error(`${problems.map((problem) => formatProblem(problem)).join("\n")}\n${text}`)
  }
  return again
}
