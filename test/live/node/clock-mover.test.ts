/** The move of a clock that fails: what the log has of it, and that it is tried until it works. */

import { Effect, Fiber, HashMap, Layer, Logger, TestClock, TestContext } from "effect"
import { expect, test } from "vitest"
import { ClockHost, CoursePlayer } from "../../../src/areas/clock/moves.ts"
import { ClockRows } from "../../../src/areas/clock/rows.ts"
import { ClockMover } from "../../../src/areas/clock/sandbox-clock.ts"
import { layerClockMover } from "../../../src/live/host/clock-moves.ts"
import { SECOND_MS } from "../../../src/model/values/time.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { Database } from "../../../src/engine/store/database.ts"

test("a move that fails each second is one line, then one a minute, and goes on when it can", async () => {
  let isAway = true
  const lines: [string, unknown][] = []
  const logger = Logger.make(({ message, annotations }) => {
    lines.push([String(message), Object.fromEntries(HashMap.toEntries(annotations))])
  })
  const unused = <Port>(): Port => ({}) as Port
  const rows = {
    ...unused<ClockRows["Type"]>(),
    move: () => Routine.suspend(() => (isAway ? Routine.die(new Error("away")) : Routine.succeed(null))),
  }
  const needs = Layer.mergeAll(
    Layer.succeed(ActorHost, unused()),
    Layer.succeed(ClockHost, { ...unused<ClockHost["Type"]>(), node: "node_1" }),
    Layer.succeed(ClockRows, rows),
    Layer.succeed(CoursePlayer, unused()),
    Layer.succeed(Database, unused()),
  )
  const moving = Effect.gen(function* () {
    const { begin } = yield* ClockMover
    const begun = yield* Effect.fork(begin("move_1"))
    for (let second = 0; second < 130; second += 1) yield* TestClock.adjust(SECOND_MS)
    isAway = false
    yield* TestClock.adjust(SECOND_MS)
    yield* Fiber.join(begun)
  })
  await Effect.runPromise(
    moving.pipe(
      Effect.provide(Layer.provide(layerClockMover(false), needs)),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.provide(TestContext.TestContext),
    ),
  )
  const failed = "the move move_1 of a clock failed"
  expect(lines.map(([text]) => text)).toEqual([
    failed,
    failed,
    failed,
    "the move move_1 of a clock works again",
  ])
})
