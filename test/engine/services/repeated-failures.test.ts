/** What the log has of work that fails again and again, and of its end. */

import { Effect, HashMap, Logger, TestClock, TestContext } from "effect"
import { expect, test } from "vitest"
import { repeatedFailures } from "../../../src/engine/services/repeated-failures.ts"
import { SECOND_MS } from "../../../src/model/values/time.ts"

test("an outage is one line, then one a minute, and a line at its end", async () => {
  const lines: [string, unknown][] = []
  const logger = Logger.make(({ message, annotations }) => {
    lines.push([String(message), Object.fromEntries(HashMap.toEntries(annotations))])
  })
  const inRounds = repeatedFailures("the look")
  const round = (isAway: boolean) =>
    inRounds(isAway ? Effect.die(new Error("away")) : Effect.succeed("done"), "failed")
  const rounds = Effect.gen(function* () {
    const values = [yield* round(false)]
    for (let second = 0; second < 130; second += 1) {
      values.push(yield* round(true))
      yield* TestClock.adjust(SECOND_MS)
    }
    values.push(yield* round(false), yield* round(false), yield* round(true))
    return values
  })
  const values = await Effect.runPromise(
    rounds.pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.provide(TestContext.TestContext),
    ),
  )
  expect(new Set(values.slice(1, -3))).toEqual(new Set(["failed"]))
  expect(values.at(-2)).toBe("done")
  expect(lines).toEqual([
    ["the look failed", {}],
    ["the look failed", { failures: 61 }],
    ["the look failed", { failures: 121 }],
    ["the look works again", { failures: 130 }],
    ["the look failed", {}],
  ])
})
