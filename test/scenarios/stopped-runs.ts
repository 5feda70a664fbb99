/** Runs that are stopped between two agenda entries, and go on from what was kept. */

import { expect } from "vitest"
import type { MemoryHost } from "../../src/simulation/memory-host.ts"
import type { Scenario } from "../../src/simulation/scenario/language.ts"
import { runScenario } from "../../src/simulation/scenario/run.ts"
import type { ScenarioRun } from "../../src/simulation/scenario/run.ts"

/** Runs the scenario and stops before the agenda entries chosen by their count. */
export function stopping(
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
export function positionsOf(scenario: Scenario): number {
  let count = 0
  runScenario(scenario, { watch: () => ({ beforeEntry: () => (count += 1) }) })
  return count
}

/** Rebuilds the host from its own content as JSON. */
export function restore(host: MemoryHost): void {
  const text = JSON.stringify(host.content())
  host.restore(JSON.parse(text) as ReturnType<MemoryHost["content"]>)
  expect(JSON.stringify(host.content())).toBe(text)
}
