/** Runs that are stopped between two agenda entries, and go on from what was kept. */

import { expect } from "vitest"
import { Streams } from "../../../src/engine/kernel/random.ts"
import type { MemoryHost } from "../../../src/engine/memory/memory-host.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import type { ScenarioRun } from "../../../src/simulation/scenario/run.ts"

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
function positionsOf(scenario: Scenario): number {
  let count = 0
  runScenario(scenario, { watch: () => ({ beforeEntry: () => (count += 1) }) })
  return count
}

/** Positions of one scenario that are tried unless all are requested. */
const SAMPLE = 4

/**
 * The positions of a scenario to stop at: a sample of them, drawn from the scenario's name, or every one with
 * `npm run test:long`. A run takes about 10 ms, and all positions of all scenarios take minutes.
 */
export function positionsTried(scenario: Scenario): readonly number[] {
  const count = positionsOf(scenario)
  const all = Array.from({ length: count }, (_, at) => at)
  if (process.env["CURBLINE_LONG_TESTS"] === "true" || count <= SAMPLE) return all
  const chance = new Streams(SEED)
  const chosen = new Set([0, count - 1])
  while (chosen.size < SAMPLE)
    chosen.add(chance.between(`${scenario.title} ${scenario.variant ?? ""}`, { from: 0, to: count - 1 }))
  return [...chosen].toSorted((a, b) => a - b)
}

/** Another seed tries other positions. */
const SEED = 1

/** Rebuilds the host from its own content as JSON. */
export function restore(host: MemoryHost): void {
  const text = JSON.stringify(host.content())
  host.restore(JSON.parse(text) as ReturnType<MemoryHost["content"]>)
  expect(JSON.stringify(host.content())).toBe(text)
}
