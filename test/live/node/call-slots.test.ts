/** Slots of calls: shares of origins and endpoints, turns among endpoints, bounded waits, circuit breakers. */

import { Effect, Exit, Fiber, Queue, TestClock, TestContext } from "effect"
import { expect, test } from "vitest"
import { CallSlots } from "../../../src/live/concurrency/call-slots.ts"
import type { SlotEnd, SlotRequest } from "../../../src/live/concurrency/call-slots.ts"
import { Deadlines } from "../../../src/live/concurrency/deadlines.ts"
import { answeringHere } from "../../../src/engine/services/answering.ts"

const OPTIONS = {
  callsMax: 6,
  sandboxCallsMax: 2,
  organizationCallsMax: 4,
  originCallsMax: 4,
  endpointCallsMax: 3,
  endpointWaitingMax: 4,
  environmentWaitingMax: { production: 20, sandbox: 6 },
  organizationWaitingMax: 5,
  organizationWaitingMin: 1,
  unqueuedWaitingMax: 5,
  breakerFailures: 2,
  openLineMs: 100,
  openLineMax: 3,
  idleMs: 60_000,
}
const WAIT_MS = 1_000

function run<A>(effect: Effect.Effect<A>): Promise<A> {
  return Effect.runPromise(Effect.provide(effect, TestContext.TestContext))
}

function to(endpoint: string, origin = endpoint): SlotRequest {
  return {
    environment: "production",
    organizationId: `of ${endpoint}`,
    endpoint,
    origin,
    hasBreaker: true,
    waitMsMax: WAIT_MS,
  }
}

/** A fiber's call: its interruption aborts it, and its clock ends its wait. */
function made<A>(slots: CallSlots, request: SlotRequest, call: Effect.Effect<A>): Effect.Effect<A | null> {
  return Effect.flatMap(answeringHere, (at) =>
    Effect.promise((signal) => {
      const wait = { deadlines: new Deadlines(at), signal }
      return slots.run(request, () => Effect.runPromise(call, { signal }), wait)
    }),
  )
}

/** A call to the endpoint failed, or was answered, after this time. */
function failing(endpoint: string, tookMs: number): SlotEnd {
  return { endpoint, hasFailed: true, tookMs, atMs: 0 }
}
function answering(endpoint: string): SlotEnd {
  return { endpoint, hasFailed: false, tookMs: 10, atMs: 0 }
}

/** Calls that note where they went, and never end. */
function calling(slots: CallSlots, begun: string[]) {
  return (endpoint: string, origin = endpoint) =>
    Effect.fork(
      made(
        slots,
        to(endpoint, origin),
        Effect.zipRight(
          Effect.sync(() => begun.push(endpoint)),
          Effect.never,
        ),
      ),
    )
}

test("a receiver that never answers holds its share and leaves the rest to others", async () => {
  const begun: string[] = []
  const heldUp = await run(
    Effect.gen(function* () {
      const slots = new CallSlots(OPTIONS)
      const call = calling(slots, begun)
      for (let count = 0; count < 5; count += 1) yield* call("dead")
      for (const receiver of ["one", "two", "one"]) yield* call(receiver)
      yield* Effect.yieldNow()
      return slots.heldUp
    }),
  )
  expect(begun).toEqual(["dead", "dead", "dead", "one", "two", "one"])
  expect(heldUp).toBe(2)
})

test("receivers that wait take turns for the slots that become free", async () => {
  const begun: string[] = []
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots({ ...OPTIONS, callsMax: 2 })
      const call = calling(slots, begun)
      const first = [yield* call("first"), yield* call("first")]
      yield* Effect.yieldNow()
      for (const receiver of ["a", "a", "a", "b", "c"]) yield* call(receiver)
      yield* Effect.yieldNow()
      for (const fiber of first) yield* Fiber.interrupt(fiber)
      yield* Effect.yieldNow()
    }),
  )
  expect(begun).toEqual(["first", "first", "a", "b"])
})

test("receivers of the sandbox that never answer leave slots for production", async () => {
  const begun: string[] = []
  const heldUp = await run(
    Effect.gen(function* () {
      const slots = new CallSlots(OPTIONS)
      const inSandbox = (endpoint: string) => {
        const begin = Effect.sync(() => begun.push(endpoint))
        const request = { ...to(endpoint), environment: "sandbox" } as const
        return Effect.fork(made(slots, request, Effect.zipRight(begin, Effect.never)))
      }
      const first = yield* inSandbox("stranger 1")
      for (const endpoint of ["stranger 2", "stranger 3", "stranger 4"]) yield* inSandbox(endpoint)
      yield* calling(slots, begun)("partner")
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      yield* Effect.yieldNow()
      return slots.heldUp
    }),
  )
  expect(begun).toEqual(["stranger 1", "stranger 2", "partner", "stranger 3"])
  expect(heldUp).toBe(1)
})

