/** Slots of calls: one receiver's share, turns among receivers, bounded waits. */

import { Effect, Exit, Fiber, TestClock, TestContext } from "effect"
import { expect, test } from "vitest"
import { CallSlots } from "../../src/live/call-slots.ts"

const OPTIONS = { callsMax: 6, receiverCallsMax: 3, receiverWaitingMax: 4 }
const WAIT_MS = 1_000

function run<A>(effect: Effect.Effect<A>): Promise<A> {
  return Effect.runPromise(Effect.provide(effect, TestContext.TestContext))
}

/** Calls that note where they went, and never end. */
function calling(slots: CallSlots, begun: string[]) {
  return (receiver: string) =>
    Effect.fork(
      slots.run(
        { receiver, waitMsMax: WAIT_MS },
        Effect.zipRight(
          Effect.sync(() => begun.push(receiver)),
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
      const behind = yield* slots.run({ receiver: "dead", waitMsMax: WAIT_MS }, Effect.succeed("made"))
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
      const died = yield* Effect.exit(
        slots.run({ receiver: "one", waitMsMax: WAIT_MS }, Effect.die("no route")),
      )
      const last = yield* slots.run({ receiver: "three", waitMsMax: WAIT_MS }, Effect.succeed("made"))
      return { last, hasDied: Exit.isFailure(died) }
    }),
  )
  expect(made).toEqual({ last: "made", hasDied: true })
})
