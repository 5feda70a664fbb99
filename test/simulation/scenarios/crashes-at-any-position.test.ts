/**
 * Crashes: a host that loses the calls in flight between any two agenda entries, and is restored, keeps every
 * invariant.
 */

import { describe, expect, test, vi } from "vitest"
import type { MemoryHost } from "../../../src/engine/memory/memory-host.ts"
import { momentsOf, namedScenarios, scenariosWithoutFaults } from "./live-scenarios.ts"
import { manyPositions, positionsTried, stopping } from "./stopped-runs.ts"

// Tests that try many positions take a few seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

/** Of all scenarios together, each with a call in flight. */
const CRASHES_MIN = 200

// A crash without a call in flight is a restore, which has tests of its own.
const calling = namedScenarios.filter(([, scenario]) => momentsOf(scenario).some(({ calls }) => calls > 0))

const tried = positionsTried(scenariosWithoutFaults, {
  every: 3,
  most: 5,
  isMeant: ({ calls }) => calls > 0,
})

describe("a crash between two agenda entries breaks no invariant and leaves no actor waiting", () => {
  test.each(calling)("at each of those tried: %s", (_, scenario) => {
    for (const position of tried.get(scenario) ?? []) {
      const run = stopping(scenario, { at: (at) => at === position, stop: crash })
      expect({ position, violations: run.violations }).toEqual({ position, violations: [] })
    }
  })

  test.each(calling)("at many of them in one run: %s", (_, scenario) => {
    expect(stopping(scenario, { at: manyPositions(scenario), stop: crash }).violations).toEqual([])
  })

  test("hundreds of positions are tried", () => {
    const positions = [...tried.values()].reduce((sum, own) => sum + own.length, 0)
    expect(positions).toBeGreaterThanOrEqual(CRASHES_MIN)
  })
})

function crash(host: MemoryHost): void {
  host.crash()
}
