/**
 * Batches of call results: no result waits for others, results that arrive meanwhile share a batch, failures affect
 * only their own item.
 */

import { Deferred, Effect, Exit, Fiber } from "effect"
import { expect, test } from "vitest"
import { Batches } from "../../../src/live/concurrency/batches.ts"

const BOUNDS = { atOnceMax: 1, sizeMax: 3, company: Effect.void }

/** Batches whose first waits to be let go; what each was given, in order. */
function held(fails: (item: number) => boolean = () => false) {
  const given: (readonly number[])[] = []
  const gate = Effect.runSync(Deferred.make<void>())
  const batches = new Batches<number>(BOUNDS, (items) =>
    Effect.gen(function* () {
      given.push(items)
      if (given.length === 1) yield* Deferred.await(gate)
      if (items.some(fails)) return yield* Effect.die(new Error(`not ${items.join()}`))
    }),
  )
  const add = (item: number): Effect.Effect<Fiber.Fiber<void>> =>
    Effect.tap(Effect.fork(batches.add(item)), () => Effect.yieldNow())
  return { given, gate, add, forget: () => batches.forget() }
}

test("the first is begun at once; what comes meanwhile shares the next, up to its size", async () => {
  const { given, gate, add } = held()
  await Effect.runPromise(
    Effect.gen(function* () {
      const fibers = yield* Effect.forEach([1, 2, 3, 4, 5], add)
      expect(given).toEqual([[1]])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll(fibers)
    }),
  )
  expect(given).toEqual([[1], [2, 3, 4], [5]])
})

test("another at the same time is begun for a whole batch, and for less the next one waits", async () => {
  const given: (readonly number[])[] = []
  const gate = Effect.runSync(Deferred.make<void>())
  const batches = new Batches<number>({ ...BOUNDS, atOnceMax: 2 }, (items) =>
    Effect.zipRight(
      Effect.sync(() => given.push(items)),
      items.includes(1) ? Deferred.await(gate) : Effect.void,
    ),
  )
  await Effect.runPromise(
    Effect.gen(function* () {
      const add = (item: number) => Effect.tap(Effect.fork(batches.add(item)), () => Effect.yieldNow())
      const first = yield* Effect.forEach([1, 2, 3], add)
      yield* Effect.yieldNow()
      expect(given).toEqual([[1]])
      const more = yield* Effect.forEach([4], add)
      yield* Fiber.joinAll([...first.slice(1), ...more])
      expect(given).toEqual([[1], [2, 3, 4]])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll(first)
    }).pipe(Effect.ensuring(Deferred.succeed(gate, undefined))),
  )
})

test("a batch that fails is taken apart: only the one that is at fault fails", async () => {
  const { given, gate, add } = held((item) => item === 3)
  const ends = await Effect.runPromise(
    Effect.gen(function* () {
      const fibers = yield* Effect.forEach([1, 2, 3, 4], add)
      yield* Deferred.succeed(gate, undefined)
      return yield* Effect.forEach(fibers, Fiber.await)
    }),
  )
  expect(ends.map(Exit.isSuccess)).toEqual([true, true, false, true])
  expect(given).toEqual([[1], [2, 3, 4], [2], [3], [4]])
})

test("the item of a caller that is interrupted is done before the caller ends", async () => {
  const { given, gate, add } = held()
  await Effect.runPromise(
    Effect.gen(function* () {
      const fibers = yield* Effect.all([add(1), add(2), add(3)])
      const stopping = yield* Effect.fork(Fiber.interruptAll(fibers.slice(0, 2)))
      yield* Effect.yieldNow()
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(stopping)
      expect(given).toEqual([[1], [2, 3]])
    }),
  )
})

test("items that no batch has taken are forgotten, and those of a batch that has begun are done", async () => {
  const batches = held()
  await Effect.runPromise(
    Effect.gen(function* () {
      const fibers = yield* Effect.forEach([1, 2, 3], batches.add)
      expect(batches.forget()).toBe(2)
      yield* Deferred.succeed(batches.gate, undefined)
      const ends = yield* Effect.forEach(fibers, Fiber.await)
      expect(ends.map(Exit.isSuccess)).toEqual([true, false, false])
      yield* Fiber.join(yield* batches.add(4))
    }),
  )
  expect(batches.given).toEqual([[1], [4]])
})

test("items of the same instant share the first batch, and an empty batch is not begun", async () => {
  const given: (readonly number[])[] = []
  const instant = Effect.runSync(Deferred.make<void>())
  const bounds = { ...BOUNDS, atOnceMax: 2, company: Deferred.await(instant) }
  const batches = new Batches<number>(bounds, (items) => Effect.sync(() => given.push(items)))
  await Effect.runPromise(
    Effect.gen(function* () {
      const add = (item: number) => Effect.tap(Effect.fork(batches.add(item)), () => Effect.yieldNow())
      const fibers = yield* Effect.forEach([1, 2, 3], add)
      expect(given).toEqual([])
      yield* Deferred.succeed(instant, undefined)
      yield* Fiber.joinAll(fibers)
    }),
  )
  expect(given).toEqual([[1, 2, 3]])
})
