/** A call to the runners of a site: RC1 to RC3. */

import { describe, expect, test } from "vitest"
import { RUNNER_CALL_RINGS_MS } from "../../src/model/values/limits.ts"
import { BOOKED_AT_MS, GroupUnderTest, lab, wait } from "./group-under-test.ts"
import type { Step } from "./group-under-test.ts"

function call(): GroupUnderTest {
  const input = { siteId: "site_1", reservationId: "res_1", ringMs: RUNNER_CALL_RINGS_MS }
  return new GroupUnderTest(lab, "runner-call/call_1", { machine: "runner-call@1", input }, null)
}

const answer = (runnerId: string): Step => ({
  do: "command",
  to: "",
  event: { type: "runner.answered", runnerId },
  facts: null,
})
const withdraw: Step = { do: "command", to: "", event: { type: "operator.withdrew" }, facts: null }

describe("a call to runners", () => {
  test("RC1 the first who answers has it; the same runner may repeat, another is refused", () => {
    const under = call().given([wait(1_000), answer("run_1")])
    expect(under.take(answer("run_1"))).toEqual({ type: "answered", value: { isRepeat: true } })
    expect(under.take(answer("run_2"))).toEqual({ type: "refused", code: "INVALID_STATE" })
    expect(under.context("")).toMatchObject({ answeredBy: "run_1", endedAtMs: BOOKED_AT_MS + 1_000 })
    expect(under.group.timers.size).toBe(0)
  })

  test("RC2 it rings three minutes, to the millisecond, and can then not be answered", () => {
    const under = call().given([wait(RUNNER_CALL_RINGS_MS - 1)])
    expect(under.state("")).toBe("ringing")
    under.take(wait(1))
    expect([under.state(""), under.context("")["endedAtMs"]]).toEqual([
      "missed",
      BOOKED_AT_MS + RUNNER_CALL_RINGS_MS,
    ])
    expect(under.take(answer("run_1"))).toEqual({ type: "refused", code: "INVALID_STATE" })
  })

  test("RC3 operations may take it back; after an answer that changes nothing", () => {
    const under = call().given([withdraw])
    expect(under.state("")).toBe("withdrawn")
    expect(under.take(answer("run_1"))).toEqual({ type: "refused", code: "INVALID_STATE" })
    const answered = call().given([answer("run_1"), withdraw])
    expect(answered.state("")).toBe("answered")
  })
})
