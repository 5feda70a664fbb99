/** One delivery to one endpoint: rows W1 to W10, the schedule of retries and the lease of a call. */

import { describe, expect, test } from "vitest"
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { answer, BOOKED_AT_MS, deliver, oversleep, wait } from "./group-under-test.ts"
import type { GroupUnderTest, Step } from "./group-under-test.ts"

/** Minutes from each failure to the next attempt. */
const PAUSES = [2, 4, 8, 16, 32, 60, 60] as const

/** When each attempt was sent, in seconds since the first. */
function seconds(under: GroupUnderTest): readonly number[] {
  return under.turns
    .filter(({ result }) => result.calls.length > 0)
    .map(({ input }) => (input.instantMs - BOOKED_AT_MS) / SECOND_MS)
}

/** Fails attempts 1 to `count` at once, each when it is sent. */
function failures(count: number): readonly Step[] {
  return PAUSES.slice(0, count).flatMap((minutes, at) => [
    answer("", "failed", at + 1),
    wait(minutes * MINUTE_MS),
  ])
}

/** A turn that is no answer of the receiver. */
function event(type: "call.deferred" | "call.lost" | "queue.released", attempt: number): Step {
  return { do: "answer", to: "", event: { type, attempt } }
}

function lost(attempt: number): Step {
  return event("call.lost", attempt)
}

describe("webhook delivery", () => {
  test("W1 eight attempts: at once, then 2, 4, 8, 16, 32, 60 and 60 minutes after each failure", () => {
    const under = deliver().given([...failures(7), answer("", "failed", 8)])
    expect(seconds(under).map((second) => second / 60)).toEqual([0, 2, 6, 14, 30, 62, 122, 182])
    expect(under.calls.map(({ call, attempt }) => [call, attempt])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => ["webhook", attempt]),
    )
  })

  test("W2 after the eighth failure the delivery is dropped; there is no ninth attempt", () => {
    const under = deliver().given([...failures(7), answer("", "failed", 8)])
    expect(under.state("")).toBe("dropped")
    under.take(wait(48 * HOUR_MS))
    expect(under.calls).toHaveLength(8)
    expect(under.group.timers.size).toBe(0)
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])("W3 a 2xx on attempt %i delivers", (attempt) => {
    const under = deliver().given([...failures(attempt - 1), answer("", "succeeded", attempt)])
    expect(under.state("")).toBe("delivered")
    under.take(wait(48 * HOUR_MS))
    expect(under.calls).toHaveLength(attempt)
  })

  test("W4 an attempt that never answers counts as failed when its lease of 90 s ends", () => {
    const under = deliver().given([wait(90 * SECOND_MS - 1)])
    expect(under.state("")).toBe("sending")
    under.take(wait(1))
    expect(under.state("")).toBe("waiting")
    under.take(wait(2 * MINUTE_MS))
    expect(seconds(under)).toEqual([0, 210])
  })

  test("W4 eight attempts that never answer end the delivery", () => {
    const under = deliver().given([wait(48 * HOUR_MS)])
    expect(under.calls).toHaveLength(8)
    expect(under.state("")).toBe("dropped")
  })

  test("W5 a late 2xx delivers while no newer attempt has begun; any other late result is ignored", () => {
    const stateAfter = { succeeded: "delivered", failed: "waiting", discarded: "waiting" } as const
    for (const result of ["succeeded", "failed", "discarded"] as const) {
      const pausing = deliver().given([wait(90 * SECOND_MS), answer("", result, 1)])
      expect(pausing.state("")).toBe(stateAfter[result])
      const again = deliver().given([wait(210 * SECOND_MS), answer("", result, 1)])
      expect(again.state("")).toBe("sending")
      expect(again.context("")["attempt"]).toBe(2)
    }
  })

  test("W6 a delivery picked up for an endpoint that is switched off is discarded", () => {
    for (const count of [0, 3]) {
      const under = deliver().given([...failures(count), answer("", "discarded", count + 1)])
      expect(under.state("")).toBe("discarded")
      under.take(wait(48 * HOUR_MS))
      expect(under.calls).toHaveLength(count + 1)
    }
  })

  test.each(["succeeded", "failed", "discarded"] as const)(
    "W7 a delivery that was %s moves no more",
    (last) => {
      const under = deliver().given([
        ...(last === "failed" ? failures(7) : []),
        answer("", last, last === "failed" ? 8 : 1),
      ])
      const before = under.kept()
      for (const result of ["succeeded", "failed", "discarded"] as const) under.take(answer("", result, 8))
      expect(under.kept()).toEqual(before)
    },
  )

  test("W11 an attempt whose node is gone leaves again at once, as the same attempt with a whole lease", () => {
    const under = deliver().given([...failures(1), wait(80 * SECOND_MS), lost(2)])
    expect(under.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 2])
    under.take(wait(90 * SECOND_MS - 1))
    expect(under.state("")).toBe("sending")
    under.given([answer("", "failed", 2), answer("", "failed", 2)])
    expect(under.state("")).toBe("waiting")
    under.take(wait(4 * MINUTE_MS))
    expect(under.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 2, 3])
  })

  test("W11 the node that was only slow may answer for both copies", () => {
    const under = deliver().given([lost(1), answer("", "succeeded", 1), answer("", "failed", 1)])
    expect(under.state("")).toBe("delivered")
  })

  test("W11 an attempt that is lost again and again leaves three times more, then its lease ends it", () => {
    const under = deliver().given([lost(1), lost(1), lost(1), lost(1)])
    expect(under.calls.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1])
    under.take(wait(90 * SECOND_MS))
    expect(under.state("")).toBe("waiting")
    under.given([wait(2 * MINUTE_MS), lost(2)])
    expect(under.calls.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 2, 2])
  })

  test("W12 an attempt that could not leave waits in the queue without a clock, and is not counted", () => {
    const under = deliver().given([...failures(1), event("call.deferred", 2)])
    expect(under.state("")).toBe("queued")
    expect(under.group.timers.size).toBe(0)
    under.given([wait(48 * HOUR_MS), event("queue.released", 2)])
    expect(under.state("")).toBe("sending")
    expect(under.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 2])
    under.take(answer("", "failed", 2))
    under.take(wait(4 * MINUTE_MS))
    expect(under.calls.at(-1)?.attempt).toBe(3)
  })

  test("W8 the delivery keeps its event and endpoint; only the attempt is counted", () => {
    const under = deliver().given(failures(2))
    expect(under.context("")).toMatchObject({ eventId: "evt_1", endpointId: "whk_1", attempt: 3 })
  })

  test("W9 a host that slept sends one attempt late, and pauses from its result", () => {
    const under = deliver().given([answer("", "failed", 1), oversleep(30 * SECOND_MS)])
    expect(seconds(under)).toEqual([0])
    under.given([oversleep(100 * SECOND_MS), answer("", "failed", 2), wait(4 * MINUTE_MS)])
    expect(seconds(under)).toEqual([0, 130, 370])
  })

  test("W10 a host that slept for hours sends one attempt when it wakes, and that attempt has its whole lease", () => {
    const under = deliver().given([answer("", "failed", 1), oversleep(6 * HOUR_MS)])
    expect(under.calls).toHaveLength(2)
    expect(under.state("")).toBe("sending")
    under.take(wait(90 * SECOND_MS - 1))
    expect(under.state("")).toBe("sending")
    under.take(answer("", "succeeded", 2))
    expect(under.state("")).toBe("delivered")
  })
})
