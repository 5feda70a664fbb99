/** How a host answers the requests of a routine without a fiber. */

import { Clock, Context, Effect, Exit, Fiber, FiberRefs } from "effect"
import { describe, expect, test } from "vitest"
import { inFiber, answerTo, answersTo } from "../../../src/engine/services/answering.ts"
import type { Answering } from "../../../src/engine/services/answering.ts"
import { Routine } from "../../../src/engine/services/routine.ts"

class Place extends Context.Tag("Place")<Place, { readonly name: string }>() {}

const hosted: Answering = {
  services: Context.make(Place, { name: "the host's" }),
  clock: Clock.make(),
  refs: FiberRefs.empty(),
  run: inFiber,
}

const namedPlace = Routine.gen(function* () {
  return (yield* Place).name
})

/** A read that takes a round trip. */
function awaited<A>(value: A, read: () => void = () => undefined): Routine<A> {
  return Routine.answeredBy(() => {
    read()
    return Promise.resolve(value)
  })
}

describe("the ports of a body", () => {
  test("are those of its host, and in a fiber those of the fiber", async () => {
    expect(answerTo(namedPlace, hosted)).toBe("the host's")
    const inOwnFiber = Effect.provideService(namedPlace, Place, { name: "the fiber's" })
    expect(await Effect.runPromise(inOwnFiber)).toBe("the fiber's")
  })

  test("an Effect that a body runs has its own, and the body its own again", () => {
    const body = Routine.gen(function* () {
      const inside = yield* Routine.suspend(() =>
        Effect.gen(function* () {
          return [yield* namedPlace, (yield* Place).name]
        }).pipe(Effect.provideService(Place, { name: "the Effect's" })),
      )
      return [...inside, (yield* Place).name, yield* namedPlace]
    })
    expect(answerTo(body, hosted)).toEqual(["the Effect's", "the Effect's", "the host's", "the host's"])
  })

  test("with one more port only inside", () => {
    const body = Routine.gen(function* () {
      const inside = yield* Routine.provideService(namedPlace, Place, { name: "one more" })
      return [inside, (yield* Place).name]
    })
    expect(answerTo(body, hosted)).toEqual(["one more", "the host's"])
  })
})

describe("answers that come later", () => {
  test("a body goes on with them, on its own ports", async () => {
    const body = Routine.gen(function* () {
      const first = yield* awaited(1)
      const name = yield* namedPlace
      return [first, name, yield* awaited(2)]
    })
    const answer = answerTo(body, hosted)
    expect(answer).toBeInstanceOf(Promise)
    expect(await answer).toEqual([1, "the host's", 2])
  })

  test("all reads of a batch begin, and it fails with the first failure", async () => {
    const begun: string[] = []
    const noted = (name: string) => Routine.sync(() => begun.push(name))
    const failing = (name: string) => Routine.flatMap(noted(name), () => Routine.fail(name))
    expect(() => answersTo([failing("a"), failing("b"), noted("c")], hosted)).toThrow(
      expect.objectContaining({ error: "a" }),
    )
    const later = Routine.flatMap(awaited(0), () => failing("d"))
    await expect(answersTo([later, failing("e")], hosted)).rejects.toMatchObject({ error: "d" })
    await expect(answersTo([awaited(1), failing("f")], hosted)).rejects.toMatchObject({ error: "f" })
    expect(begun).toEqual(["a", "b", "c", "e", "d", "f"])
  })
})

test("reads ahead are made only where a transaction keeps what it read", async () => {
  let reads = 0
  const ahead = Routine.ahead(awaited(1, () => (reads += 1)))
  expect(answerTo(ahead, hosted)).toBeUndefined()
  expect(reads).toBe(0)
  expect(await answerTo(ahead, { ...hosted, readsAhead: true })).toBeUndefined()
  expect(reads).toBe(1)
})

describe("a routine in a fiber", () => {
  test("is answered at once where nothing waits, and fails, dies and waits as an Effect does", async () => {
    const failing = Routine.flatMap(awaited(1), () => Routine.fail("no room"))
    const here = Effect.provideService(namedPlace, Place, { name: "the fiber's" })
    expect(Effect.runSync(here)).toBe("the fiber's")
    expect(await Effect.runPromise(Effect.flip(failing))).toBe("no room")
    expect(await Effect.runPromiseExit(Routine.dieMessage("broken"))).toMatchObject({
      cause: { _tag: "Die", defect: { message: "broken" } },
    })
  })

  test("that is interrupted aborts what waits for the outside, and begins nothing more", async () => {
    const seen: string[] = []
    const waiting = Routine.answeredBy<void>(
      ({ signal }) =>
        new Promise((resolve) => {
          signal?.addEventListener("abort", () => {
            seen.push("aborted")
            resolve()
          })
        }),
    )
    const routine = Routine.flatMap(waiting, () => Routine.sync(() => seen.push("went on")))
    const fiber = Effect.runFork(routine)
    const exit = await Effect.runPromise(Fiber.interrupt(fiber))
    expect(Exit.isInterrupted(exit)).toBe(true)
    expect(seen).toEqual(["aborted"])
  })

  test("ends before its interruption does where it must not be interrupted", async () => {
    const gate = Promise.withResolvers<void>()
    const seen: string[] = []
    const whole = Routine.flatMap(
      Routine.answeredBy<void>(() => gate.promise),
      () => Routine.sync(() => seen.push("written")),
    )
    const fiber = Effect.runFork(Routine.uninterruptible(whole))
    const interrupted = Effect.runPromise(Fiber.interrupt(fiber)).then(() => seen.push("interrupted"))
    gate.resolve()
    await interrupted
    expect(seen).toEqual(["written", "interrupted"])
  })
})