test("calls of the sandbox to the origin of a partner take no slot of the partner's own calls", async () => {
  const begun: string[] = []
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots({ ...OPTIONS, originCallsMax: 1 })
      const stranger = { ...to("stranger", "origin"), environment: "sandbox" } as const
      yield* Effect.fork(made(slots, stranger, Effect.never))
      yield* Effect.yieldNow()
      yield* calling(slots, begun)("partner", "origin")
      yield* Effect.yieldNow()
    }),
  )
  expect(begun).toEqual(["partner"])
})

test("an organization has its share of the calls in flight and of those that wait, however many endpoints it has", async () => {
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots(OPTIONS)
      const of = (organizationId: string, endpoint: string) => ({ ...to(endpoint), organizationId })
      const begun: string[] = []
      const call = (organizationId: string, endpoint: string) =>
        Effect.fork(
          made(
            slots,
            of(organizationId, endpoint),
            Effect.zipRight(
              Effect.sync(() => begun.push(endpoint)),
              Effect.never,
            ),
          ),
        )
      const slow = ["slow 1", "slow 2", "slow 3"]
      const first = yield* call("one", "slow 1")
      for (const endpoint of slow) for (let count = 0; count < 3; count += 1) yield* call("one", endpoint)
      yield* call("two", "other")
      yield* Effect.yieldNow()
      expect(begun).toEqual(["slow 1", "slow 1", "slow 1", "slow 2", "other"])
      expect(slots.heldUp).toBe(5)
      // Five wait, so that a sixth is deferred, also that of another endpoint; the other organization is not concerned.
      for (const endpoint of [...slow, "slow 4"])
        expect(yield* made(slots, of("one", endpoint), MADE)).toBeNull()
      expect(yield* made(slots, of("two", "other"), MADE)).toBe("made")
      yield* Fiber.interrupt(first)
      // Its slot goes to one of those that wait.
      expect(slots.heldUp).toBe(4)
      // Room for deferred calls is that of the organization, and one call for an endpoint that has none.
      slots.ended(answering("slow 3"))
      expect([slots.roomFor("slow 3"), slots.roomFor("slow 4")]).toEqual([0, 1])
    }),
  )
})

/** Every fiber has come to its wait. */
const CALM = Effect.repeatN(Effect.yieldNow(), 9)

/** Calls that never end by themselves; `next` ends the first one of an endpoint and returns which one begins. */
function hanging(slots: CallSlots) {
  const fibers: { readonly endpoint: string; readonly fiber: Fiber.Fiber<unknown> }[] = []
  const begun: string[] = []
  const call = (request: SlotRequest) =>
    Effect.gen(function* () {
      const begin = Effect.sync(() => begun.push(request.endpoint))
      const fiber = yield* Effect.fork(made(slots, request, Effect.zipRight(begin, Effect.never)))
      fibers.push({ endpoint: request.endpoint, fiber })
      yield* CALM
    })
  const next = (endpoint: string) =>
    Effect.gen(function* () {
      const at = fibers.findIndex((one) => one.endpoint === endpoint)
      const [one] = fibers.splice(at, 1)
      const before = begun.length
      if (one !== undefined) yield* Fiber.interrupt(one.fiber)
      yield* CALM
      return begun.slice(before).join()
    })
  return { begun, call, next }
}

test("a slot that a full organization has free goes to its endpoint that waits longest, not to the one that freed it", async () => {
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots({ ...OPTIONS, organizationWaitingMax: 20, endpointWaitingMax: 9 })
      const { begun, call, next } = hanging(slots)
      const one = (endpoint: string) => ({ ...to(endpoint), organizationId: "one" })
      // Two slow endpoints have all four slots, each with calls behind; a third has none.
      for (const endpoint of ["a", "a", "b", "b", "a", "a", "a", "b", "b", "b", "c", "c"])
        yield* call(one(endpoint))
      expect(begun).toEqual(["a", "a", "b", "b"])
      const order: string[] = []
      for (const endpoint of ["a", "a", "a", "b", "b", "c"]) order.push(yield* next(endpoint))
      expect(order).toEqual(["a", "b", "c", "a", "b", "c"])
    }),
  )
})

test("slow organizations of a full sandbox leave a turn to another one", async () => {
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots({ ...OPTIONS, sandboxCallsMax: 4, organizationCallsMax: 2 })
      const { begun, call, next } = hanging(slots)
      const of = (organizationId: string) => ({
        ...to(organizationId),
        environment: "sandbox" as const,
        organizationId,
      })
      for (const organization of ["one", "one", "two", "two", "one", "two", "one", "three"])
        yield* call(of(organization))
      expect(begun).toEqual(["one", "one", "two", "two"])
      // The second slot is not for the other organization that waits: its own are full.
      expect([yield* next("one"), yield* next("one"), yield* next("two")]).toEqual(["one", "three", "two"])
    }),
  )
})

