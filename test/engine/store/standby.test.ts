/** Standbys: a pool that meets one is not poisoned, reads go on where writes cannot, and another host takes over. */

import { sql } from "drizzle-orm"
import { Effect, ManagedRuntime } from "effect"
import postgres from "postgres"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { sites as declaredSites } from "../../../src/areas/catalog/rows.ts"
import { Database, layerPostgres } from "../../../src/engine/store/database.ts"
import { declaredTable } from "../../../src/engine/store/declared-table.ts"
import { startCuttingProxy } from "./cutting-proxy.ts"
import type { CuttingProxy } from "./cutting-proxy.ts"
import { startServer } from "./postgres-server.ts"
import type { PostgresServer } from "./postgres-server.ts"

const sites = declaredTable(declaredSites)

/** Never the same one twice, so that each test begins with primaries. */
let one: PostgresServer
let other: PostgresServer
let proxy: CuttingProxy
const runtimes: ManagedRuntime.ManagedRuntime<Database, unknown>[] = []

beforeAll(async () => {
  ;[one, other] = await Promise.all([startServer(), startServer()])
  proxy = await startCuttingProxy(one.url)
  for (const { url } of [one, other]) await (await opened(url)).close()
})
afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.dispose()
  for (const server of [one, other]) await promote(server)
  proxy.lead(one.url)
})
afterAll(async () => {
  await proxy.close()
  await Promise.all([one.stop(), other.stop()])
})

interface Opened {
  readonly database: Database["Type"]
  readonly close: () => Promise<void>
  /** How each of these ends: "done", or the words of the failure. */
  readonly write: () => Promise<string>
  readonly read: () => Promise<string>
  readonly readByKey: () => Promise<string>
  readonly snapshot: () => Promise<string>
}

async function opened(url: string): Promise<Opened> {
  const runtime = ManagedRuntime.make(layerPostgres(url, { connectionsMax: 8 }))
  runtimes.push(runtime)
  const database = await runtime.runPromise(Database)
  const told = (doing: () => PromiseLike<unknown>): Promise<string> =>
    Effect.runPromise(
      Effect.match(
        Effect.tryPromise(async () => doing()),
        {
          onSuccess: () => "done",
          onFailure: ({ error }) => wordsOf(error),
        },
      ),
    )
  const { orm, byKey } = database
  return {
    database,
    close: () => runtime.dispose(),
    write: () =>
      told(() => orm.transaction((open) => open.delete(sites).where(sql`site_id = 'nothing'`) as never)),
    read: () => told(() => orm.execute(sql`select count(*) from sites`)),
    readByKey: () => told(() => byKey.execute(sql`delete from request_counts where bucket = 'nothing'`)),
    snapshot: () =>
      told(() =>
        orm.transaction((open) => open.execute(sql`select count(*) from sites`) as never, {
          isolationLevel: "repeatable read",
          accessMode: "read only",
        }),
      ),
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? wordsOf(error.cause) : String(error)
}

async function promote({ url }: PostgresServer): Promise<void> {
  const administrator = postgres(url, { max: 1 })
  await administrator`select case when pg_is_in_recovery() then pg_promote() end`
  await administrator.end()
}

const { host: hostOf } = { host: (server: PostgresServer) => new URL(server.url).host }

describe("a pool that meets a standby", () => {
  test("serves again once the address leads to a primary, although the standby still answers", async () => {
    const { write, read, readByKey, snapshot } = await opened(proxy.url)
    expect(await Promise.all([write(), read(), readByKey()])).toEqual(["done", "done", "done"])
    await other.becomeStandby()
    proxy.lead(other.url)
    proxy.arm("at once", 100)
    // Connections of the pool stay with the server to which they were made.
    await expect.poll(read).toBe("done")
    expect(await write()).toContain("no host of the database takes writes")
    expect(await Promise.all([read(), snapshot()])).toEqual(["done", "done"])
    proxy.lead(one.url)
    await expect.poll(write).toBe("done")
    await expect.poll(readByKey).toBe("done")
    expect(
      await Promise.all(Array.from({ length: 40 }, () => Promise.all([write(), readByKey(), read()]))),
    ).toEqual(Array.from({ length: 40 }, () => ["done", "done", "done"]))
  })

  test("drops a session that a statement has shown to take no writes", async () => {
    const { database, readByKey } = await opened(one.url)
    await readByKey()
    await new Promise((resolve) => setTimeout(resolve, 600))
    await database.byKey.execute(sql.raw("set default_transaction_read_only = on"))
    expect(await readByKey()).toContain("read-only transaction")
    expect(await readByKey()).toBe("done")
  })

  test("drops a session that is left inside a failed transaction", async () => {
    const { database, read, readByKey } = await opened(one.url)
    await readByKey()
    await new Promise((resolve) => setTimeout(resolve, 600))
    await database.byKey.execute(sql.raw("begin"))
    await database.byKey.execute(sql.raw("select 1/0")).catch(() => undefined)
    expect(await readByKey()).toContain("current transaction is aborted")
    expect(await readByKey()).toBe("done")
    expect(await read()).toBe("done")
  })

  test("takes writes where the database makes sessions read-only unless they say otherwise", async () => {
    const administrator = postgres(one.url, { max: 1 })
    await administrator`alter database postgres set default_transaction_read_only = on`
    try {
      const { write, readByKey } = await opened(one.url)
      expect(await Promise.all([write(), readByKey()])).toEqual(["done", "done"])
    } finally {
      await administrator`set default_transaction_read_only = off`
      await administrator`alter database postgres reset default_transaction_read_only`
      await administrator.end()
    }
  })

  test("is not opened on a standby alone, in one line", async () => {
    await other.becomeStandby()
    await expect(opened(other.url)).rejects.toThrow(/^[^\n]*no host of the database takes writes[^\n]*$/)
  })
})

describe("a URL with several hosts", () => {
  const both = (query = ""): string => one.url.replace(hostOf(one), `${hostOf(one)},${hostOf(other)}`) + query

  test.each(["", "?target_session_attrs=read-write", "?target_session_attrs=any"])(
    "serves from the host that takes writes%s",
    async (query) => {
      await one.becomeStandby()
      const { database, write, readByKey } = await opened(both(query))
      expect(await Promise.all([write(), readByKey()])).toEqual(["done", "done"])
      expect("url" in database.jobs && database.jobs.url()).toBe(other.url + query)
    },
  )

  test("fails over when its host becomes a standby, and when a host is gone", async () => {
    await other.becomeStandby()
    const { write, read, readByKey } = await opened(both())
    expect(await Promise.all([write(), read(), readByKey()])).toEqual(["done", "done", "done"])
    await promote(other)
    await one.becomeStandby()
    for (const doing of [write, read, readByKey]) await expect.poll(doing).toBe("done")
    await promote(one)
    await other.becomeStandby()
    for (const doing of [write, read, readByKey]) await expect.poll(doing).toBe("done")
  })

  test("fails over when its host accepts connections and never answers", async () => {
    const { hostname, port } = new URL(proxy.url)
    const url = one.url.replace(hostOf(one), `${hostname}:${port},${hostOf(other)}`)
    const { write, read, readByKey } = await opened(url)
    expect(await write()).toBe("done")
    proxy.become("hangs")
    const ends = await Promise.all([write(), read(), readByKey()])
    expect(ends.filter((end) => end === "done")).toEqual([])
    for (const doing of [write, read, readByKey]) await expect.poll(doing).toBe("done")
    proxy.become("well")
  })
})
