/** Slots of calls: one receiver's share, turns among receivers, bounded waits. */

import { Effect, Exit, Fiber, TestClock, TestContext } from "effect"
import { expect, test } from "vitest"
import { CallSlots } from "../../src/live/call-slots.ts"
import type { SlotRequest } from "../../src/live/call-slots.ts"

const OPTIONS = {
  callsMax: 6,
  originCallsMax: 4,
  endpointCallsMax: 3,
  endpointWaitingMax: 4,
  breakerFailures: 2,
}
const WAIT_MS = 1_000

function run<A>(effect: Effect.Effect<A>): Promise<A> {
  return Effect.runPromise(Effect.provide(effect, TestContext.TestContext))
}

function to(endpoint: string, origin = endpoint): SlotRequest {
  return { endpoint, origin, hasBreaker: true, waitMsMax: WAIT_MS }
}

/** Calls that note where they went, and never end. */
function calling(slots: CallSlots, begun: string[]) {
  return (endpoint: string, origin = endpoint) =>
    Effect.fork(
      slots.run(
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

test("a call that waits too long, or behind too many, is not made", async () => {
  const begun: string[] = []
  const turnedAway = await run(
    Effect.gen(function* () {
      const slots = new CallSlots(OPTIONS)
      const call = calling(slots, begun)
      for (let count = 0; count < 3; count += 1) yield* call("dead")
      const waiting = yield* Effect.all(Array.from({ length: 4 }, () => call("dead")))
      yield* Effect.yieldNow()
      const behind = yield* slots.run(to("dead"), Effect.succeed("made"))
      yield* TestClock.adjust(WAIT_MS)
      const late = yield* Effect.forEach(waiting, (fiber) => Fiber.join(fiber))
      return { behind, late, heldUp: slots.heldUp }
    }),
  )
  expect(turnedAway).toEqual({ behind: null, late: [null, null, null, null], heldUp: 0 })
  expect(begun).toHaveLength(3)
})

test("a call that is interrupted, waiting or under way, or dies, gives its slot back", async () => {
  const made = await run(
    Effect.gen(function* () {
      const slots = new CallSlots({ ...OPTIONS, callsMax: 1 })
      const call = calling(slots, [])
      const running = yield* call("one")
      const waiting = yield* call("two")
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(running)
      const died = yield* Effect.exit(slots.run(to("one"), Effect.die("no route")))
      const last = yield* slots.run(to("three"), Effect.succeed("made"))
      return { last, hasDied: Exit.isFailure(died) }
    }),
  )
  expect(made).toEqual({ last: "made", hasDied: true })
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
  // The neighbour had waited for the origin alone; it comes first or second, whose turn it is.
  expect(begun.slice(5)).toEqual([expect.stringMatching(/^(dead|neighbour)$/)])
})

test("failures in a row open the breaker: one call at a time, all others are deferred, and a success closes it", async () => {
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots(OPTIONS)
      const begun: string[] = []
      const call = calling(slots, begun)
      for (let count = 0; count < 3; count += 1) yield* call("dead")
      const waiting = yield* Effect.fork(slots.run(to("dead"), Effect.succeed("made")))
      yield* Effect.yieldNow()
      expect(slots.ended("dead", true)).toBeNull()
      expect(slots.ended("dead", true)).toEqual({ endpoint: "dead", isOpen: true, openBreakers: 1 })
      expect(yield* Fiber.join(waiting)).toBeNull()
      expect(yield* slots.run(to("dead"), Effect.succeed("made"))).toBeNull()
      expect(slots.roomFor("dead")).toBe(0)
      expect(slots.ended("dead", false)).toEqual({ endpoint: "dead", isOpen: false, openBreakers: 0 })
    }),
  )
  await run(
    Effect.gen(function* () {
      const slots = new CallSlots(OPTIONS)
      const call = calling(slots, [])
      for (const hasFailed of [true, false, true, true]) slots.ended("dead", hasFailed)
      expect(slots.roomFor("dead")).toBe(1)
      const probe = yield* call("dead")
      yield* Effect.yieldNow()
      expect(slots.roomFor("dead")).toBe(0)
      expect(yield* slots.run(to("dead"), Effect.succeed("made"))).toBeNull()
      expect(yield* slots.run(to("alive"), Effect.succeed("made"))).toBe("made")
      yield* Fiber.interrupt(probe)
      expect(slots.roomFor("dead")).toBe(1)
    }),
  )
})