test("an endpoint keeps its turn while all slots of the node are taken, and while its own are", async () => {
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots({ ...OPTIONS, callsMax: 4 })
      const { call, next } = hanging(slots)
      for (const endpoint of ["a", "a", "a", "b", "a", "a", "c", "d", "c"]) yield* call(to(endpoint))
      // The calls of `a` wait for `a` alone until one of its own ends; their place is before that of `c`.
      expect([yield* next("b"), yield* next("a"), yield* next("a")]).toEqual(["c", "a", "d"])
      expect([yield* next("a"), yield* next("c")]).toEqual(["c", "a"])
    }),
  )
})

test("calls that somebody waits for do not wait for webhooks of their organization, and take none of its slots", async () => {
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots(OPTIONS)
      const { begun, call } = hanging(slots)
      const webhook = (endpoint: string) => ({ ...to(endpoint), organizationId: "one" })
      const door = { ...webhook("door"), hasBreaker: false }
      yield* call(door)
      for (const endpoint of ["a", "a", "a", "b", "b"]) yield* call(webhook(endpoint))
      // Four webhooks, although the opening is in flight; and an opening, although the organization is full.
      yield* call(door)
      expect(begun).toEqual(["door", "a", "a", "a", "b", "door"])
      // Openings that wait take no place of webhooks that wait: four more do, and only the next one is deferred.
      for (let count = 0; count < 5; count += 1) yield* call(door)
      for (let count = 0; count < 3; count += 1) yield* call(webhook("b"))
      yield* call(webhook("c"))
      expect(slots.heldUp).toBe(10)
      expect(yield* made(slots, webhook("d"), MADE)).toBeNull()
    }),
  )
})

test("calls that wait for a slow endpoint leave room for deferred calls of others", async () => {
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots({ ...OPTIONS, organizationCallsMax: 5 })
      const { call } = hanging(slots)
      const of = (endpoint: string) => ({ ...to(endpoint), organizationId: "one" })
      yield* call(of("other"))
      slots.ended(answering("other"))
      for (let count = 0; count < 7; count += 1) yield* call(of("slow"))
      // Four of those wait, and three are in flight: of the organization's five slots one is free.
      expect(slots.roomFor("other")).toBe(1)
    }),
  )
})

test("a full sandbox leaves each of its organizations a place to wait, and production all of its own", async () => {
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots(OPTIONS)
      const call = (organizationId: string, endpoint: string) =>
        Effect.fork(made(slots, { ...to(endpoint), environment: "sandbox", organizationId }, Effect.never))
      const waits: number[] = []
      for (const organizationId of ["one", "two", "three", "three"]) {
        for (let count = 0; count < 4; count += 1) yield* call(organizationId, `${organizationId} ${count}`)
        yield* Effect.yieldNow()
        waits.push(slots.heldUp)
      }
      // Two are in flight.
      expect(waits).toEqual([2, 6, 7, 7])
      expect(yield* made(slots, to("partner"), MADE)).toBe("made")
    }),
  )
})

test("a call that waits too long, or behind too many, is not made", async () => {
  const begun: string[] = []
  const turnedAway = await run(
    Effect.gen(function* () {
      const slots = new CallSlots(OPTIONS)
      const call = calling(slots, begun)
      for (let count = 0; count < 3; count += 1) yield* call("dead")
      const waiting = yield* Effect.all(Array.from({ length: 4 }, () => call("dead")))
      yield* Effect.yieldNow()
      const behind = yield* made(slots, to("dead"), Effect.succeed("made"))
      yield* TestClock.adjust(WAIT_MS)
      const late = yield* Effect.forEach(waiting, (fiber) => Fiber.join(fiber))
      return { behind, late, heldUp: slots.heldUp }
    }),
  )
  expect(turnedAway).toEqual({ behind: null, late: [null, null, null, null], heldUp: 0 })
  expect(begun).toHaveLength(3)
})

test("a call that is interrupted, waiting or under way, or dies, gives its slot back", async () => {
  const found = await run(
    Effect.gen(function* () {
      const slots = new CallSlots({ ...OPTIONS, callsMax: 1 })
      const call = calling(slots, [])
      const running = yield* call("one")
      const waiting = yield* call("two")
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(running)
      const died = yield* Effect.exit(made(slots, to("one"), Effect.die("no route")))
      const last = yield* made(slots, to("three"), Effect.succeed("made"))
      return { last, hasDied: Exit.isFailure(died) }
    }),
  )
  expect(found).toEqual({ last: "made", hasDied: true })
})

