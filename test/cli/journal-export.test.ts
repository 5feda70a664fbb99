/** `curbline journal export` to a reader that is slow, and to one that has stopped reading. */

import { Writable } from "node:stream"
import { Cause, Effect, Exit, Fiber, TestClock, TestContext } from "effect"
import { expect, test } from "vitest"
import { UNREAD_MS_MAX, writtenTo } from "../../src/cli/records/journal.ts"
import { CommandFailed } from "../../src/cli/kit/usage-error.ts"

/** The pieces of which end inside of a letter of two units, if they are counted in units. */
const TEXT = `x${"\u{1f600}".repeat(100_000)}`

/** A stream whose reader takes the next piece with `take`. */
function reader() {
  const taken: Buffer[] = []
  let next: (() => void) | null = null
  const stream = new Writable({
    write: (piece: Buffer, _, done) => {
      next = () => {
        taken.push(piece)
        done()
      }
    },
  })
  const take = (): boolean => {
    const one = next
    next = null
    one?.()
    return one !== null
  }
  return { stream, taken, take }
}

const inTestTime = <A>(effect: Effect.Effect<A>) =>
  Effect.runPromise(Effect.provide(effect, TestContext.TestContext))

/** The streams of Node go on between two turns of the event loop. */
const turn = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))

test("a reader that takes a piece now and then gets the whole text, however long that takes", async () => {
  const { stream, taken, take } = reader()
  const exit = await inTestTime(
    Effect.gen(function* () {
      const writing = yield* Effect.fork(writtenTo(stream, TEXT))
      for (let piece = 0; piece < 10; piece += 1) {
        yield* turn
        yield* TestClock.adjust(UNREAD_MS_MAX - 1)
        take()
      }
      yield* turn
      return yield* Fiber.await(writing)
    }),
  )
  expect([Exit.isSuccess(exit), Buffer.concat(taken).toString() === TEXT]).toEqual([true, true])
})

test("one that takes nothing for ten minutes ends the export, which says what to do", async () => {
  const { stream, take } = reader()
  const exit = await inTestTime(
    Effect.gen(function* () {
      const writing = yield* Effect.fork(writtenTo(stream, TEXT))
      yield* turn
      take()
      yield* turn
      yield* TestClock.adjust(UNREAD_MS_MAX)
      return yield* Effect.raceFirst(Fiber.await(writing), Effect.as(turn, Exit.void))
    }),
  )
  const cause = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
  expect(cause).toBeInstanceOf(CommandFailed)
  expect((cause as Error).message).toContain("write to a file with --out")
})
