/**
 * The rule of rolling upgrades (src/engine/store/README.md): statements of released programs still work on the current tables,
 * and migrations since then only add.
 */

import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Effect } from "effect"
import { Database, layerPostgres } from "../../../src/engine/store/database.ts"
import { startPostgres } from "./postgres-server.ts"
import type { PostgresDatabase } from "./postgres-server.ts"
import { MIGRATIONS, RELEASED, doesMoreThanAdd, isNotRolling } from "./released.ts"
import type { Release } from "./released.ts"

const migrations = readdirSync(MIGRATIONS)
  .filter((name) => name.endsWith(".sql"))
  .toSorted()
const releases = readdirSync(RELEASED)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(join(RELEASED, name), "utf8")) as Release)

function since(release: Release): readonly string[] {
  return migrations.filter((name) => !release.migrations.includes(name))
}

function textOf(name: string): string {
  return readFileSync(join(MIGRATIONS, name), "utf8")
}

/** Those beside which the program of today may run. */
const beside = releases.filter((release) => !since(release).some((name) => isNotRolling(textOf(name))))

let server: PostgresDatabase
let client: postgres.Sql

beforeAll(async () => {
  server = await startPostgres()
  await Effect.runPromise(Effect.provide(Effect.asVoid(Database), layerPostgres(server.url)))
  client = postgres(server.url, { max: 1, fetch_types: false })
})
afterAll(async () => {
  await client.end()
  await server.stop()
})

/** The server's refusals to prepare these statements, for which it reads tables, columns and types. */
async function refusedAmong(statements: readonly string[]): Promise<readonly string[]> {
  const refused: string[] = []
  for (const statement of statements) {
    await client
      .unsafe(`prepare trial as ${statement}`)
      .then(() => client.unsafe("deallocate trial"))
      .catch((cause: unknown) => refused.push(`${String(cause)}: ${statement}`))
  }
  return refused
}

describe("rolling upgrades", () => {
  test.each(beside.map((release) => [release.version, release] as const))(
    "every statement of version %s can be prepared on today's tables",
    async (_, { statements }) => {
      expect(statements.length).toBeGreaterThan(100)
      expect(await refusedAmong(statements)).toEqual([])
    },
  )

  test.each(beside.map((release) => [release.version, release] as const))(
    "migrations since version %s only add",
    (_, release) => {
      expect(
        since(release).flatMap((name) => doesMoreThanAdd(textOf(name)).map((one) => [name, one])),
      ).toEqual([])
    },
  )

  test("a statement over a column or a table that has gone is found", async () => {
    const statements = [
      "select name from organizations where organization_id = $1",
      "select no_such_column from organizations",
      "insert into no_such_table (id) values ($1)",
    ]
    expect(await refusedAmong(statements)).toHaveLength(2)
  })

  test.each([
    ["create table if not exists a (b text);\ncreate index if not exists c on a (b);", 0],
    ["alter table a add column if not exists b text;", 0],
    ["alter table a add column b integer not null default 0;\nupdate a set b = 1;", 0],
    ["-- drop table a\ncreate table b (c text);", 0],
    ["create or replace trigger a after insert on b for each row execute function c();", 0],
    ["alter table a add column b integer not null;", 1],
    ["alter table a drop column b;", 1],
    ["alter table a rename to b;", 1],
    ["alter table a alter column b type integer;", 1],
    ["alter table a add constraint c check (b > 0);", 1],
    ["create unique index c on a (b);", 1],
    ["drop table a;\ndelete from b;", 2],
  ])("%j does more than add in %s statements", (text, count) => {
    expect(doesMoreThanAdd(text)).toHaveLength(count)
  })
})
