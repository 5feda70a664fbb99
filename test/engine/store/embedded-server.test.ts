/**
 * The server of the embedded database ends while the process goes on. A folder in the place of a file that each checkpoint
 * writes ends it as a full disk does, with a PANIC, and no attempt to open it again succeeds until the folder is gone.
 */

import fs, { mkdirSync, mkdtempSync, rmdirSync, statfsSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { sql } from "drizzle-orm"
import { Cause, Effect, Exit, Logger, TestClock, TestContext } from "effect"
import { afterEach, expect, test, vi } from "vitest"
import { backupOf } from "../../../src/live/start/backup.ts"
import { ReadinessNotes, databaseFound, readinessOf } from "../../../src/live/observation/readiness.ts"
import { isOutage } from "../../../src/model/outage.ts"
import { REOPEN_PAUSE_MS } from "../../../src/engine/store/bounds.ts"
import { Database, layerPglite } from "../../../src/engine/store/database.ts"
import { inTransaction, sqlOver } from "../../../src/engine/store/transaction.ts"
import { copyTemplateTo } from "./embedded-template.ts"

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

const SECRET = "s".repeat(32)
const IN_ORDER = { isStopping: false, silentMs: 0, sheddingMs: 0, notes: new ReadinessNotes() }
const ready = Effect.map(databaseFound, (found) => readinessOf(IN_ORDER, found))

const write = Effect.flatMap(Database, (database) =>
  inTransaction(
    database,
    sqlOver(database).write("writing", (orm) => orm.execute(sql`insert into filler values (1)`)),
  ),
)

const read = Effect.flatMap(Database, (database) =>
  sqlOver(database).read("reading", async (orm) => {
    const found = await orm.execute(sql`select count(*)::int as n from filler`)
    return (found as { readonly rows: readonly { readonly n: number }[] }).rows[0]?.n
  }),
)

/** In a folder of its own, with the clock of tests. Returns what it logs. */
async function onDatabase(
  body: (folder: string, lines: readonly string[]) => Effect.Effect<void, unknown, Database>,
): Promise<readonly string[]> {
  const folder = join(mkdtempSync(join(tmpdir(), "curbline-ended-")), "database")
  copyTemplateTo(folder)
  const lines: string[] = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  const work = Effect.gen(function* () {
    const { orm } = yield* Database
    yield* Effect.promise(async () => orm.execute(sql`create table filler (n int)`))
    yield* write
    yield* body(folder, lines)
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

/** The failure of an effect that must fail. */
const failureOf = (
  running: Effect.Effect<unknown, unknown, Database>,
): Effect.Effect<unknown, never, Database> =>
  Effect.map(Effect.exit(running), (exit) => {
    if (Exit.isSuccess(exit)) throw new Error("it succeeded")
    return Cause.squash(exit.cause)
  })

const checkpoint = Effect.flatMap(Database, ({ jobs }) =>
  Effect.promise(async () => {
    if (!("client" in jobs)) throw new Error("not the embedded database")
    await jobs.client().exec("checkpoint")
  }),
)

/** Lets the pauses between attempts pass until this holds. */
const untilSo = (isSo: Effect.Effect<boolean, never, Database>): Effect.Effect<void, never, Database> =>
  Effect.gen(function* () {
    while (!(yield* isSo)) {
      yield* TestClock.adjust(REOPEN_PAUSE_MS)
      // An attempt takes real time.
      yield* Effect.promise(() => nextTurn())
    }
  })

test("once it has ended every statement is an outage, and it is opened again when its files can be written", async () => {
  const said = await onDatabase((folder, lines) =>
    Effect.gen(function* () {
      const obstacle = join(folder, "pg_logical/replorigin_checkpoint.tmp")
      const outages = Effect.gen(function* () {
        for (const running of [read, write]) expect(isOutage(yield* failureOf(running))).toBe(true)
        expect(yield* ready).toMatchObject({ database: "does not answer" })
      })
      mkdirSync(obstacle)
      expect(String(yield* failureOf(checkpoint))).toContain("the embedded database has ended")
      yield* outages
      yield* untilSo(Effect.sync(() => lines.some((line) => line.includes("cannot be opened again yet"))))
      yield* outages
      rmdirSync(obstacle)
      yield* untilSo(Effect.map(Effect.exit(read), Exit.isSuccess))
      yield* write
      expect(yield* read).toBe(2)
      expect(Object.values(yield* ready)).toEqual([null, null, null, null, null, null])
    }),
  )
  expect(said.filter((line) => !line.includes("was not closed"))).toEqual([
    expect.stringMatching(
      /^the embedded database ended and is opened again: could not remove file .*Is a directory$/,
    ),
    expect.stringMatching(/^the embedded database cannot be opened again yet: the files .*Is a directory/),
    expect.stringMatching(/^the embedded database is open again after/),
    expect.stringMatching(/^the embedded database is open again, \d+\.\d s after it ended$/),
  ])
})

test("a transaction in which it ends is not committed", async () => {
  await onDatabase((folder) =>
    Effect.gen(function* () {
      const obstacle = join(folder, "pg_logical/replorigin_checkpoint.tmp")
      const database = yield* Database
      const { write: send } = sqlOver(database)
      mkdirSync(obstacle)
      const ending = inTransaction(
        database,
        Effect.gen(function* () {
          yield* send("writing", (orm) => orm.execute(sql`insert into filler values (2)`))
          yield* send("ending the server", (orm) => orm.execute(sql`checkpoint`))
        }),
      )
      // The read waits for the transaction, on the client that has ended by then.
      const [ended, waiting] = yield* Effect.all([failureOf(ending), failureOf(read)], {
        concurrency: "unbounded",
      })
      expect([isOutage(ended), isOutage(waiting)]).toEqual([true, true])
      rmdirSync(obstacle)
      yield* untilSo(Effect.map(Effect.exit(read), Exit.isSuccess))
      expect(yield* read).toBe(1)
    }),
  )
})

test("a backup on a full disk is refused without a checkpoint, which would end it", async () => {
  const said = await onDatabase((folder) =>
    Effect.gen(function* () {
      vi.spyOn(fs, "statfsSync").mockReturnValue(Object.assign(statfsSync(folder), { bavail: 0 }))
      syncBuiltinESMExports()
      const refused = yield* failureOf(backupOf(SECRET))
      expect(isOutage(refused)).toBe(true)
      expect(String(refused)).toMatch(/copying the database failed: the disk of .* is full: 0 bytes are free/)
      expect(yield* read).toBe(1)
      vi.restoreAllMocks()
      syncBuiltinESMExports()
      expect((yield* backupOf(SECRET)).length).toBeGreaterThan(0)
    }),
  )
  expect(said.filter((line) => line.includes("ended"))).toEqual([])
})

test("a backup is refused while the database takes no writes", async () => {
  await onDatabase(() =>
    Effect.gen(function* () {
      const { jobs } = yield* Database
      const set = (value: "off" | "on"): Effect.Effect<unknown> =>
        Effect.promise(async () =>
          "client" in jobs ? jobs.client().exec(`set default_transaction_read_only = ${value}`) : null,
        )
      yield* set("on")
      yield* failureOf(write)
      expect((yield* ready).writes).toContain("read-only transaction")
      expect(String(yield* failureOf(backupOf(SECRET)))).toContain("the database takes no writes")
      yield* set("off")
      expect((yield* backupOf(SECRET)).length).toBeGreaterThan(0)
      expect((yield* ready).writes).toBeNull()
    }),
  )
})
