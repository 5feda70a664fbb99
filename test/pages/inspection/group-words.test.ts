/** What the list of groups says about actors, by the charts of their machines. */

import { describe, expect, test } from "vitest"
import { dueName, waitsFor } from "../../../src/pages/bundling/group-words.ts"

const task = {
  address: "reservation/res_1/runner-task",
  machine: "runner-task@1",
  value: { open: "queued" },
}

describe("what an actor waits for", () => {
  test("is the events from outside that lead it on, in words", () => {
    expect(waitsFor(task)).toBe("runner task: runner assigned")
  })

  test("is nothing for one that has ended, and for one that rests", () => {
    expect(waitsFor({ ...task, value: "canceled" })).toBeNull()
    expect(waitsFor({ address: "vehicle/veh_1", machine: "vehicle@1", value: "idle" })).toBeNull()
  })

  test("is not known for a machine that the program no longer has", () => {
    expect(waitsFor({ ...task, machine: "runner-task@0" })).toBeNull()
  })
})

test("a timer is called by its delay, and another event by its type", () => {
  expect(dueName("xstate.after.window and grace.reservation.open", "reservation@1")).toBe("window and grace")
  expect(dueName("bot.arrived", null)).toBe("bot.arrived")
})
