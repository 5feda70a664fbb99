/** The compartment at the customer's door: CO1 to CO6, with its timers to the millisecond. */

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../src/model/values/json.ts"
import { COMPARTMENT_TRIES_MAX } from "../../src/model/values/limits.ts"
import { SECOND_MS } from "../../src/model/values/time.ts"
import { COMPARTMENT_INPUT } from "./compartment-cells.ts"
import { BOOKED_AT_MS, GroupUnderTest, answer, lab, oversleep, wait } from "./group-under-test.ts"
import type { Step } from "./group-under-test.ts"

function closed(): GroupUnderTest {
  return new GroupUnderTest(
    lab,
    "compartment/dlv_1",
    { machine: "compartment@1", input: COMPARTMENT_INPUT },
    null,
  )
}

function command(type: string, more: JsonObject = {}): Step {
  const event = { type, status: "ARRIVED_AT_CUSTOMER", vehicleId: "veh_1", ...more }
  return { do: "command", to: "", event, facts: null }
}

const open = command("opening.requested", { digitsMatch: true })
const wrong = command("opening.requested", { digitsMatch: false })
const grant = command("opening.granted")
const failing: readonly Step[] = [
  open,
  answer("", "failed", 1),
  wait(5 * SECOND_MS),
  answer("", "failed", 2),
  wait(15 * SECOND_MS),
  answer("", "failed", 3),
]

/** Which attempts left, at which second. */
function attempts(under: GroupUnderTest): readonly (readonly [attempt: number, second: number])[] {
  return under.turns.flatMap(({ input, result }) =>
    result.calls.map(({ attempt }): [number, number] => [
      attempt,
      (input.instantMs - BOOKED_AT_MS) / SECOND_MS,
    ]),
  )
}

describe("a compartment at the customer's door", () => {
  test("CO1 it opens at the door alone, for the customer and for operations", () => {
    const under = closed()
    for (const type of ["opening.requested", "opening.granted"]) {
      for (const status of ["EN_ROUTE_TO_CUSTOMER", "COMPLETED", "CANCELLED"]) {
        const outcome = under.take(command(type, { status, digitsMatch: true }))
        expect(outcome).toEqual({ type: "refused", code: "INVALID_STATE" })
      }
    }
    expect(attempts(under)).toEqual([])
  })

  test("CO2 the right digits ask the fleet once; asking again changes nothing, also when it is open", () => {
    const under = closed()
    expect(under.take(open)).toEqual({ type: "answered", value: null })
    expect(under.take(open)).toEqual({ type: "answered", value: { isRepeat: true } })
    under.given([answer("", "succeeded", 1)])
    expect(under.state("")).toBe("opened")
    expect(under.take(open)).toEqual({ type: "answered", value: { isRepeat: true } })
    expect(attempts(under)).toEqual([[1, 0]])
    expect(under.context("")).toMatchObject({ vehicleId: "veh_1", occurredAtMs: BOOKED_AT_MS, wrongTries: 0 })
  })

  test("CO3 wrong digits are counted; the fifth locks it and is published once, and right ones do not help", () => {
    const under = closed()
    for (let one = 1; one < COMPARTMENT_TRIES_MAX; one += 1)
      expect(under.take(wrong)).toEqual({ type: "answered", value: { problem: "wrong_digits" } })
    expect(under.context("")).toMatchObject({ wrongTries: COMPARTMENT_TRIES_MAX - 1 })
    expect(under.take(wrong)).toEqual({ type: "answered", value: { problem: "locked" } })
    expect(under.take(open)).toEqual({ type: "answered", value: { problem: "locked" } })
    expect(under.state("")).toBe("locked")
    expect(under.heard()).toEqual([{ event: "compartment.locked" }])
    expect(attempts(under)).toEqual([])
    under.given([grant])
    expect(under.state("")).toBe("opening.calling")
  })

  test("CO4 the attempts leave like those of an open link: at once, then 5 s and 15 s after a failure", () => {
    const under = closed().given(failing)
    expect(attempts(under)).toEqual([
      [1, 0],
      [2, 5],
      [3, 20],
    ])
  })

  test("CO4 a call that never answers counts as failed when its lease of 8 s ends; a lost one leaves again", () => {
    const silent = closed().given([open, wait(60 * SECOND_MS)])
    expect(attempts(silent).map(([, second]) => second)).toEqual([0, 13, 36])
    expect(silent.state("")).toBe("failed")
    const lost: Step = { do: "answer", to: "", event: { type: "call.lost", attempt: 1 } }
    expect(attempts(closed().given([open, wait(2 * SECOND_MS), lost]))).toEqual([
      [1, 0],
      [1, 2],
    ])
    const slept = closed().given([open, answer("", "failed", 1), oversleep(60 * SECOND_MS)])
    expect(attempts(slept)).toHaveLength(2)
    expect(slept.state("")).toBe("opening.calling")
  })

  test("CO5 when every attempt failed it is published, and only operations try again, under new attempts", () => {
    const under = closed().given(failing.slice(0, -1))
    under.take(answer("", "failed", 3))
    expect(under.heard()).toEqual([{ event: "compartment.failed" }])
    expect(under.take(open)).toEqual({ type: "refused", code: "INVALID_STATE" })
    under.given([wait(SECOND_MS), grant])
    expect(under.context("")).toMatchObject({ openings: 2, occurredAtMs: BOOKED_AT_MS + 21 * SECOND_MS })
    under.given([answer("", "failed", 4), wait(5 * SECOND_MS), answer("", "succeeded", 5)])
    expect(under.state("")).toBe("opened")
    expect(attempts(under).slice(3)).toEqual([
      [4, 21],
      [5, 26],
    ])
  })

  test("CO5 a late success of the last attempt still counts; a result of an earlier opening does not", () => {
    const under = closed().given([...failing.slice(0, -1), wait(8 * SECOND_MS)])
    expect(under.state("")).toBe("failed")
    const late = closed().given([...failing, grant])
    late.take(answer("", "succeeded", 3))
    expect(late.state("")).toBe("opening.calling")
    under.take(answer("", "succeeded", 3))
    expect(under.state("")).toBe("opened")
  })

  test("CO6 an attempt that finds the vehicle gone closes it, and nothing more leaves", () => {
    const under = closed().given([open, answer("", "failed", 1), wait(5 * SECOND_MS)])
    under.given([answer("", "discarded", 2), wait(60 * SECOND_MS)])
    expect(under.state("")).toBe("closed")
    expect(attempts(under)).toHaveLength(2)
    expect(under.heard()).toEqual([])
  })
})
