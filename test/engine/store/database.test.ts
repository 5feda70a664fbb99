/** Opening a database: migrations by several nodes at once, a folder that is opened again, faults that name nothing secret. */

import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eq, sql } from "drizzle-orm"
import { Cause, Effect, Exit, Layer, ManagedRuntime } from "effect"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Database, layerPglite, layerPostgres } from "../../../src/engine/store/database.ts"
import type { DatabaseFault, Orm } from "../../../src/engine/store/database.ts"
import { sites as declaredSites } from "../../../src/areas/catalog/rows.ts"
import { declaredTable } from "../../../src/engine/store/declared-table.ts"
import { migrations } from "../../../src/engine/store/schema.ts"
import { copyTemplateTo } from "./embedded-template.ts"
import { startPostgres } from "./postgres-server.ts"
import type { PostgresDatabase } from "./postgres-server.ts"
import { isNotRolling } from "./released.ts"

const sites = declaredTable(declaredSites)
const FOLDER = join(import.meta.dirname, "../../../src/engine/store/migrations")
const files = readdirSync(FOLDER).toSorted()

let server: PostgresDatabase | null = null

beforeAll(async () => {
  server = await startPostgres({ isEmpty: true })
})
afterAll(() => server?.stop())

function using<A>(
  layer: Layer.Layer<Database, DatabaseFault>,
  use: (orm: Orm) => PromiseLike<A>,
): Promise<A> {
  const ask = Effect.flatMap(Database, ({ orm }) => Effect.promise(async () => use(orm)))
  return Effect.runPromise(Effect.provide(ask, layer))
}

/** What the PostgreSQL driver gives. */
async function rowsOf(orm: Orm, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await orm.execute(sql.raw(text))) as never
}

/** Queries are built over some microtasks; no answer comes in between. */
async function handedToTheDriver(): Promise<void> {
  for (let count = 0; count < 50; count += 1) await Promise.resolve()
}

