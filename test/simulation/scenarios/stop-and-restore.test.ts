/**
 * Stop and restore: between any two agenda entries, a host that is rebuilt from its own content as JSON goes on as if
 * nothing had been.
 */

import { describe, expect, test, vi } from "vitest"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import type { ScenarioRun } from "../../../src/simulation/scenario/run.ts"
import { firstDifference, namedScenarios, runOf, scenariosWithoutFaults } from "./live-scenarios.ts"
import { manyPositions, positionsTried, restore, stopping } from "./stopped-runs.ts"

// Tests that try many positions take a few seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describe("a restore between two agenda entries changes nothing", () => {
  const tried = positionsTried(scenariosWithoutFaults, { every: 17, most: 6 })

  test.each(namedScenarios)("at many of them in one run: %s", (_, scenario) => {
    expect(differenceFrom(runOf(scenario), scenario, manyPositions(scenario))).toBe(null)
  })

  test.each(namedScenarios)("at each of those tried, alone: %s", (_, scenario) => {
    const run = runOf(scenario)
    for (const position of tried.get(scenario) ?? []) {
      expect(
        differenceFrom(run, scenario, (at) => at === position),
        `position ${position}`,
      ).toBe(null)
    }
  })
})

/** What a run with restores has otherwise than one without: its entries, its hash, its verdict. */
function differenceFrom(run: ScenarioRun, scenario: Scenario, at: (count: number) => boolean): string | null {
  const restored = stopping(scenario, { at, stop: restore })
  const verdicts = `${run.verdict} and then ${restored.verdict}`
  return firstDifference(run, restored) ?? (run.verdict === restored.verdict ? null : verdicts)
}