test("a dead endpoint leaves room to another of the same origin, and the origin has a share of its own", async () => {
  const begun: string[] = []
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots(OPTIONS)
      const call = calling(slots, begun)
      const dead = []
      for (let count = 0; count < 5; count += 1) dead.push(yield* call("dead", "host:1"))
      for (const endpoint of ["neighbour", "neighbour", "other"]) {
        yield* call(endpoint, endpoint === "other" ? "host:2" : "host:1")
      }
      yield* Effect.yieldNow()
      expect(begun).toEqual(["dead", "dead", "dead", "neighbour", "other"])
      for (const fiber of dead.slice(0, 1)) yield* Fiber.interrupt(fiber)
      yield* Effect.yieldNow()
    }),
  )
  // The neighbour has only waited for the origin; it is first or second, depending on the turn.
  expect(begun.slice(5)).toEqual([expect.stringMatching(/^(dead|neighbour)$/)])
})

const MADE = Effect.succeed("made")

test("failures in a row open the breaker of a slow endpoint: one call at a time, all others are deferred, a success closes it", async () => {
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots(OPTIONS)
      const begun: string[] = []
      const call = calling(slots, begun)
      const running = [yield* call("dead"), yield* call("dead"), yield* call("dead")]
      const waiting = yield* Effect.fork(made(slots, to("dead"), MADE))
      yield* Effect.yieldNow()
      expect(slots.ended(failing("dead", 10_000))).toBeNull()
      expect(slots.ended(failing("dead", 10_000))).toEqual({
        endpoint: "dead",
        isOpen: true,
        openBreakers: 1,
      })
      expect(yield* Fiber.join(waiting)).toBeNull()
      expect(yield* made(slots, to("dead"), MADE)).toBeNull()
      expect(slots.roomFor("dead")).toBe(0)
      for (const fiber of running) yield* Fiber.interrupt(fiber)
      expect(slots.roomFor("dead")).toBe(1)
      const probe = yield* call("dead")
      yield* Effect.yieldNow()
      expect(slots.roomFor("dead")).toBe(0)
      expect(yield* made(slots, to("dead"), MADE)).toBeNull()
      expect(yield* made(slots, to("alive"), MADE)).toBe("made")
      expect(slots.ended(answering("dead"))).toEqual({ endpoint: "dead", isOpen: false, openBreakers: 0 })
      expect(slots.roomFor("dead")).toBe(OPTIONS.endpointCallsMax - 1)
      yield* Fiber.interrupt(probe)
    }),
  )
})

test("failures that are not in a row open no breaker", () => {
  const slots = new CallSlots(OPTIONS)
  const ends = [failing("one", 10), answering("one"), failing("one", 10)]
  expect(ends.map((end) => slots.ended(end))).toEqual([null, null, null])
  expect(slots.isOpen("one")).toBe(false)
})

test("an endpoint that refuses quickly gets one call right after the other; when it becomes slow, those in its line are deferred", async () => {
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots(OPTIONS)
      for (let count = 0; count < 2; count += 1) slots.ended(failing("quick", 1))
      expect(slots.isOpen("quick")).toBe(true)
      const begun = yield* Queue.unbounded<number>()
      const call = (number: number) =>
        Effect.fork(made(slots, to("quick"), Effect.zipRight(Queue.offer(begun, number), Effect.never)))
      const [first, second, third] = [yield* call(1), yield* call(2), yield* call(3)]
      expect(yield* Queue.take(begun)).toBe(1)
      // Its line is full.
      expect(yield* made(slots, to("quick"), MADE)).toBeNull()
      expect(yield* Queue.size(begun)).toBe(0)
      yield* Fiber.interrupt(first)
      // This clock does not move.
      expect(yield* Queue.take(begun)).toBe(2)
      slots.ended(failing("quick", 10_000))
      expect(yield* Fiber.join(third)).toBeNull()
      yield* Fiber.interrupt(second)
    }),
  )
})

test("an endpoint that is not known gets one deferred call, and more only when it was answered", () => {
  const slots = new CallSlots(OPTIONS)
  expect(slots.roomFor("new")).toBe(1)
  slots.ended(failing("new", 10_000))
  expect(slots.roomFor("new")).toBe(1)
  slots.ended(answering("new"))
  expect(slots.roomFor("new")).toBe(OPTIONS.endpointCallsMax)
})

test("an endpoint that had no call for long is forgotten with its breaker", () => {
  const slots = new CallSlots(OPTIONS)
  for (let count = 0; count < 2; count += 1) slots.ended(failing("gone", 10))
  expect(slots.forgetIdle(OPTIONS.idleMs - 1)).toEqual([])
  expect(slots.forgetIdle(OPTIONS.idleMs)).toEqual([{ endpoint: "gone", isOpen: false, openBreakers: 0 }])
  expect(slots.isOpen("gone")).toBe(false)
})