describe("migrations", () => {
  test("files are numbered, no number twice, and say in their first line who may run beside them", () => {
    const numbers = files.map((name) => name.slice(0, 5))
    expect(
      numbers.filter((number, at) => !/^\d{4}_$/.test(number) || numbers.indexOf(number) !== at),
    ).toEqual([])
    for (const name of files)
      expect(readFileSync(join(FOLDER, name), "utf8")).toMatch(
        /^-- (Old code may run beside this|Beside this schema|not rolling: )/,
      )
  })

  test("nodes that start at once run each migration once", async () => {
    const url = server?.url ?? ""
    const runtimes = Array.from({ length: 4 }, () =>
      ManagedRuntime.make(layerPostgres(url, { connectionsMax: 8 })),
    )
    await Promise.all(runtimes.map((runtime) => runtime.runtime()))
    await Promise.all(runtimes.map((runtime) => runtime.dispose()))
    const known = await using(layerPostgres(url), (orm) => orm.select().from(migrations))
    expect(known.map(({ name }) => name).toSorted()).toEqual(files)
  })

  test("every statement is safe to run twice", async () => {
    const known = await using(layerPostgres(server?.url ?? ""), (orm) => orm.delete(migrations))
    expect(known).toHaveLength(0)
    const again = await using(layerPostgres(server?.url ?? ""), (orm) => orm.select().from(migrations))
    expect(again).toHaveLength(files.length)
  })

  test("a program that is killed among its migrations leaves none of them, and the next start runs them all", async () => {
    const url = server?.url ?? ""
    const administrator = postgres(url, { max: 2, onnotice: () => undefined })
    const [before, last] = ["0232_actions_of_one_operator.sql", "0233_ended_sessions.sql"]
    const made = async (): Promise<unknown> => {
      const [found] = await administrator`
        select to_regclass('operator_actions_actor') is not null as "before",
          to_regclass('ended_sessions') is not null as "last",
          (select count(*)::int from migrations where name in (${before}, ${last})) as "noted"`
      return found
    }
    await administrator`delete from migrations where name in (${before}, ${last})`
    await administrator`drop index operator_actions_actor`
    await administrator`drop table ended_sessions`
    const words = [join(import.meta.dirname, "stopped-node.ts"), url, "none", "3000"]
    const blocker = await administrator.reserve()
    await blocker`begin`
    await blocker`insert into migrations values (${last}, true)`
    const node = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"] })
    const exited = once(node, "exit")
    // It has run the statements of both, and waits to note the last one.
    const waiting = () => administrator`
      select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into "migrations"%'`
    await expect.poll(async () => (await waiting()).length).toBe(1)
    node.kill("SIGKILL")
    await exited
    await blocker`rollback`
    blocker.release()
    await expect.poll(async () => (await waiting()).length).toBe(0)
    expect(await made()).toEqual({ before: false, last: false, noted: 0 })
    await using(layerPostgres(url), () => Promise.resolve())
    expect(await made()).toEqual({ before: true, last: true, noted: 2 })
    await administrator.end()
  })

  test("a database that a newer program has changed is refused, with the way out, and not written to", async () => {
    const url = server?.url ?? ""
    await using(layerPostgres(url), (orm) => orm.insert(migrations).values({ name: "9999_future.sql" }))
    const administrator = postgres(url, { max: 1 })
    const refused = using(layerPostgres(url), (orm) => orm.select().from(migrations))
    await expect(refused).rejects.toThrow(/newer version .* 9999_future\.sql.*Start the newer version/s)
    const left = await administrator`delete from migrations where name = '9999_future.sql' returning name`
    await administrator.end()
    expect(left).toHaveLength(1)
  })

  test("a program starts on a database that a newer one has changed if all of its migrations allow that", async () => {
    const url = server?.url ?? ""
    const known = await using(layerPostgres(url), (orm) => orm.select().from(migrations))
    const forbids = (name: string): boolean => isNotRolling(readFileSync(join(FOLDER, name), "utf8"))
    expect(known.filter(({ name, allowsOlder }) => allowsOlder === forbids(name))).toEqual([])
    expect(known.filter(({ allowsOlder }) => allowsOlder === false).length).toBeGreaterThan(0)

    const administrator = postgres(url, { max: 1 })
    await administrator`insert into migrations values ('9998_added.sql', true)`
    expect(await using(layerPostgres(url), (orm) => rowsOf(orm, "select 1 as one"))).toEqual([{ one: 1 }])
    await administrator`insert into migrations values ('9999_stops.sql', false)`
    const refused = using(layerPostgres(url), (orm) => rowsOf(orm, "select 1"))
    await expect(refused).rejects.toThrow(/it has 9999_stops\.sql, beside which this version may not run/)
    await administrator`delete from migrations where name > '9'`
    await administrator.end()
  })

  test("a table of migrations from before they said who may run beside them is kept", async () => {
    const url = server?.url ?? ""
    const administrator = postgres(url, { max: 1 })
    await administrator`alter table migrations drop column allows_older`
    await administrator`insert into migrations values ('9999_future.sql')`
    await expect(using(layerPostgres(url), (orm) => rowsOf(orm, "select 1"))).rejects.toThrow(
      /9999_future\.sql.*Start the newer version/s,
    )
    await administrator`delete from migrations where name > '9'`
    const again = await using(layerPostgres(url), (orm) => orm.select().from(migrations))
    expect(again).toHaveLength(files.length)
    expect(again.every(({ allowsOlder }) => allowsOlder === null)).toBe(true)
    await administrator`delete from migrations`
    await administrator.end()
  })

  test("both databases have the same tables, columns, types and indexes", async () => {
    const shape = async (orm: Orm): Promise<readonly string[]> => {
      const rows = await orm
        .select({
          line: sql<string>`table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable`,
        })
        .from(sql`information_schema.columns`)
        .where(sql`table_schema = 'public'`)
      const indexes = await orm
        .select({ line: sql<string>`indexdef` })
        .from(sql`pg_indexes`)
        .where(sql`schemaname = 'public'`)
      return [...rows, ...indexes].map(({ line }) => line).toSorted()
    }
    const embedded = await using(layerPglite("memory"), shape)
    expect(embedded.length).toBeGreaterThan(100)
    expect(embedded).toEqual(await using(layerPostgres(server?.url ?? ""), shape))
    expect(embedded.filter((line) => line.includes("jsonb"))).toEqual([])
  })
})

