/** Every scenario file is a test by existing, and together they use every word of the language. */

import { readFileSync } from "node:fs"
import { describe, expect, test, vi } from "vitest"
import { goldenPath, goldenText, goldenTexts, staleGolden } from "../../../src/cli/scenarios/golden.ts"
import { failureText } from "../../../src/cli/scenarios/report.ts"
import { INVARIANT_NAMES } from "../../../src/simulation/scenario/invariants.ts"
import { COMMANDS, EXPECTATIONS, FAULTS } from "../../../src/simulation/scenario/language/language.ts"
import type { Scenario, Step } from "../../../src/simulation/scenario/language/language.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import type { ScenarioRun } from "../../../src/simulation/scenario/run.ts"
import { runAnyScenario } from "../../../src/simulation/swarm/scenario-run.ts"
import { cleanRuns, files, firstDifference, problems, runOf, scenarios } from "./live-scenarios.ts"

// Tests that try many positions take a few seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const SCENARIO_FILES_MIN = 30

const watchedRuns = new Map<Scenario, ScenarioRun>()

/** The run of a scenario once more, with every invariant, whichever of them the scenario names. */
function watchedRunOf(scenario: Scenario): ScenarioRun {
  const run = watchedRuns.get(scenario) ?? runAnyScenario({ ...scenario, always: [] })
  watchedRuns.set(scenario, run)
  return run
}

describe("a scenario file passes, repeats itself, and comes to what its golden file says", () => {
  test.each(files)("%s", (file) => {
    const mistakes = problems
      .filter(({ place }) => place.file === file)
      .map((problem) => formatProblem(problem))
    expect(mistakes).toEqual([])
    const runs = scenarios.filter((scenario) => scenario.file === file).map((scenario) => runOf(scenario))
    expect(runs.length).toBeGreaterThan(0)
    expect(runs.flatMap((run) => run.failures.map((failure) => failureText(run, failure)))).toEqual([])
    for (const run of runs) expect(firstDifference(run, watchedRunOf(run.scenario))).toBe(null)
    expect(textAt(goldenPath(file))).toBe(goldenText(runs))
  })

  test("no golden file is stale, missing or left over", () => {
    expect(staleGolden(goldenTexts(cleanRuns()))).toEqual([])
  })
})

describe("the folder of scenarios", () => {
  test("holds at least thirty files", () => {
    expect(files.length).toBeGreaterThanOrEqual(SCENARIO_FILES_MIN)
  })

  test("uses every command, every fault and every kind of expectation", () => {
    const used = new Set(scenarios.flatMap(({ steps }) => steps.map(wordOf)))
    const words = [
      ...Object.keys(COMMANDS).map((name) => `command ${name}`),
      ...Object.keys(FAULTS).map((name) => `fault ${name}`),
      ...Object.keys(EXPECTATIONS).map((name) => `expect ${name}`),
      "wait",
    ]
    expect(words.filter((word) => !used.has(word))).toEqual([])
  })

  test("breaks no invariant, whichever of them its scenarios name", () => {
    const violations = scenarios.flatMap((scenario) =>
      watchedRunOf(scenario).violations.map((one) => ({ file: scenario.file, ...one })),
    )
    expect(violations).toEqual([])
  })

  test("has choices of a vehicle, for the invariant that compares them with a look at the whole fleet", () => {
    expect(INVARIANT_NAMES).toContain("a run goes to the vehicle that a look at the whole fleet would choose")
    const choices = cleanRuns().flatMap(({ entries }) =>
      entries.filter(({ entry }) => /"decision":"(promote@3|confirm-errand@2)"/.test(entry.text)),
    )
    expect(choices.length).toBeGreaterThan(50)
  })

  test("names every invariant in some scenario's always", () => {
    const named = new Set(scenarios.flatMap(({ always }) => always.map(({ name }) => name)))
    expect(INVARIANT_NAMES.filter((sentence) => !named.has(sentence))).toEqual([])
  })
})

function wordOf(step: Step): string {
  switch (step.verb) {
    case "do":
    case "refuse":
      return `command ${step.command}`
    case "expect":
    case "never":
    case "at_most":
      return `expect ${step.fact}`
    case "inject":
      return `fault ${step.fault}`
    case "wait":
      return "wait"
  }
}

function textAt(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}
