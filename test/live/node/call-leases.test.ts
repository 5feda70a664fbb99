/** Calls that never end: they keep to the shares of their organization, their lease frees their slot, and a stop or a crash interrupts them. */

import { setImmediate as nextTurn } from "node:timers/promises"
import { Deferred, Effect, Fiber, TestClock, TestContext } from "effect"
import { expect, test } from "vitest"
import {
  CALLS_AT_ONCE_MAX,
  DRAIN_MS_MAX,
  ENDPOINT_CALLS_MAX,
  ENDPOINT_WAITING_MAX,
  ORGANIZATION_CALLS_MAX,
  ORGANIZATION_WAITING_MAX,
} from "../../../src/live/configuration/bounds.ts"
import { makeOutgoingCalls } from "../../../src/live/calls/outgoing-calls.ts"
import type { CallEnd, OutgoingCalls } from "../../../src/live/calls/outgoing-calls.ts"
import { NO_OBSERVER } from "../../../src/live/observation/observer.ts"
import { WEBHOOK_ENDPOINTS_MAX } from "../../../src/model/values/limits.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { failed, succeeded } from "../../../src/engine/services/outbound/call-results.ts"

const LEASE_MS = 8_000

/** As many as are in flight and wait for one endpoint. */
const PER_ENDPOINT = ENDPOINT_CALLS_MAX + ENDPOINT_WAITING_MAX

function outgoingTo(ends: CallEnd[]) {
  return makeOutgoingCalls({
    observer: NO_OBSERVER,
    resultsWaitMs: 0,
    onFault: (fault) => Effect.die(fault),
    onRoom: () => undefined,
    takeResults: (results) => Effect.sync(() => void ends.push(...results)),
  })
}

test.each([
  ["can be interrupted", Effect.never],
  ["cannot be interrupted", Effect.uninterruptible(Effect.never)],
])("calls of a full endpoint that never end and %s leave it when their lease ends", async (_, perform) => {
  const ends: CallEnd[] = []
  const receiver = {
    environment: "production",
    organizationId: "org_one",
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
    const outgoing = yield* outgoingTo(ends)
    outgoing.attach([performer])
    yield* outgoing.begin(calls)
    yield* TestClock.adjust(LEASE_MS - 1)
    const before = outgoing.inFlight
    yield* TestClock.adjust(1)
    const drained = yield* Effect.fork(outgoing.drain)
    yield* Fiber.join(drained)
    return { before, after: outgoing.inFlight, room: outgoing.roomFor("one") }
  })
  const found = await Effect.runPromise(Effect.provide(Effect.scoped(made), TestContext.TestContext))
  expect(found).toMatchObject({ before: ENDPOINT_CALLS_MAX, after: 0 })
  expect(found.room).toBeGreaterThan(0)
  expect(ends.map(({ result }) => result)).toEqual(calls.map(() => failed(1, "timeout")))
})

test("a call whose lease ended while it read a row begins nothing after it", async () => {
  const ends: CallEnd[] = []
  const row = Promise.withResolvers<void>()
  const sent = { begun: 0 }
  const sending = Effect.sync(() => {
    sent.begun += 1
    return succeeded(1, 200)
  })
  const reading = Routine.answeredBy<void>(() => row.promise)
  const perform = Routine.flatMap(reading, () => Routine.from(sending))
  const call = { actor: "webhook-delivery/1", call: "webhook", attempt: 1, cause: ["a/b", 1, 0] } as const
  const made = Effect.gen(function* () {
    const outgoing = yield* outgoingTo(ends)
    outgoing.attach([{ call: "webhook", leaseMs: LEASE_MS, perform: () => perform }])
    yield* outgoing.begin([call])
    yield* TestClock.adjust(LEASE_MS)
    yield* outgoing.drain
    row.resolve()
    yield* Effect.promise(() => nextTurn())
  })
  await Effect.runPromise(Effect.provide(Effect.scoped(made), TestContext.TestContext))
  expect(ends.map(({ result }) => result)).toEqual([failed(1, "unavailable")])
  expect(sent.begun).toBe(0)
})

