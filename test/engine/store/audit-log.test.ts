/** The audit log of operations when there are many lines: one operator's page is read by an index, also when they did little. */

import { sql } from "drizzle-orm"
import { ManagedRuntime } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Database } from "../../../src/engine/store/database.ts"
import { layerCopiedPglite } from "./embedded-template.ts"

const LINES = 20_000

const runtime = ManagedRuntime.make(layerCopiedPglite)
beforeAll(async () => {
  const { orm } = await runtime.runPromise(Database)
  await orm.execute(sql`
    insert into operator_actions (environment, at_ms, actor_type, actor_id, action, outcome)
    select 'production', n, 'phone', 'phone-' || n % 50, 'atStore', 'done' from generate_series(1, ${LINES}::int) n`)
})
afterAll(() => runtime.dispose())

test("no line of others is read for the page of one operator", async () => {
  const { orm } = await runtime.runPromise(Database)
  const found: unknown = await orm.execute(sql`explain
    select number from operator_actions where environment = 'production' and actor_id = 'acc_quiet'
    order by number desc limit 51`)
  const { rows } = found as { readonly rows: readonly object[] }
  const plan = rows.map((row) => Object.values(row).join("")).join("\n")
  expect(plan).toContain("operator_actions_actor")
  expect(plan).not.toContain("Filter")
})
