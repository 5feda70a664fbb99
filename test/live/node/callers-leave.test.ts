/** Commands whose callers disconnect: dropped before the first transaction, finished after it. */

import { Cause, Effect, Exit, Layer } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { CallerLeft, CallerPresence } from "../../../src/engine/services/presence.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { OutsideWorld } from "../../../src/simulation/outside-world.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { openTestDatabase } from "../../conformance/live.ts"
import type { TestDatabase } from "../../conformance/live.ts"
import { startNode } from "./nodes.ts"
import type { Node } from "./nodes.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"

let database: TestDatabase
let node: Node
beforeAll(async () => {
  database = openTestDatabase(layerCopiedPglite)
  node = await startNode(Layer.succeedContext(await database.context), new OutsideWorld(), { wakesUp: false })
})
afterAll(async () => {
  await node.stop()
  await database.close()
})

type Presence = CallerPresence["Type"]

function callerOf(hasLeft: () => boolean): Presence {
  return { hasLeft, hasCommitted: false, stepAside: () => () => false, takePlace: async () => undefined }
}

const EMPTY = { name: "a test", locks: {}, body: () => Routine.from(Effect.void) }

/** Two transactions one after the other, as a command with a call between them has. */
const twice = (during: () => void, done: string[]) =>
  Effect.gen(function* () {
    const host = yield* ActorHost
    for (const name of ["first", "second"]) {
      yield* host.run({
        name: `the ${name}`,
        locks: {},
        body: () =>
          Routine.from(
            Effect.sync(() => {
              done.push(name)
            }),
          ),
      })
      during()
    }
  })

async function run(presence: Presence, during: () => void = () => undefined) {
  const done: string[] = []
  const exit = await node.run(
    Effect.exit(Effect.provideService(twice(during, done), CallerPresence, presence)),
  )
  const defects = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : []
  return { done, defects }
}

test("a command whose caller has left before its first transaction is dropped", async () => {
  const { done, defects } = await run(callerOf(() => true))
  expect(done).toEqual([])
  expect(defects).toEqual([new CallerLeft()])
})

test("a command that has committed something is finished, even if its caller leaves", async () => {
  let isGone = false
  const { done, defects } = await run(
    callerOf(() => isGone),
    () => {
      isGone = true
    },
  )
  expect([done, defects]).toEqual([["first", "second"], []])
})

test("a command without an HTTP request has no caller who could leave", async () => {
  const done: string[] = []
  await node.run(twice(() => undefined, done))
  expect(done).toEqual(["first", "second"])
})

test("a caller who leaves while a transaction waits for the database is seen when it begins", async () => {
  let isGone = false
  const done: string[] = []
  const presence = callerOf(() => isGone)
  const exit = await node.run(
    Effect.gen(function* () {
      const host = yield* ActorHost
      const before = host.run({
        name: "a test",
        locks: {},
        body: () =>
          Routine.from(
            Effect.sync(() => {
              isGone = true
            }),
          ),
      })
      const behind = Effect.provideService(
        twice(() => undefined, done),
        CallerPresence,
        presence,
      )
      const [, ended] = yield* Effect.all([before, Effect.exit(behind)], { concurrency: 2 })
      return ended
    }),
  )
  expect([Exit.isFailure(exit), done]).toEqual([true, []])
})

test("the database says how long each transaction waited before it began", async () => {
  const waits: number[] = []
  await node.run(
    Effect.gen(function* () {
      const { waits: told } = yield* Database
      told.onWait = (ms) => waits.push(ms)
      const host = yield* ActorHost
      yield* Effect.all([host.run(EMPTY), host.run(EMPTY)], { concurrency: 2 })
      told.onWait = () => undefined
    }),
  )
  expect(waits).toHaveLength(2)
  expect(waits.every((ms) => ms >= 0)).toBe(true)
})
