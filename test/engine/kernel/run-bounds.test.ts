/** Where a run ends that would never end. The bounds are small here, so that a test reaches them at once. */

import { Effect, Fiber, Runtime } from "effect"
import { describe, expect, test, vi } from "vitest"
import { RANK } from "../../../src/engine/kernel/agenda.ts"
import { SimulatedTime } from "../../../src/engine/kernel/simulated-time.ts"
import { ENTRIES_PER_INSTANT_MAX, RUN_ENTRIES_MAX } from "../../../src/model/values/limits.ts"

vi.mock(import("../../../src/model/values/limits.ts"), async (original) => ({
  ...(await original()),
  ENTRIES_PER_INSTANT_MAX: 100 as never,
  RUN_ENTRIES_MAX: 1_000 as never,
}))

const again = (time: SimulatedTime, everyMs: number): void => {
  time.schedule(time.nowMs + everyMs, RANK.timer, () => again(time, everyMs))
}

describe("the bounds of a run", () => {
  test("so many entries at one instant are too many: time does not advance", () => {
    const time = new SimulatedTime(500)
    again(time, 0)
    expect(() => time.run()).toThrow(
      `time does not advance: ${ENTRIES_PER_INSTANT_MAX} agenda entries at 500 ms`,
    )
  })

  test("exactly so many are fine, and each instant counts anew", () => {
    const time = new SimulatedTime(0)
    for (let at = 0; at < 3 * ENTRIES_PER_INSTANT_MAX; at += 1)
      time.schedule(at % 3, RANK.timer, () => undefined)
    time.run()
    expect(time.entries).toBe(3 * ENTRIES_PER_INSTANT_MAX)
  })

  test("a run of too many entries ends with a fault, though time moves", () => {
    const time = new SimulatedTime(0)
    again(time, 1)
    expect(() => time.run()).toThrow(`the run is too long: ${RUN_ENTRIES_MAX} agenda entries`)
    expect(time.entries).toBe(RUN_ENTRIES_MAX + 1)
  })

  test("dead entries count for nothing", () => {
    const time = new SimulatedTime(0)
    for (let at = 0; at < 5 * ENTRIES_PER_INSTANT_MAX; at += 1) {
      time.schedule(
        0,
        RANK.timer,
        () => undefined,
        () => false,
      )
    }
    time.run()
    expect(time.entries).toBe(0)
  })

  test("a fiber that yields without end is a fault and not a hang", () => {
    const time = new SimulatedTime(0)
    // It does end here, long past the bound, so that this test fails instead of hanging.
    const restless = Effect.repeatN(Effect.yieldNow(), 20 * RUN_ENTRIES_MAX)
    const runtime = Effect.runSync(Effect.runtime().pipe(Effect.withScheduler(time.scheduler)))
    const fiber = Runtime.runFork(runtime)(restless)
    expect(() => time.run()).toThrow("time does not advance")
    expect(Fiber.isFiber(fiber)).toBe(true)
  })
})
