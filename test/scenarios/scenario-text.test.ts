/** The serializer that failing seeds are written with: what it writes reads back as it was. */

import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { languageNames } from "../../src/cli/scenario-files.ts"
import { formatProblem } from "../../src/simulation/scenario/problems.ts"
import { readScenarios } from "../../src/simulation/scenario/read.ts"
import { runAnyScenario } from "../../src/swarm/scenario-run.ts"
import type { Scenario } from "../../src/simulation/scenario/language.ts"
import { firstDifference, namedScenarios, runOf } from "./live-scenarios.ts"
import { randomScenario } from "./random-scenario.ts"
import { asItWasTaken, scenarioText, withoutPlaces } from "../../src/simulation/scenario/scenario-text.ts"

// Tests that try many positions take a few seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describe("a scenario that is written down reads back as it was", () => {
  test.each(namedScenarios)("%s", (_, scenario) => {
    const again = readBack(scenario)
    expect(withoutPlaces(again)).toEqual(withoutPlaces(scenario))
    expect(firstDifference(runOf(scenario), runAnyScenario(again))).toBe(null)
  })

  test("whatever random partners do", () => {
    fc.assert(
      fc.property(randomScenario, (scenario) => {
        expect(withoutPlaces(readBack(scenario))).toEqual(withoutPlaces(scenario))
      }),
    )
  })
})

test("what was refused unexpectedly is written as a refusal, and runs the same without tolerance", () => {
  fc.assert(
    fc.property(randomScenario, (scenario) => {
      const run = runAnyScenario(scenario, { isTolerant: true })
      const strict = runAnyScenario(readBack(asItWasTaken(scenario, run.refused)))
      expect(strict.failures).toEqual([])
      expect(firstDifference(run, strict)).toBe(null)
    }),
    { numRuns: 50 },
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
