/**
 * Uses of drizzle-orm's internals (0.45).
 *
 * - `session.prepareQuery` runs a given text: `execute(sql…)` would build the text at every run.
 * - A prepared query belongs to the connection that it was made on. A copy with another `client` and `params` runs on
 *   the connection of any transaction, so a text is built once for each process.
 * - An orm uses few methods of its client: `unsafe` for PostgreSQL, `query` and `transaction` for the embedded
 *   database.
 */

import { drizzle as drizzlePglite } from "drizzle-orm/pglite"
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core"
import { drizzle as drizzlePostgres } from "drizzle-orm/postgres-js"
import type { PGlite } from "@electric-sql/pglite"
import type { Sql } from "postgres"

type Orm = PgDatabase<PgQueryResultHKT>

const NAMES = { casing: "snake_case" } as const

/** An orm over one connection of the PostgreSQL driver. */
export function ormOf(client: Sql): Orm {
  return drizzlePostgres(client, NAMES)
}

/** An orm whose statements are sent by `unsafe`. The connections convert column types themselves. */
export function ormThrough(unsafe: Sql["unsafe"]): Orm {
  const client = { unsafe, options: { parsers: {}, serializers: {} } }
  return drizzlePostgres(client as unknown as Sql, NAMES)
}

/** An orm over the embedded database, or over an object that takes its queries. */
export function embeddedOrmOf(client: EmbeddedClient): Orm {
  return drizzlePglite(client as unknown as PGlite, NAMES)
}

interface EmbeddedClient {
  readonly query: (...query: never[]) => Promise<{ readonly rows: unknown[] }>
  readonly transaction: (body: never) => Promise<unknown>
}

/** Runs a text whose values need no encoding. Returns the driver's own result. */
export function runText(orm: Orm, sql: string, params: readonly unknown[]): Promise<unknown> {
  return orm._.session.prepareQuery({ sql, params: [...params] }, undefined, undefined, false).execute()
}

/** The parameters of a prepared query, in the order of its text. */
export function paramsOf(query: object): readonly unknown[] {
  return (query as { readonly params: readonly unknown[] }).params
}

/** The same prepared query on the connection of `orm`, with other parameters. */
export function reboundTo<Query extends object>(query: Query, orm: Orm, params: readonly unknown[]): Query {
  const { client } = orm._.session as unknown as { readonly client: unknown }
  return Object.assign(Object.create(query) as Query, { client, params })
}
