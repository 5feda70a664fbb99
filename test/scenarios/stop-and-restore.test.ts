/**
 * Stop and restore: between any two agenda entries, a host that is rebuilt from its own content as JSON goes on as if
 * nothing had been; one that also loses the calls under way keeps every invariant.
 */

import { describe, expect, test, vi } from "vitest"
import type { MemoryHost } from "../../src/simulation/memory-host.ts"
import type { Scenario } from "../../src/simulation/scenario/language.ts"
import { runScenario } from "../../src/simulation/scenario/run.ts"
import type { ScenarioRun } from "../../src/simulation/scenario/run.ts"
import { firstDifference, namedScenarios, scenarios } from "./live-scenarios.ts"

// Tests that try many positions take a few seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

/** Every position of every scenario is tried: a run takes about 10 ms. */
const CRASHES_MIN = 300

describe("a restore between two agenda entries changes nothing", () => {
  test.each(namedScenarios)("at all of them in one run: %s", (_, scenario) => {
    expect(differenceFrom(scenario, () => true)).toBe(null)
  })

  test.each(namedScenarios)("at each of them alone: %s", (_, scenario) => {
    const count = positionsOf(scenario)
    for (let position = 0; position < count; position += 1) {
      expect(
        differenceFrom(scenario, (at) => at === position),
        `position ${position}`,
      ).toBe(null)
    }
  })
})

describe("a crash between two agenda entries breaks no invariant and leaves nobody waiting", () => {
  test.each(namedScenarios)("at each of them: %s", (_, scenario) => {
    const count = positionsOf(scenario)
    for (let position = 0; position < count; position += 1) {
      const run = stopping(scenario, { at: (at) => at === position, stop: crash })
      expect({ position, violations: run.violations }).toEqual({ position, violations: [] })
    }
  })

  test.each(namedScenarios)("at all of them in one run: %s", (_, scenario) => {
    expect(stopping(scenario, { at: () => true, stop: crash }).violations).toEqual([])
  })

  test("hundreds of positions are tried", () => {
    const positions = scenarios.reduce((sum, scenario) => sum + positionsOf(scenario), 0)
    expect(positions).toBeGreaterThanOrEqual(CRASHES_MIN)
  })
})

/** What a run with restores has otherwise than one without: its entries, its hash, its verdict. */
function differenceFrom(scenario: Scenario, at: (count: number) => boolean): string | null {
  const run = runScenario(scenario)
  const restored = stopping(scenario, { at, stop: restore })
  const verdicts = `${run.verdict} and then ${restored.verdict}`
  return firstDifference(run, restored) ?? (run.verdict === restored.verdict ? null : verdicts)
}

/** Runs the scenario and stops before the agenda entries chosen by their count. */
function stopping(
  scenario: Scenario,
  { at, stop }: { readonly at: (count: number) => boolean; readonly stop: (host: MemoryHost) => void },
): ScenarioRun {
  let count = 0
  return runScenario(scenario, {
    // After a crash a command may be refused that was not before; the steps after it are worth running all the same.
    isTolerant: true,
    watch: ({ host }) => ({
      beforeEntry: () => {
        if (at(count)) stop(host)
        count += 1
      },
    }),
  })
}

/** How many times the agenda is looked at, the end of the run included. */
function positionsOf(scenario: Scenario): number {
  let count = 0
  runScenario(scenario, { watch: () => ({ beforeEntry: () => (count += 1) }) })
  return count
}

function restore(host: MemoryHost): void {
  const text = JSON.stringify(host.content())
  host.restore(JSON.parse(text) as ReturnType<MemoryHost["content"]>)
  expect(JSON.stringify(host.content())).toBe(text)
}

function crash(host: MemoryHost): void {
  host.dropCalls()
  restore(host)
}