test("two organizations of the sandbox with slow endpoints leave calls to everybody else, however many they cause", async () => {
  const ends: CallEnd[] = []
  const perform = Effect.never
  const prepare = ({ actor }: { readonly actor: string }) => {
    const [, organizationId = "", endpoint = ""] = actor.split("/")
    const at = { environment: "sandbox", organizationId, endpoint, origin: endpoint } as const
    return Effect.succeed({ receiver: { ...at, hasBreaker: true }, perform })
  }
  const performer = {
    call: "webhook",
    leaseMs: 90_000,
    perform: () => perform,
    turn: { waitMsMax: 77_000, prepare },
  }
  const calls = ["one", "two"].flatMap((organization) =>
    Array.from({ length: WEBHOOK_ENDPOINTS_MAX * PER_ENDPOINT }, (_, at) => ({
      actor: `webhook-delivery/${organization}/${organization}-${at % WEBHOOK_ENDPOINTS_MAX}/${at}`,
      call: "webhook",
      attempt: 1,
      cause: ["a/b", 1, 0] as const,
    })),
  )
  const made = Effect.gen(function* () {
    const outgoing = yield* outgoingTo(ends)
    outgoing.attach([performer])
    yield* outgoing.begin(calls)
    const kept = 2 * (ORGANIZATION_CALLS_MAX + ORGANIZATION_WAITING_MAX)
    while (outgoing.inFlight > kept) yield* Effect.promise(() => nextTurn())
    return { free: outgoing.free, inFlight: outgoing.inFlight, kept }
  })
  const found = await Effect.runPromise(Effect.provide(Effect.scoped(made), TestContext.TestContext))
  expect(found).toMatchObject({
    free: CALLS_AT_ONCE_MAX - 2 * ORGANIZATION_CALLS_MAX,
    inFlight: found.kept,
  })
  expect(new Set(ends.map(({ result }) => result.type))).toEqual(new Set(["call.deferred"]))
})

/** A call that is answered, and others of which some are in flight and some wait; `begun` counts those that were sent. */
function answeredAmongHanging(
  resultsWaitMs: number,
  taking: (ends: readonly CallEnd[], outgoing: OutgoingCalls) => Effect.Effect<void>,
) {
  const sent = { begun: 0 }
  const at = { environment: "production", organizationId: "org_one", hasBreaker: true } as const
  const perform = Effect.suspend(() => {
    sent.begun += 1
    return Effect.never
  })
  const prepare = ({ attempt }: { readonly attempt: number }) =>
    Effect.succeed({
      receiver: { ...at, origin: `${attempt}`, endpoint: `${attempt}` },
      perform: attempt === 1 ? Effect.succeed(succeeded(1, 200)) : perform,
    })
  const leaseMs = 10 * DRAIN_MS_MAX
  const performer = {
    call: "webhook",
    leaseMs,
    perform: () => perform,
    turn: { waitMsMax: leaseMs, prepare },
  }
  const answered = Effect.runSync(Deferred.make<void>())
  const making = Effect.gen(function* () {
    const outgoing: OutgoingCalls = yield* makeOutgoingCalls({
      observer: { ...NO_OBSERVER, onCall: () => void Effect.runSync(Deferred.succeed(answered, undefined)) },
      resultsWaitMs,
      onFault: (fault) => Effect.die(fault),
      onRoom: () => undefined,
      takeResults: (results) => taking(results, outgoing),
    })
    outgoing.attach([performer])
    yield* outgoing.begin(Array.from({ length: ENDPOINT_CALLS_MAX + 10 }, (_, name) => callOf(2, name)))
    yield* outgoing.begin([callOf(1, -1)])
    yield* Deferred.await(answered)
    return outgoing
  })
  return { sent, making }
}

function callOf(attempt: number, name: number) {
  const actor = `webhook-delivery/${name}` as const
  return { actor, call: "webhook", attempt, cause: ["a/b", 1, 0] as const }
}

test("a stop takes the results of calls that were answered, and begins neither those that wait nor those that the results cause", async () => {
  const ends: CallEnd[] = []
  const gate = Effect.runSync(Deferred.make<void>())
  const { sent, making } = answeredAmongHanging(0, (results, outgoing) =>
    Effect.gen(function* () {
      yield* Deferred.await(gate)
      ends.push(...results)
      yield* outgoing.begin([callOf(3, -1)])
    }),
  )
  const made = Effect.gen(function* () {
    const outgoing = yield* making
    const stopping = yield* Effect.fork(outgoing.drain)
    yield* TestClock.adjust(DRAIN_MS_MAX)
    yield* Effect.promise(() => nextTurn())
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(stopping)
    yield* Effect.promise(() => nextTurn())
    return outgoing.inFlight
  })
  expect(await Effect.runPromise(Effect.provide(Effect.scoped(made), TestContext.TestContext))).toBe(0)
  expect(ends.map(({ result }) => result)).toEqual([succeeded(1, 200)])
  expect(sent.begun).toBe(ENDPOINT_CALLS_MAX)
})

test("a crash loses the results of calls that were answered, and begins none of those that wait", async () => {
  const ends: CallEnd[] = []
  // The result waits for others when the crash comes.
  const { sent, making } = answeredAmongHanging(50, (results) =>
    Effect.sync(() => void ends.push(...results)),
  )
  const made = Effect.gen(function* () {
    const outgoing = yield* making
    const lost = yield* outgoing.drop
    // The host goes on as its successor would.
    yield* outgoing.begin([callOf(1, -2)])
    while (outgoing.inFlight > 0) yield* Effect.promise(() => nextTurn())
    return lost
  })
  expect(await Effect.runPromise(Effect.scoped(made))).toBe(1)
  expect(ends.map(({ call }) => call.actor)).toEqual(["webhook-delivery/-2"])
  expect(sent.begun).toBe(ENDPOINT_CALLS_MAX)
})
