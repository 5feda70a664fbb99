/** Questions that share a statement: who shares, and what becomes of the others when one goes away. */

import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { expect, test } from "vitest"
import { batchLoader } from "../../../src/engine/store/batch-loader.ts"
import { Prefetched, SqlTransaction } from "../../../src/engine/store/transaction.ts"
import type { OpenTransaction } from "../../../src/engine/store/transaction.ts"

/** Answers of "a" to "y" are the letter twice; of "z" there is none. `asked` gets each statement's ids. */
function letters(whenAsked: Effect.Effect<void> = Effect.void) {
  const asked: (readonly string[])[] = []
  const twice = batchLoader((ids) =>
    Effect.as(
      Effect.zipRight(
        Effect.sync(() => asked.push(ids)),
        whenAsked,
      ),
      new Map(ids.filter((id) => id !== "z").map((id) => [id, id + id])),
    ),
  )
  return { asked, twice }
}

test("those who ask in one moment share a statement, each gets its own answer, and who asks later asks anew", async () => {
  const { asked, twice } = letters()
  const all = Effect.forEach(["a", "b", "z", "a"], twice, { concurrency: "unbounded" })
  expect(await Effect.runPromise(all)).toEqual(["aa", "bb", null, "aa"])
  expect(await Effect.runPromise(twice("a"))).toBe("aa")
  expect(asked).toEqual([["a", "b", "z"], ["a"]])
})

test("who asks while a statement is under way does not join it: it may have read already", async () => {
  const gate = Effect.runSync(Deferred.make<void>())
  const { asked, twice } = letters(Deferred.await(gate))
  const both = Effect.gen(function* () {
    const first = yield* Effect.fork(twice("a"))
    while (asked.length === 0) yield* Effect.yieldNow()
    const second = yield* Effect.fork(twice("a"))
    while (asked.length === 1) yield* Effect.yieldNow()
    yield* Deferred.succeed(gate, undefined)
    return yield* Effect.all([Fiber.join(first), Fiber.join(second)])
  })
  expect(await Effect.runPromise(both)).toEqual(["aa", "aa"])
})

test("the first may be interrupted: the others get their answers", async () => {
  const gate = Effect.runSync(Deferred.make<void>())
  const { asked, twice } = letters(Deferred.await(gate))
  const others = Effect.gen(function* () {
    const [first, second] = yield* Effect.all([Effect.fork(twice("a")), Effect.fork(twice("b"))])
    while (asked.length === 0) yield* Effect.yieldNow()
    yield* Fiber.interrupt(first)
    yield* Deferred.succeed(gate, undefined)
    return yield* Fiber.join(second)
  })
  expect(await Effect.runPromise(others)).toBe("bb")
})

test("a failed statement fails all look-ups that shared it, and no others", async () => {
  let fails = true
  const ask = batchLoader((ids) =>
    fails ? Effect.dieMessage("no database") : Effect.succeed(new Map(ids.map((id) => [id, id]))),
  )
  const ends = Effect.forEach(["a", "b"], (id) => Effect.exit(ask(id)), { concurrency: "unbounded" })
  for (const end of await Effect.runPromise(ends)) {
    expect(Exit.isFailure(end) && Cause.pretty(end.cause)).toContain("no database")
  }
  fails = false
  expect(await Effect.runPromise(ask("a"))).toBe("a")
})

test("inside a transaction or a look at prefetched rows each is asked alone: its answer is what is seen there", async () => {
  const { asked, twice } = letters()
  const inside = Effect.provideService(twice("a"), SqlTransaction, {} as OpenTransaction)
  const looking = Effect.provideService(twice("c"), Prefetched, { rows: new Map() })
  const all = Effect.all([inside, twice("b"), looking], { concurrency: "unbounded" })
  expect(await Effect.runPromise(all)).toEqual(["aa", "bb", "cc"])
  expect(asked.map((ids) => ids.join()).toSorted()).toEqual(["a", "b", "c"])
})

// A fiber yields after 2,048 steps, at any point of its work.
test("wherever callers take turns, each gets its answer, and none waits forever", async () => {
  for (let steps = 2_000; steps <= 2_060; steps += 1) {
    const { twice } = letters()
    const late = Effect.forEach(Array.from({ length: steps }), () => Effect.sync(() => undefined)).pipe(
      Effect.zipRight(twice("a")),
    )
    const both = Effect.gen(function* () {
      const fibers = yield* Effect.forEach([late, twice("b"), late], (one) => Effect.fork(one))
      const answers = yield* Effect.forEach(fibers, Fiber.join)
      const lost = yield* Effect.fork(late)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(lost)
      return [...answers, yield* twice("c")]
    })
    expect(await Effect.runPromise(both), `after ${steps} steps`).toEqual(["aa", "bb", "aa", "cc"])
  }
})
