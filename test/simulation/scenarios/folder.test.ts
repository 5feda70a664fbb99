/** Every scenario file is a test by existing, and together they use every word of the language. */

import { readFileSync } from "node:fs"
import { describe, expect, test, vi } from "vitest"
import { goldenPath, goldenText, goldenTexts, staleGolden } from "../../../src/cli/scenarios/golden.ts"
import { failureText } from "../../../src/cli/scenarios/report.ts"
import { INVARIANT_NAMES } from "../../../src/simulation/scenario/invariants.ts"
import { COMMANDS, EXPECTATIONS, FAULTS } from "../../../src/simulation/scenario/language/language.ts"
import type { Step } from "../../../src/simulation/scenario/language/language.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { runAnyScenario } from "../../../src/simulation/swarm/scenario-run.ts"
import { files, firstDifference, problems, runOf, scenarios } from "./live-scenarios.ts"

// Tests that try many positions take a few seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const SCENARIO_FILES_MIN = 30

describe("a scenario file passes, repeats itself, and comes to what its golden file says", () => {
  test.each(files)("%s", (file) => {
    const mistakes = problems
      .filter(({ place }) => place.file === file)
      .map((problem) => formatProblem(problem))
    expect(mistakes).toEqual([])
    const runs = scenarios.filter((scenario) => scenario.file === file).map((scenario) => runOf(scenario))
    expect(runs.length).toBeGreaterThan(0)
    expect(runs.flatMap((run) => run.failures.map((failure) => failureText(run, failure)))).toEqual([])
    for (const run of runs) expect(firstDifference(run, runAnyScenario(run.scenario))).toBe(null)
    expect(textAt(goldenPath(file))).toBe(goldenText(runs))
  })

  test("no golden file is stale, missing or left over", () => {
    expect(staleGolden(goldenTexts(scenarios))).toEqual([])
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

  test("has no choice of a vehicle, in whatever scenario, that a look at the whole fleet would not make", () => {
    const sentence = "a run goes to the vehicle that a look at the whole fleet would choose"
    const runs = scenarios.map((scenario) => runAnyScenario({ ...scenario, always: [] }))
    const choices = runs.flatMap(({ entries }) =>
      entries.filter(({ entry }) => /"decision":"(promote@3|confirm-errand@2)"/.test(entry.text)),
    )
    expect(choices.length).toBeGreaterThan(50)
    expect(runs.flatMap((run) => run.violations.filter((one) => one.sentence === sentence))).toEqual([])
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