describe("connections to PostgreSQL", () => {
  test.each([2, 3, 4, 5, 20])(
    "a setting of %s is so many, however much is asked at once",
    async (connectionsMax) => {
      const url = server?.url ?? ""
      const outsider = postgres(url, { max: 1 })
      const pidsOf = async () =>
        (await outsider`select pid from pg_stat_activity where application_name = 'curbline'`).map(
          ({ pid }) => pid as number,
        )
      // Those of earlier tests may still be closing.
      const others = await pidsOf()
      const asked = Effect.gen(function* () {
        const { orm, byKey } = yield* Database
        const all = Array.from({ length: 2 * connectionsMax }, () => [
          orm.transaction((open) => rowsOf(open, "select 1")),
          rowsOf(orm, "select 1"),
          rowsOf(byKey, "select 1"),
        ])
        yield* Effect.promise(() => Promise.all(all.flat()))
        const found = yield* Effect.promise(() => pidsOf())
        return found.filter((pid) => !others.includes(pid)).length
      })
      expect(await Effect.runPromise(Effect.provide(asked, layerPostgres(url, { connectionsMax })))).toBe(
        connectionsMax,
      )
      await outsider.end()
    },
  )

  test("transactions keep apart from a crowd of single queries, however many stand before them", async () => {
    const torn = await using(layerPostgres(server?.url ?? "", { connectionsMax: 2 }), async (orm) => {
      const transactionId = async (one: Orm) => (await rowsOf(one, "select txid_current() as id"))[0]?.["id"]
      const found: string[] = []
      // The driver sends at most a hundred queries ahead on one connection.
      for (let crowd = 98; crowd <= 102; crowd += 1) {
        const queries = Array.from({ length: crowd }, () => transactionId(orm))
        await handedToTheDriver()
        const transaction = orm.transaction(async (open) => {
          const first = await transactionId(open)
          return first === (await transactionId(open)) ? [] : [`${crowd}: two transactions`]
        })
        const problems = await transaction.catch((cause: unknown) => [`${crowd}: ${String(cause)}`])
        const ids = await Promise.all(queries)
        found.push(
          ...problems,
          ...(new Set(ids).size === crowd ? [] : [`${crowd}: a query in a transaction`]),
        )
      }
      return found
    })
    expect(torn).toEqual([])
  })

  test("a wait for a lock, a stuck statement and an idle transaction have ends that the server keeps", async () => {
    const ends = await using(layerPostgres(server?.url ?? ""), async (orm) => {
      const names = ["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"]
      const shown = (one: Orm) =>
        Promise.all(names.map(async (name) => (await rowsOf(one, `show ${name}`))[0]?.[name]))
      return [await shown(orm), await orm.transaction(shown)]
    })
    expect(ends).toEqual([
      ["20s", "30s", "30s"],
      ["20s", "30s", "30s"],
    ])
  })
})

describe("a node that is stopped in the middle of a transaction", () => {
  test("keeps its locks until the server ends it, and what it had written is not there", async () => {
    const url = server?.url ?? ""
    const site = { environment: "sandbox", siteId: "site_held", name: "East", timezone: null } as const
    await using(layerPostgres(url), (orm) => orm.insert(sites).values(site))
    const words = [join(import.meta.dirname, "stopped-node.ts"), url, site.siteId, "3000"]
    const node = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] })
    const exited = once(node, "exit")
    try {
      const left = exited.then(([code]) => {
        throw new Error(`the node ended before it held the row, with status ${String(code)}`)
      })
      await Promise.race([once(node.stdout, "data"), left])
      node.kill("SIGSTOP")
      // Waits for the row's lock, and fails if the wait is as long as a lock may be waited for.
      const seen = await using(layerPostgres(url), (orm) =>
        orm.transaction((open) =>
          open.select().from(sites).where(eq(sites.siteId, site.siteId)).for("update"),
        ),
      )
      expect(seen).toMatchObject([site])
    } finally {
      node.kill("SIGKILL")
      await exited
    }
  })
})

describe("the embedded database", () => {
  test("a folder that is opened again has what was committed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "curbline-pglite-"))
    try {
      copyTemplateTo(join(folder, "data"))
      const site = { environment: "sandbox", siteId: "site_1", name: "East", timezone: null } as const
      await using(layerPglite({ folder: join(folder, "data") }), (orm) => orm.insert(sites).values(site))
      const found = await using(layerPglite({ folder: join(folder, "data") }), (orm) =>
        orm.select().from(sites),
      )
      expect(found).toMatchObject([site])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe("a database that is not there", () => {
  test("is a fault that names no password", async () => {
    const layer = layerPostgres("postgres://someone:verysecret@127.0.0.1:1/none")
    const exit = await Effect.runPromiseExit(Effect.scoped(Layer.build(layer)))
    expect(Exit.isFailure(exit)).toBe(true)
    expect(JSON.stringify(exit)).not.toContain("verysecret")
    expect(String(exit)).not.toContain("verysecret")
    expect(Exit.isFailure(exit) && (Cause.squash(exit.cause) as Error).message).toContain("ECONNREFUSED")
  })
})
