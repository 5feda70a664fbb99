/** When a node counts as stopped, by the watcher's own clock; and lost calls in a restored embedded database. */

import { setImmediate } from "node:timers/promises"
import { Effect, Fiber, Layer } from "effect"
import { expect, test } from "vitest"
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import { NODE_GONE_MS } from "../../../src/live/configuration/bounds.ts"
import { layerQuietHost } from "../../../src/live/services/management.ts"
import type { LiveHost } from "../../../src/live/host/live-host.ts"
import { goneSince, watchNodes } from "../../../src/live/host/node-watch.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { OutsideWorld } from "../../../src/simulation/outside-world.ts"
import { openTestDatabase } from "../../conformance/live.ts"
import { plantDeliveries, startNode, stateOf, until } from "./nodes.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { NodeRows } from "../../../src/engine/store/node-rows.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { SteppedClock } from "./stepped-clock.ts"

const START_MS = Date.parse("2026-03-02T12:00:00Z")

const idsOf = (found: ReturnType<typeof goneSince>) => found.map(({ nodeId }) => nodeId)

test("a node whose heart stands still for the whole bound is gone, and one that beats is not", () => {
  const seen = new Map()
  const look = (atMs: number, beating: number) =>
    idsOf(
      goneSince(
        seen,
        [
          { nodeId: "still", beats: 7 },
          { nodeId: "beating", beats: beating },
        ],
        atMs,
      ),
    )
  expect(look(1_000, 1)).toEqual([])
  expect(look(1_000 + NODE_GONE_MS - 1, 2)).toEqual([])
  expect(look(1_000 + NODE_GONE_MS, 3)).toEqual(["still"])
})

test("a watcher that comes late waits the whole bound, and a node that beats again begins anew", () => {
  const seen = new Map()
  const look = (atMs: number, beats: number) => idsOf(goneSince(seen, [{ nodeId: "one", beats }], atMs))
  expect(look(900_000, 3)).toEqual([])
  expect(look(900_000 + NODE_GONE_MS, 4)).toEqual([])
  expect(look(900_000 + 2 * NODE_GONE_MS - 1, 4)).toEqual([])
  expect(look(900_000 + 2 * NODE_GONE_MS, 4)).toEqual(["one"])
  // Its row is gone, and comes back.
  expect(goneSince(seen, [], 950_000)).toEqual([])
  expect(look(990_000, 4)).toEqual([])
})

test.each([
  ["put forward by an hour", HOUR_MS],
  ["set back by ten minutes", -10 * MINUTE_MS],
])("a watcher whose clock is %s finds a node gone after the same time", async (_, stepMs) => {
  const clock = new SteppedClock(START_MS)
  const removed: number[] = []
  const rows = {
    beat: () => Routine.void,
    all: Routine.sync(() => [
      { nodeId: "own", beats: clock.nowMs },
      { nodeId: "other", beats: 7 },
    ]),
    remove: () => Routine.sync(() => void removed.push(clock.nowMs - START_MS)),
  } as unknown as NodeRows
  const host = { node: "own", resendLost: Effect.succeed("none") } as unknown as LiveHost
  const watch = Effect.runFork(Effect.withClock(watchNodes({ host, rows, type: "postgres" }), clock))
  for (let second = 0; second <= NODE_GONE_MS / SECOND_MS; second += 1) {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
    expect(removed).toEqual(second * SECOND_MS >= NODE_GONE_MS ? [NODE_GONE_MS] : [])
    if (second === 1) clock.step(stepMs)
    clock.nowMs += SECOND_MS
    clock.wakeOne()
  }
  await Effect.runPromise(Fiber.interrupt(watch))
})

test("PGlite: a command over the database is no node: without a heartbeat it would be reported as gone", async () => {
  const database = openTestDatabase(layerCopiedPglite)
  const shared = Layer.succeedContext(await database.context)
  const reading = Effect.gen(function* () {
    yield* ActorHost
    return yield* new NodeRows(yield* Database).all
  })
  const during = await Effect.runPromise(reading.pipe(Effect.provide(layerQuietHost), Effect.provide(shared)))
  expect(during).toEqual([])
  await database.close()
})

test("PGlite: a call that was lost before a restore leaves again when calls are released, long before its lease ends", async () => {
  const url = "https://good.partner.example/events"
  const database = openTestDatabase(layerCopiedPglite)
  const shared = Layer.succeedContext(await database.context)
  const world = new OutsideWorld()
  world.script(url, [{ type: "timeout" }, { type: "status", status: 200, afterMs: 1 }])
  const lost = await startNode(shared, world, { wakesUp: false })
  const plan = { webhookId: "w", url, count: 1, backoffMs: [HOUR_MS], leaseMs: HOUR_MS }
  const [id = ""] = await plantDeliveries(lost, plan)
  await until(() => world.receivedAt(url).length === 1)
  await lost.crash()
  let isHeld = true
  let asked = 0
  const mayCall = (): boolean => {
    asked += 1
    return !isHeld
  }
  const restored = await startNode(shared, world, { mayCall })
  // The wake-up reads at once and then every half second; at the third read the watch has read once.
  await until(() => asked > 2)
  expect(world.receivedAt(url)).toHaveLength(1)
  isHeld = false
  await until(async () => (await stateOf(restored, id)) === "delivered")
  expect(world.receivedAt(url)).toHaveLength(2)
  await restored.stop()
  await database.close()
})
