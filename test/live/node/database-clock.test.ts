/** A node whose clock differs from that of PostgreSQL says so, and does not start when it differs by too much. */

import { Duration, Effect, Exit, Layer, Logger, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { DatabaseClock, clockNote, layerDatabaseClock } from "../../../src/live/host/database-clock.ts"
import { layerPostgres } from "../../../src/engine/store/database.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"
import { startPostgres } from "../../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../../engine/store/postgres-server.ts"
import { fastClock } from "./fast-clock.ts"
import { until } from "./nodes.ts"

let server: PostgresDatabase
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

interface Node {
  readonly aheadMs: () => number | null
  /** Sets the node's clock to be so far off the machine's. */
  readonly set: (offMs: number) => void
  readonly lines: readonly string[]
  readonly stop: () => Promise<void>
}

/** Its pauses take no time, so that it compares all the time. */
async function startNode(offMs: number, secondsMax: number | null = 60): Promise<Exit.Exit<Node, unknown>> {
  const lines: string[] = []
  const time = { startMs: 0, hostStartMs: 0, speed: 1 }
  const set = (ms: number): void => void (time.startMs = ms)
  set(offMs)
  const clock = {
    ...fastClock(time),
    sleep: () => Effect.sleep(Duration.millis(20)).pipe(Effect.withClock(HOST)),
  }
  const layer = layerDatabaseClock(secondsMax === null ? null : secondsMax * 1_000).pipe(
    Layer.provide(layerPostgres(server.url)),
    Layer.provide(Layer.setClock(clock)),
    Layer.provide(
      Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void lines.push(String(message))),
      ),
    ),
  )
  const runtime = ManagedRuntime.make(layer)
  const exit = await Effect.runPromiseExit(runtime.runtimeEffect)
  if (Exit.isFailure(exit)) return Exit.failCause(exit.cause)
  const { aheadMs } = await runtime.runPromise(DatabaseClock)
  return Exit.succeed({ aheadMs, set, lines, stop: () => runtime.dispose() })
}

const HOST = fastClock({ startMs: 0, hostStartMs: 0, speed: 1 })

async function started(offMs: number, secondsMax?: number | null): Promise<Node> {
  const exit = await startNode(offMs, secondsMax)
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return exit.value
}

describe("the clock of a node", () => {
  test("that agrees with the database's is not worth a word", async () => {
    const node = await started(0)
    expect(Math.abs(node.aheadMs() ?? Infinity)).toBeLessThan(5_000)
    expect([clockNote(node.aheadMs()), node.lines]).toEqual([null, []])
    await node.stop()
  })

  test.each([
    [
      90_000,
      /^the clock of this node is (?:89|90)\.\d s ahead of the database's, so timers of every node would fire early/,
    ],
    [
      -61_500,
      /^the clock of this node is 6[01]\.\d s behind the database's, so timers of every node would fire late/,
    ],
  ])("that differs by %s ms keeps it from starting, unless that is allowed", async (offMs, problem) => {
    const exit = await startNode(offMs)
    expect(Exit.isFailure(exit)).toBe(true)
    const [fault] = Exit.isFailure(exit) ? exit.cause.toString().split("\n") : []
    expect(fault?.replace(/^[^:]*: /, "")).toMatch(problem)
    const node = await started(offMs, null)
    expect(Math.abs((node.aheadMs() ?? 0) - offMs)).toBeLessThan(5_000)
    await node.stop()
  })

  test("that goes wrong while it runs is noted and logged, and so is that it is right again", async () => {
    const node = await started(0)
    node.set(5_000)
    await until(() => clockNote(node.aheadMs()) !== null)
    expect(clockNote(node.aheadMs())).toMatch(
      /^the clock of this node is [45]\.\d s ahead of the database's: what is due happens early on this node$/,
    )
    await until(() => node.lines.some((line) => line.includes("ahead of the database's")))
    node.set(0)
    await until(() => node.lines.at(-1) === "the clock of this node agrees with the database's again")
    expect(clockNote(node.aheadMs())).toBeNull()
    await node.stop()
  })

  test("is that of the embedded database", async () => {
    const asked = Effect.map(DatabaseClock, ({ aheadMs }) => aheadMs())
    const layer = layerDatabaseClock(60_000).pipe(Layer.provide(layerCopiedPglite))
    expect(await Effect.runPromise(Effect.provide(asked, layer))).toBeNull()
  })
})
