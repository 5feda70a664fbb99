/** The swarm on the live service over PGlite: seeds break nothing, decide as memory does, and planted bugs of the database are found. */

import { sql } from "drizzle-orm"
import { Context, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Database } from "../../src/store/database.ts"
import { sqlPlanOf } from "../../src/swarm-sql/explore.ts"
import { ALL_SETTLED, SAME_DECISIONS, SAME_HASH } from "../../src/swarm-sql/judged.ts"
import { runOnSql } from "../../src/swarm-sql/run.ts"
import { curblineHere } from "../cli/same-process.ts"
import { layerCopiedPglite } from "../store/embedded-template.ts"

let runtime: ManagedRuntime.ManagedRuntime<Database, unknown>
let context: Context.Context<Database>

beforeAll(async () => {
  runtime = ManagedRuntime.make(layerCopiedPglite)
  const built = await runtime.runtime()
  context = built.context
})
afterAll(() => runtime.dispose())

/** Small seeds: `npx curbline swarm --host sql` runs more. Even ones have no fault of the machine. */
test.each([2, 6, 14, 5, 9])("seed %i breaks nothing over the database", async (seed) => {
  const { broken, isSameAsMemory, entries } = await runOnSql(sqlPlanOf(seed), context)
  expect(broken).toEqual([])
  expect(entries).toBeGreaterThan(0)
  if (seed % 2 === 0) expect(isSameAsMemory).toBe(true)
})

/** As a bug of a statement would do it, which memory does not have. */
const BUGS = [
  [SAME_HASH, "a hash is stored wrong", "journal", "new.hash := 'f' || substr(new.hash, 2); return new;"],
  [
    ALL_SETTLED,
    "timers are not stored",
    "mailbox",
    "return case when new.kind = 'timer' then null else new end;",
  ],
  [SAME_DECISIONS, "errands are not stored", "courier_orders", "return null;"],
] as const

describe("a planted bug of the database is found", () => {
  test.each(BUGS)("%s: %s", async (sentence, _, table, body) => {
    const { orm } = Context.get(context, Database)
    await orm.execute(
      sql.raw(
        `create or replace function plant() returns trigger language plpgsql as 'begin ${body.replaceAll("'", "''")} end'`,
      ),
    )
    await orm.execute(
      sql.raw(`create trigger planted before insert on ${table} for each row execute function plant()`),
    )
    try {
      const { broken } = await runOnSql(sqlPlanOf(6), context)
      expect(broken.map((one) => one.sentence)).toContain(sentence)
    } finally {
      await orm.execute(sql.raw(`drop trigger planted on ${table}`))
    }
  })
})

test("a mistake ends with 2 and says what to write instead", async () => {
  const host = await curblineHere("swarm", "--host", "disk")
  expect(host).toMatchObject({
    status: 2,
    err: expect.stringContaining('--host takes memory or sql, not "disk"'),
  })
  const workers = await curblineHere("swarm", "--host", "sql", "--workers", "2")
  expect(workers).toMatchObject({
    status: 2,
    err: expect.stringContaining("--host sql runs on one thread: leave out --workers"),
  })
})
