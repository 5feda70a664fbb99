/** Crashes: a host that loses the calls under way between any two agenda entries, and is restored, keeps every invariant. */

import { describe, expect, test, vi } from "vitest"
import type { MemoryHost } from "../../src/simulation/memory-host.ts"
import { namedScenarios, scenarios } from "./live-scenarios.ts"
import { positionsOf, restore, stopping } from "./stopped-runs.ts"

// Tests that try many positions take a few seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

/** Every position of every scenario is tried: a run takes about 10 ms. */
const CRASHES_MIN = 300

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

function crash(host: MemoryHost): void {
  host.dropCalls()
  restore(host)
}
