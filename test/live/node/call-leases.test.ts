/** Calls that never end: the end of their lease frees their slot, and they are accounted once. */

import { Effect, Fiber, TestClock, TestContext } from "effect"
import { expect, test } from "vitest"
import { ENDPOINT_CALLS_MAX } from "../../../src/live/configuration/bounds.ts"
import { makeOutgoingCalls } from "../../../src/live/calls/outgoing-calls.ts"
import type { CallEnd } from "../../../src/live/calls/outgoing-calls.ts"
import { NO_OBSERVER } from "../../../src/live/observation/observer.ts"
import { failed } from "../../../src/engine/services/outbound/call-results.ts"

const LEASE_MS = 8_000

test.each([
  ["can be interrupted", Effect.never],
  ["cannot be interrupted", Effect.uninterruptible(Effect.never)],
])("calls of a full endpoint that never end and %s leave it when their lease ends", async (_, perform) => {
  const ends: CallEnd[] = []
  const receiver = {
    environment: "production",
    origin: "https://hooks.example",
    endpoint: "one",
    hasBreaker: true,
  } as const
  const performer = {
    call: "webhook",
    leaseMs: LEASE_MS,
    perform: () => perform,
    turn: { waitMsMax: 1_000, prepare: () => Effect.succeed({ receiver, perform }) },
  }
  const calls = Array.from({ length: ENDPOINT_CALLS_MAX }, (__, at) => ({
    actor: `webhook-delivery/${at}`,
    call: "webhook",
    attempt: 1,
    cause: [`webhook-delivery/${at}`, 1, 0] as const,
  }))
  const made = Effect.gen(function* () {
    const outgoing = yield* makeOutgoingCalls({
      observer: NO_OBSERVER,
      resultsWaitMs: 0,
      onFault: (fault) => Effect.die(fault),
      onRoom: () => undefined,
      takeResults: (results) => Effect.sync(() => void ends.push(...results)),
    })
    outgoing.attach([performer])
    yield* outgoing.begin(calls)
    yield* TestClock.adjust(LEASE_MS - 1)
    const before = yield* outgoing.inFlight
    yield* TestClock.adjust(1)
    const drained = yield* Effect.fork(outgoing.drain)
    yield* Fiber.join(drained)
    return { before, after: yield* outgoing.inFlight, room: outgoing.roomFor("one") }
  })
  const found = await Effect.runPromise(Effect.provide(Effect.scoped(made), TestContext.TestContext))
  expect(found).toMatchObject({ before: ENDPOINT_CALLS_MAX, after: 0 })
  expect(found.room).toBeGreaterThan(0)
  expect(ends.map(({ result }) => result)).toEqual(calls.map(() => failed(1, "timeout")))
})
