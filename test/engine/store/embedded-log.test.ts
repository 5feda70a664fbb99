/** The write-ahead log of the embedded database: how long it grows, and what a start after a kill reads of it. */

import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PGlite } from "@electric-sql/pglite"
import { Effect, Logger, TestClock, TestContext } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { CHECKPOINT_LOG_BYTES, CHECKPOINT_LOOK_MS } from "../../../src/engine/store/bounds.ts"
import { Database, layerPglite } from "../../../src/engine/store/database.ts"
import { bytesToReplay, logBytes } from "../../../src/engine/store/embedded-log.ts"
import { until } from "../../live/node/nodes.ts"
import { copyTemplateTo } from "./embedded-template.ts"

let root = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "curbline-log-"))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** With the clock of tests, and what it logs. */
async function withDatabase(
  folder: string,
  body: (client: PGlite) => Effect.Effect<void>,
): Promise<readonly string[]> {
  const lines: string[] = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  const work = Effect.gen(function* () {
    const { jobs } = yield* Database
    if (!("client" in jobs)) throw new Error("not the embedded database")
    yield* body(jobs.client())
  })
  await Effect.runPromise(
    work.pipe(
      Effect.provide(layerPglite({ folder })),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.provide(TestContext.TestContext),
    ),
  )
  return lines
}

/** Rows of a thousand bytes that fill more than one interval between checkpoints. */
const writing = (client: PGlite): Effect.Effect<void> =>
  Effect.promise(async () => {
    await client.exec("create table if not exists filled (body text)")
    const rows = Math.ceil((1.2 * CHECKPOINT_LOG_BYTES) / 1_000)
    await client.exec(
      `insert into filled select repeat('x', 1000) from generate_series(1, ${rows}); truncate filled`,
    )
  })

test("the log that a start after a kill would read is short again within a look, however much was written", async () => {
  const folder = join(root, "database")
  copyTemplateTo(folder)
  await withDatabase(folder, (client) =>
    Effect.gen(function* () {
      yield* writing(client)
      expect(yield* Effect.promise(() => logBytes(client))).toBeGreaterThan(CHECKPOINT_LOG_BYTES)
      yield* TestClock.adjust(CHECKPOINT_LOOK_MS)
      yield* Effect.promise(() => until(async () => (await logBytes(client)) < CHECKPOINT_LOG_BYTES / 8))
    }),
  )
})

test("a start after a kill says how much it reads, and one after a stop says nothing", async () => {
  const folder = join(root, "database")
  const killed = join(root, "killed", "database")
  expect(bytesToReplay(folder)).toBe(0)
  copyTemplateTo(folder)
  const first = await withDatabase(folder, (client) =>
    Effect.gen(function* () {
      yield* writing(client)
      // The files as they are now are what a kill would leave.
      cpSync(folder, killed, { recursive: true })
    }),
  )
  expect(first).toEqual([])
  const bytes = bytesToReplay(killed)
  expect(bytes).toBeGreaterThan(CHECKPOINT_LOG_BYTES)
  const [before, after] = await withDatabase(killed, () => Effect.void)
  expect(before).toContain(`up to ${bytes / 1_048_576} MiB of log`)
  expect(after).toMatch(/^the embedded database is open again after \d/)
  expect(bytesToReplay(killed)).toBe(0)
  expect(await withDatabase(killed, () => Effect.void)).toEqual([])
})
