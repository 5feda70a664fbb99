/** Rows of which there are many: an index serves what is read of them. */

import { sql } from "drizzle-orm"
import { ManagedRuntime } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { COMPLETIONS } from "../../../src/areas/direct-delivery/store/delivery-rows.ts"
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

async function planOf(statement: string): Promise<string> {
  const { orm } = await runtime.runPromise(Database)
  const found: unknown = await orm.execute(sql.raw(`explain ${statement}`))
  const { rows } = found as { readonly rows: readonly object[] }
  return rows.map((row) => Object.values(row).join("")).join("\n")
}

test("no line of others is read for the page of one operator, also when they did little", async () => {
  const plan = await planOf(`select number from operator_actions
    where environment = 'production' and actor_id = 'acc_quiet' order by number desc limit 51`)
  expect(plan).toContain("operator_actions_actor")
  expect(plan).not.toContain("Filter")
})

test("figures of a site read the deliveries that were completed in their span, and none of before", async () => {
  const { orm } = await runtime.runPromise(Database)
  await orm.execute(sql`set enable_seqscan = off`)
  const values = ["'site_1'", "'org_1'", "'production'", "'{10,20,30}'", "10", "30"]
  const plan = await planOf(COMPLETIONS.replaceAll(/\$(\d)/g, (_, at) => values[Number(at) - 1] ?? "null"))
  expect(plan).toContain("deliveries_completed")
  expect(plan).toMatch(/Index Cond: .*completed_at_ms >= .*completed_at_ms </)
})
