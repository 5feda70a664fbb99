/**
 * The database: embedded PGlite or PostgreSQL, one SQL for both. Opening it runs the migrations that it lacks, under a
 * lock, so that several nodes may start at once.
 */

import { readFileSync, readdirSync } from "node:fs"
import { PGlite } from "@electric-sql/pglite"
import { sql } from "drizzle-orm"
import { drizzle as drizzlePglite } from "drizzle-orm/pglite"
import { drizzle as drizzlePostgres } from "drizzle-orm/postgres-js"
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core"
import { Context, Data, Effect, Layer } from "effect"
import type { Scope } from "effect"
import postgres from "postgres"
import { preparing } from "./prepared-queries.ts"
import { migrations } from "./schema.ts"

/** What queries are written on; a transaction is one too. */
export type Orm = PgDatabase<PgQueryResultHKT>

export class Database extends Context.Tag("Database")<
  Database,
  {
    readonly type: "pglite" | "postgres"
    readonly orm: Orm
    /** Queries and transactions under way. */
    readonly underWay: { count: number }
  }
>() {}

/** A query, or the opening of the database, failed. `sqlState` is PostgreSQL's five characters when it said so. */
export class DatabaseFault extends Data.TaggedError("DatabaseFault")<{
  readonly doing: string
  readonly sqlState: string | null
  readonly cause: unknown
}> {
  override get message(): string {
    const { doing, sqlState, cause } = this
    const why = innermost(cause)
    return `${doing} failed${sqlState === null ? "" : ` with ${sqlState}`}: ${why instanceof Error ? why.message : String(why)}`
  }
}

export function databaseFault(doing: string, cause: unknown): DatabaseFault {
  if (cause instanceof DatabaseFault) return cause
  const code = (innermost(cause) as { readonly code?: unknown } | null | undefined)?.code
  const sqlState = typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : null
  return new DatabaseFault({ doing, sqlState, cause })
}

function innermost(cause: unknown): unknown {
  return cause instanceof Error && cause.cause !== undefined ? innermost(cause.cause) : cause
}

/** Embedded: in a folder that one process holds at a time, or in memory. */
export function layerPglite(
  place: { readonly folder: string } | "memory",
): Layer.Layer<Database, DatabaseFault> {
  return Layer.scoped(
    Database,
    Effect.gen(function* () {
      const client = yield* opened("opening the embedded database", {
        open: () => PGlite.create(place === "memory" ? {} : { dataDir: place.folder }),
        close: (one) => one.close(),
      })
      return yield* migrated("pglite", drizzlePglite(client, { casing: "snake_case" }))
    }),
  )
}

export interface PostgresOptions {
  /** Connections of this node; a transaction holds one. */
  readonly connectionsMax: number
}

const USUAL_POSTGRES: PostgresOptions = { connectionsMax: 20 }

/** PostgreSQL 15 or later. The URL may hold a password: it is never part of a message. */
export function layerPostgres(
  url: string,
  { connectionsMax }: PostgresOptions = USUAL_POSTGRES,
): Layer.Layer<Database, DatabaseFault> {
  return Layer.scoped(
    Database,
    Effect.gen(function* () {
      const client = yield* opened("connecting to PostgreSQL", {
        open: async () =>
          postgres(url, {
            max: connectionsMax,
            onnotice: () => undefined,
            connection: { application_name: "curbline", default_transaction_isolation: "read committed" },
          }),
        close: (one) => one.end({ timeout: 5 }),
      })
      return yield* migrated("postgres", drizzlePostgres(preparing(client), { casing: "snake_case" }))
    }),
  )
}

interface Opening<Client> {
  readonly open: () => Promise<Client>
  readonly close: (client: Client) => Promise<void>
}

function opened<Client>(
  doing: string,
  { open, close }: Opening<Client>,
): Effect.Effect<Client, DatabaseFault, Scope.Scope> {
  return Effect.acquireRelease(
    Effect.tryPromise({ try: open, catch: (cause) => databaseFault(doing, cause) }),
    (client) => Effect.ignore(Effect.tryPromise(() => close(client))),
  )
}

function migrated(type: Database["Type"]["type"], orm: Orm): Effect.Effect<Database["Type"], DatabaseFault> {
  return Effect.tryPromise({
    try: () => migrate(orm),
    catch: (cause) => databaseFault("migrating the database", cause),
  }).pipe(Effect.as({ type, orm, underWay: { count: 0 } }))
}

/** Held by whoever migrates. Any number will do, as long as it never changes. */
const MIGRATION_LOCK = 4_010_401_140

/** Runs the numbered files that have not run here yet, in one transaction. */
async function migrate(orm: Orm): Promise<void> {
  const folder = new URL("migrations/", import.meta.url)
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
  await orm.transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(${sql.raw(String(MIGRATION_LOCK))})`)
    await transaction.execute(sql`create table if not exists migrations (name text primary key)`)
    const known = new Set((await transaction.select().from(migrations)).map(({ name }) => name))
    for (const name of files.filter((file) => !known.has(file))) {
      for (const statement of statementsOf(readFileSync(new URL(name, folder), "utf8"))) {
        await transaction.execute(sql.raw(statement))
      }
      await transaction.insert(migrations).values({ name })
    }
  })
}

/** One statement at a time, because PGlite prepares each. A statement ends with a semicolon at the end of its line. */
function statementsOf(file: string): readonly string[] {
  return file
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")
}
