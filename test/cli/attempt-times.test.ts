/** Runs against a service: attempts come when they come in a run in memory, though the sandbox's clock stands meanwhile. */

import { expect, test } from "vitest"
import { withAwaitedAnswers } from "../../src/cli/against/attempt-times.ts"
import type { ReceivedAtInstant } from "../../src/cli/against/receiver.ts"
import type { ScriptedAnswer } from "../../src/simulation/outside-world.ts"

function request(
  headers: Readonly<Record<string, string>>,
  instantMs: number,
  answer: ScriptedAnswer,
): ReceivedAtInstant {
  return {
    url: "https://x.example",
    atMs: 0,
    body: '{"reservation_id":"r"}',
    number: 1,
    headers,
    instantMs,
    answer,
  }
}

const TIMEOUT = { type: "timeout" } as const
const LATE = { type: "status", status: 200, afterMs: 60_000 } as const
const REFUSED = { type: "refused" } as const

test("the time of each answer before it, of the same message alone, and at most the time limit", () => {
  const [event, other] = [{ "X-Service-Event-Id": "evt_1" }, { "X-Service-Event-Id": "evt_2" }]
  const requests = [
    request(event, 0, TIMEOUT),
    request(other, 0, REFUSED),
    request(event, 120_000, LATE),
    request(other, 120_000, TIMEOUT),
    request(event, 360_000, REFUSED),
  ]
  const times = withAwaitedAnswers(requests).map(({ instantMs }) => instantMs)
  expect(times).toEqual([0, 0, 130_000, 120_000, 380_000])
})

test("an open link waits less long than a webhook", () => {
  const link = { "X-Service-Attempt-Id": "att_1" }
  const times = withAwaitedAnswers([request(link, 0, TIMEOUT), request(link, 5_000, TIMEOUT)])
  expect(times.map(({ instantMs }) => instantMs)).toEqual([0, 10_000])
})
