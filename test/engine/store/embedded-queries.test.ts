/** What the embedded database's client must keep, although it sends each statement in one piece. */

import { PGlite } from "@electric-sql/pglite"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { EMBEDDED_STATEMENTS_MAX } from "../../../src/engine/store/bounds.ts"
import { embeddedQueries } from "../../../src/engine/store/embedded-queries.ts"
import type { EmbeddedClient } from "../../../src/engine/store/embedded-queries.ts"

let client: PGlite
let embedded: EmbeddedClient

beforeAll(async () => {
  client = await PGlite.create({})
  embedded = embeddedQueries(client)
  await client.exec(
    "create table stalls (id text primary key, doors json, place int, seen bigint, sealed bytea)",
  )
})
afterAll(() => client.close())

const ids = async (): Promise<unknown> => (await client.query("select id from stalls order by id")).rows

test("values and rows are what the client itself would have made of them", async () => {
  const text =
    "select $1::text a, $2::json b, $3::bigint c, $4::text[] d, $5::bool e, $6::bytea f, $7::float8 g"
  const values = ["é'", '{"b":[1]}', 4_010_401_140, ["x", 'y"'], true, new Uint8Array([0, 255]), 0.25]
  for (const rowMode of ["object", "array"] as const) {
    const theirs = (await client.query(text, values, { rowMode })).rows
    for (const use of ["first", "later"])
      expect((await embedded.query(text, values, { rowMode })).rows, use).toEqual(theirs)
  }
  const nothing = values.map(() => null)
  expect((await embedded.query(text, nothing)).rows).toEqual((await client.query(text, nothing)).rows)
})

test("bytes come back as they were, from a part of a buffer and from an empty one too", async () => {
  const every = Uint8Array.from({ length: 256 }, (_, value) => value)
  const part = Buffer.from(every).subarray(100, 200)
  const text = "select $1::bytea every, $2::bytea part, $3::bytea nothing, length($2::bytea) size"
  const values = [every, part, new Uint8Array()]
  const found = (await embedded.query(text, values)).rows
  expect(found).toEqual([{ every, part: new Uint8Array(part), nothing: new Uint8Array(), size: 100 }])
  expect(found).toEqual((await client.query(text, values)).rows)
})

test("statements sent at once inside a transaction each get their own answer", async () => {
  const found = await embedded.transaction(({ query }) =>
    Promise.all([1, 2, 3, 1].map(async (n) => query(`select $1::int + ${n} as sum`, [n]))),
  )
  expect(found.map(({ rows }) => rows)).toEqual([2, 4, 6, 2].map((sum) => [{ sum }]))
})

test("a statement that fails tells its SQL state, and the next one is heard", async () => {
  const twice = "insert into stalls (id) values ($1)"
  await embedded.query(twice, ["twice"])
  await expect(embedded.query(twice, ["twice"])).rejects.toMatchObject({ code: "23505" })
  await expect(embedded.query("select no_such_column from stalls")).rejects.toMatchObject({ code: "42703" })
  expect(
    (await embedded.query("select count(*)::int as count from stalls where id = $1", ["twice"])).rows,
  ).toEqual([{ count: 1 }])
})

test("nothing of a transaction stays when a statement in it failed, even if its error was ignored", async () => {
  const before = await ids()
  const insert = "insert into stalls (id) values ($1)"
  const failing = embedded.transaction(async ({ query }) => {
    await query(insert, ["lost"])
    await query("select 1 / $1::int", [0]).catch(() => undefined)
  })
  await expect(failing).rejects.toThrow("rolled back")
  const thrown = embedded.transaction(async ({ query }) => {
    await query(insert, ["lost"])
    throw new Error("the body gave up")
  })
  await expect(thrown).rejects.toThrow("the body gave up")
  expect(await ids()).toEqual(before)
})

test("a transaction that cannot even be rolled back says why its body failed", async () => {
  const failing = embedded.transaction(async () => {
    vi.spyOn(client, "execProtocolStream").mockRejectedValueOnce(new Error("the server is gone"))
    throw new Error("the body gave up")
  })
  await expect(failing).rejects.toThrow("the body gave up")
  vi.restoreAllMocks()
  await client.query("rollback")
})

test("direct users of the client wait for an open transaction, and the other way round", async () => {
  const order: string[] = []
  const insert = "insert into stalls (id) values ($1)"
  const open = embedded.transaction(async ({ query }) => {
    await query(insert, ["ours"])
    order.push("ours begins")
    await query("select pg_sleep(0)")
    order.push("ours ends")
  })
  const theirs = client.transaction(async (transaction) => {
    order.push("theirs begins")
    await transaction.query("select pg_sleep(0)")
    order.push("theirs ends")
  })
  const alone = embedded.query("select 1").then(() => order.push("alone"))
  await Promise.all([open, theirs, alone])
  expect(order).toEqual(["ours begins", "ours ends", "theirs begins", "theirs ends", "alone"])
})

test("so many statements are kept parsed, and one more is answered all the same", async () => {
  await client.exec("deallocate all")
  const fresh = embeddedQueries(client)
  const texts = Array.from(
    { length: EMBEDDED_STATEMENTS_MAX + 3 },
    (_, at) => `select ${at} as at, $1::int as n`,
  )
  for (const use of ["first", "later"]) {
    for (const [at, text] of texts.entries())
      expect((await fresh.query(text, [7])).rows, use).toEqual([{ at, n: 7 }])
  }
  const { rows } = await client.query(
    "select count(*)::int as kept from pg_prepared_statements where name like 's%'",
  )
  expect(rows).toEqual([{ kept: EMBEDDED_STATEMENTS_MAX }])
})
