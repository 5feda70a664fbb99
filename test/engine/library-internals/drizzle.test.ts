/** What src/engine/library-internals/drizzle.ts relies on in drizzle-orm 0.45, on both databases. */

import type { PGlite } from "@electric-sql/pglite"
import { eq, sql } from "drizzle-orm"
import { integer, pgTable, text } from "drizzle-orm/pg-core"
import postgres from "postgres"
import type { Sql } from "postgres"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  embeddedOrmOf,
  ormOf,
  ormThrough,
  paramsOf,
  reboundTo,
  runText,
} from "../../../src/engine/library-internals/drizzle.ts"
import { copiedClient } from "../store/embedded-template.ts"
import { startPostgres } from "../store/postgres-server.ts"
import type { PostgresDatabase } from "../store/postgres-server.ts"

const things = pgTable("things", { id: integer().notNull(), firstName: text() })
const TABLE = "create table things (id integer not null, first_name text)"

let server: PostgresDatabase | null = null
let embedded: PGlite
const clients: Sql[] = []

function connected(): Sql {
  const client = postgres(server?.url ?? "", { max: 1, onnotice: () => undefined })
  clients.push(client)
  return client
}

beforeAll(async () => {
  server = await startPostgres({ isEmpty: true })
  embedded = await copiedClient()
  await embedded.exec(TABLE)
  await connected().unsafe(TABLE)
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()))
  await embedded.close()
  await server?.stop()
})

describe.each(["pglite", "postgres"] as const)("on %s", (type) => {
  const orm = () => (type === "pglite" ? embeddedOrmOf(embedded) : ormOf(connected()))

  test("a text that is written out runs with its values, and columns have the names of the text", async () => {
    const found = await runText(orm(), "select $1::int as first, $2::text as second", [1, null])
    const rows = Array.isArray(found) ? [...found] : (found as { rows: unknown[] }).rows
    expect(rows).toEqual([{ first: 1, second: null }])
  })

  test("a prepared query has its parameters in order, and runs on another connection with other values", async () => {
    const one = orm()
    await one.delete(things)
    await one.insert(things).values({ id: 7, firstName: "Ada" })
    const query = one
      .select()
      .from(things)
      .where(eq(things.id, sql.placeholder("id")))
      .limit(3)
      .prepare("")
    const params = paramsOf(query)
    expect(params).toHaveLength(2)
    expect(params[1]).toBe(3)
    const elsewhere = reboundTo(query, orm(), [7, 3])
    expect(await elsewhere.execute()).toEqual([{ id: 7, firstName: "Ada" }])
    expect(await reboundTo(query, orm(), [8, 3]).execute()).toEqual([])
    expect(paramsOf(query)).toBe(params)
  })

  test("a rebound query of a transaction sees what that transaction has written", async () => {
    const query = orm()
      .select({ id: things.id })
      .from(things)
      .where(eq(things.id, sql.placeholder("id")))
      .prepare("")
    await orm().transaction(async (inside) => {
      await inside.insert(things).values({ id: 9 })
      expect(await reboundTo(query, inside, [9]).execute()).toEqual([{ id: 9 }])
    })
  })
})

test("an orm needs of its client only where each statement goes", async () => {
  const [one, other] = [connected(), connected()]
  let turn = 0
  const orm = ormThrough((...query) => {
    turn += 1
    return (turn % 2 === 0 ? one : other).unsafe(...query)
  })
  // The connections' own orms set how types are read.
  ormOf(one)
  ormOf(other)
  const pids = await Promise.all([1, 2].map(() => orm.execute(sql`select pg_backend_pid() as pid`)))
  expect(new Set(pids.map((rows) => JSON.stringify(rows))).size).toBe(2)
})
