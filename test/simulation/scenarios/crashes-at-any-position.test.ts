/**
 * Crashes: a host that loses the calls in flight between any two agenda entries, and is restored, keeps every
 * invariant.
 */

import { describe, expect, test, vi } from "vitest"
import type { MemoryHost } from "../../../src/engine/memory/memory-host.ts"
import { namedScenarios, scenariosWithoutFaults } from "./live-scenarios.ts"
import { positionsTried, restore, stopping } from "./stopped-runs.ts"

// Tests that try many positions take a few seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

/** Of all scenarios together. */
const CRASHES_MIN = 300

describe("a crash between two agenda entries breaks no invariant and leaves no actor waiting", () => {
  test.each(namedScenarios)("at each of those tried: %s", (_, scenario) => {
    for (const position of positionsTried(scenario)) {
      const run = stopping(scenario, { at: (at) => at === position, stop: crash })
      expect({ position, violations: run.violations }).toEqual({ position, violations: [] })
    }
  })

  test.each(namedScenarios)("at all of them in one run: %s", (_, scenario) => {
    expect(stopping(scenario, { at: () => true, stop: crash }).violations).toEqual([])
  })

  test("hundreds of positions are tried", () => {
    const positions = scenariosWithoutFaults.reduce(
      (sum, scenario) => sum + positionsTried(scenario).length,
      0,
    )
    expect(positions).toBeGreaterThanOrEqual(CRASHES_MIN)
  })
})

function crash(host: MemoryHost): void {
  host.dropCalls()
  restore(host)
}
