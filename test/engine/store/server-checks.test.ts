/** What the service assumes of PostgreSQL is checked before it writes anything; each refusal is one line that says what to do. */

import { Effect, Layer } from "effect"
import postgres from "postgres"
import { afterAll, beforeAll, expect, test } from "vitest"
import { layerPostgres } from "../../../src/engine/store/database.ts"
import { startFaultOf } from "../../../src/live/start/start-fault.ts"
import { startServer } from "./postgres-server.ts"
import type { PostgresServer } from "./postgres-server.ts"
import { startTransactionPooler } from "./transaction-pooler.ts"

let server: PostgresServer
let administrator: postgres.Sql

beforeAll(async () => {
  server = await startServer()
  administrator = postgres(server.url, { max: 1, onnotice: () => undefined })
})
afterAll(async () => {
  await administrator.end()
  await server.stop()
})

/** "opened", or the fault with which the service would end. */
async function opened(url: string): Promise<unknown> {
  const opening = Effect.as(Effect.scoped(Layer.build(layerPostgres(url))), "opened")
  return Effect.runPromise(Effect.catchAll(opening, (fault) => Effect.succeed(startFaultOf(fault))))
}

function at(database: string, user = "curbline"): string {
  return Object.assign(new URL(server.url), { pathname: `/${database}`, username: user }).href
}

async function tablesIn(url: string): Promise<number> {
  const client = postgres(url, { max: 1 })
  const [row] =
    await client`select count(*)::int as n from pg_tables where schemaname in ('public', 'pgboss')`
  await client.end()
  return row?.["n"] as number
}

test("another encoding than UTF8 is refused", async () => {
  await administrator`create database latin template template0 encoding LATIN1 lc_collate 'C' lc_ctype 'C'`
  expect(await opened(at("latin"))).toMatchObject({
    _tag: "StartFault",
    isOfSettings: true,
    message: expect.stringMatching(
      /^[^\n]*the database latin has the encoding LATIN1, and UTF8 is needed[^\n]*$/,
    ) as string,
  })
  expect(await tablesIn(at("latin"))).toBe(0)
})

test("a role that may not make the tables or the schema of scheduled work is refused, and told the grant", async () => {
  await administrator`create database rights`
  await administrator`create role guest login`
  const rights = postgres(at("rights"), { max: 1, onnotice: () => undefined })
  const found: unknown[] = [await opened(at("rights", "guest"))]
  await rights`grant create, usage on schema public to guest`
  found.push(await opened(at("rights", "guest")))
  expect(await tablesIn(at("rights"))).toBe(0)
  expect(found).toMatchObject([
    { message: expect.stringContaining("grant create, usage on schema public to guest") as string },
    { message: expect.stringContaining("grant create on database rights to guest") as string },
  ])
  // The schema may have been made for it.
  await rights`create schema pgboss authorization guest`
  expect(await opened(at("rights", "guest"))).toBe("opened")
  await rights.end()
})

test("a schema that is missing is named", async () => {
  await administrator`create database bare`
  const bare = postgres(at("bare"), { max: 1 })
  await bare`drop schema public`
  await bare.end()
  expect(String(await opened(at("bare")))).toContain("create schema public")
})

test("a pooler that lends sessions for one transaction is refused", async () => {
  await administrator`create database pooled`
  const pooler = await startTransactionPooler(at("pooled"))
  expect(await opened(pooler.url)).toMatchObject({
    _tag: "StartFault",
    isOfSettings: true,
    message: expect.stringMatching(
      /^[^\n]*session pooling or direct connections are needed[^\n]*$/,
    ) as string,
  })
  await pooler.close()
  expect(await tablesIn(at("pooled"))).toBe(0)
})

test("a pooler before which the settings of a session do not arrive is refused, and told what to set", async () => {
  await administrator`create database unbounded`
  const found = await opened(`${at("unbounded")}?lock_timeout=0`)
  expect(String(found)).toContain("lock_timeout is 0")
  expect(String(found)).toContain("alter role curbline set lock_timeout")
})

test("a server as it should be is opened", async () => {
  await administrator`create database well`
  expect(await opened(at("well"))).toBe("opened")
  expect(await tablesIn(at("well"))).toBeGreaterThan(20)
})
