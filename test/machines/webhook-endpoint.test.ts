/** One endpoint whose failures are counted (Y1 to Y4), and deliveries on direct delivery's schedule (Y5, Y6). */

import { describe, expect, test } from "vitest"
import {
  ENDPOINT_FAILURES_MAX,
  PICKUP_WEBHOOK_ATTEMPTS_MAX,
  PICKUP_WEBHOOK_BACKOFF_MS,
  WEBHOOK_LEASE_MS,
} from "../../src/model/values/limits.ts"
import { HOUR_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { answer, BOOKED_AT_MS, GroupUnderTest, lab, wait } from "./group-under-test.ts"
import type { Step } from "./group-under-test.ts"

function register(): GroupUnderTest {
  const input = { failuresMax: ENDPOINT_FAILURES_MAX }
  return new GroupUnderTest(lab, "webhook-endpoint/whk_1", { machine: "webhook-endpoint@1", input }, null)
}

function deliver(): GroupUnderTest {
  const input = {
    endpointId: "whk_1",
    eventId: "evt_1",
    attemptsMax: PICKUP_WEBHOOK_ATTEMPTS_MAX,
    backoffMs: PICKUP_WEBHOOK_BACKOFF_MS,
    leaseMs: WEBHOOK_LEASE_MS,
    resendsMax: 3,
    isCounted: true,
  }
  return new GroupUnderTest(lab, "webhook-delivery/1", { machine: "webhook-delivery@2", input }, null)
}

function tell(type: string): Step {
  return { do: "command", to: "", event: { type }, facts: null }
}

const fail = tell("attempt.failed")
const failures = (count: number): readonly Step[] => Array.from({ length: count }, () => fail)

function said(under: GroupUnderTest): readonly string[] {
  return under.turns.flatMap(({ result }) =>
    result.messages.map(({ to, event }) => `${to} ${String(event?.type)}`),
  )
}

describe("a webhook endpoint", () => {
  test("Y1 and PW11: the fiftieth failure in a row disables it, and one notice is told", () => {
    const under = register().given(failures(49))
    expect(under.state("")).toBe("enabled")
    under.take(fail)
    expect(under.state("")).toBe("disabled")
    expect(under.heard()).toEqual([{ event: "webhook.disabled", reason: "consecutive_failures" }])
    expect(under.take(fail)).toEqual({ type: "refused", code: "INVALID_STATE" })
    expect(under.heard()).toEqual([])
  })

  test("Y2 an answer of 2xx starts the count anew", () => {
    const under = register().given([...failures(49), tell("attempt.succeeded"), ...failures(49)])
    expect(under.state("")).toBe("enabled")
    expect(under.context("")["consecutiveFailures"]).toBe(49)
  })

  test("Y3 and PW12: switched on again, it counts from nothing", () => {
    const under = register().given([...failures(50), tell("endpoint.switched_on")])
    expect(under.context("")["consecutiveFailures"]).toBe(0)
    under.given(failures(49))
    expect(under.state("")).toBe("enabled")
  })

  test("Y4 its owner may switch it off, silently, and delete it for good", () => {
    const under = register().given([tell("endpoint.switched_off"), tell("endpoint.switched_off")])
    expect(under.state("")).toBe("disabled")
    expect(under.emissions).toEqual([])
    under.given([tell("endpoint.removed")])
    expect(under.take(tell("endpoint.switched_on"))).toEqual({ type: "refused", code: "INVALID_STATE" })
  })
})

describe("a delivery to a counted endpoint", () => {
  test("Y5 and PW9: five attempts: at once, then 30, 60, 120 and 240 s after each failure", () => {
    const under = deliver()
    for (const [at, pauseMs] of PICKUP_WEBHOOK_BACKOFF_MS.entries()) {
      under.given([answer("", "failed", at + 1), wait(pauseMs)])
    }
    under.given([answer("", "failed", 5), wait(48 * HOUR_MS)])
    const seconds = under.turns
      .filter(({ result }) => result.calls.length > 0)
      .map(({ input }) => (input.instantMs - BOOKED_AT_MS) / SECOND_MS)
    expect(seconds).toEqual([0, 30, 90, 210, 450])
    expect(under.state("")).toBe("dropped")
  })

  test("Y6 every answer is told to its endpoint once, and an attempt that was lost with its lease is not", () => {
    const under = deliver().given([
      answer("", "failed", 1),
      wait(30 * SECOND_MS + WEBHOOK_LEASE_MS),
      wait(60 * SECOND_MS),
      answer("", "succeeded", 3),
    ])
    expect(said(under)).toEqual([
      "webhook-endpoint/whk_1 attempt.failed",
      "webhook-endpoint/whk_1 attempt.succeeded",
    ])
  })
})
