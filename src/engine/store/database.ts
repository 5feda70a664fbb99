/**
 * The database: embedded PGlite or PostgreSQL, with the same SQL. When it is opened it runs missing migrations under a
 * lock, so that several nodes may start at once.
 */

import { readFileSync, readdirSync } from "node:fs"
import { setImmediate as nextTurn } from "node:timers/promises"
import { FileSystem } from "@effect/platform/FileSystem"
import { Path } from "@effect/platform/Path"
import { PGlite } from "@electric-sql/pglite"
import { sql } from "drizzle-orm"
import { Clock, Context, Data, Effect, Layer } from "effect"
import type { Scope } from "effect"
import {
  DataFolderFault,
  checkFiles,
  inDataFolder,
  markFinished,
  prepareDataFolder,
  putUnfinishedAside,
  whyNotOpened,
} from "./data-folder.ts"
import { bytesToReplay, checkpointing } from "./embedded-log.ts"
import { embeddedServer, queriesOf } from "./embedded-server.ts"
import type { EmbeddedServer } from "./embedded-server.ts"
import { holdFolder } from "./folder-lock.ts"
import { keepOwner } from "./folder-owner.ts"
import { InFlight } from "./in-flight.ts"
import { IDLE_IN_TRANSACTION_MS_MAX, LOCK_WAIT_MS_MAX, RANDOM_PAGE_COST, STATEMENT_MS_MAX } from "./bounds.ts"
import { layerLocalFiles, nodeErrorOf } from "./local-files.ts"
import { isOutageOf, isSqlState } from "./outages.ts"
import { migrations } from "./schema.ts"
import type { Outage } from "../../model/outage.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import { embeddedOrmOf } from "../library-internals/drizzle.ts"
import { closeFiles, keepMarks, memoryBytesOf } from "../library-internals/pglite.ts"
import { hostsOf, urlAt } from "../library-internals/postgres-driver.ts"
import type { ConnectionOptions } from "../library-internals/postgres-driver.ts"
import type { Orm } from "./connection.ts"
import { Readers } from "./postgres/readers.ts"
import type { ReadersOptions } from "./postgres/readers.ts"
import { checkServer } from "./postgres/server-checks.ts"
import { ServerWatch } from "./postgres/server-watch.ts"
import { Transactions } from "./transactions.ts"

/** Runs queries; a transaction is one too. */
export type { Orm } from "./connection.ts"

/**
 * Functions: the client of the embedded database changes when its server has ended, and the URL may contain a password,
 * which printing this object must not show.
 */
export type JobsPlace = { readonly client: EmbeddedServer["client"] } | { readonly url: () => string }

export class Database extends Context.Tag("Database")<
  Database,
  {
    readonly type: "pglite" | "postgres"
    readonly orm: Orm
    /**
     * For statements that find or count a row or two by their key; their writes need not survive a crash of the server.
     */
    readonly byKey: Orm
    /** Where scheduled work keeps its jobs: in the same database, over the embedded client or connections of its own. */
    readonly jobs: JobsPlace
    /** Queries and transactions in flight. */
    readonly inFlight: InFlight
    /**
     * The last failure that shows that nothing can be written, such as a full disk; null once a write has succeeded
     * again. `committed`: transactions that this process has committed.
     */
    readonly writing: { failedBy: DatabaseFault | null; committed: number }
    /**
     * Called with the milliseconds for which work waited for the connections of transactions: of each transaction and, on the embedded
     * database, whose one connection serves both, of each read by key.
     */
    readonly waits: { onWait: (ms: number) => void }
  }
>() {}

/** A query, or the opening of the database, failed. `sqlState` is PostgreSQL's five characters when it said so. */
export class DatabaseFault
  extends Data.TaggedError("DatabaseFault")<{
    readonly doing: string
    readonly sqlState: string | null
    readonly cause: unknown
  }>
  implements Outage
{
  /** The database is away, or cannot take writes for now: the same may succeed later. */
  get isOutage(): boolean {
    return isOutageOf(this.cause)
  }

  override get message(): string {
    const { doing, sqlState, cause } = this
    const why = innermost(cause)
    return `${doing} failed${sqlState === null ? "" : ` with ${sqlState}`}: ${why instanceof Error ? why.message : String(why)}`
  }
}

/** The memory of the embedded database; null on PostgreSQL, and once it is closed. */
export function embeddedMemoryBytes({ jobs }: Database["Type"]): number | null {
  return "client" in jobs ? memoryBytesOf(jobs.client()) : null
}

export function databaseFault(doing: string, cause: unknown): DatabaseFault {
  if (cause instanceof DatabaseFault) return cause
  const code = (innermost(cause) as { readonly code?: unknown } | null | undefined)?.code
  const sqlState = isSqlState(code) ? code : null
  return new DatabaseFault({ doing, sqlState, cause })
}

/**
 * The constraint that the statement violated; null when the database names none. The two drivers name the field
 * differently.
 */
export function constraintIn({ cause }: DatabaseFault): string | null {
  const { constraint, constraint_name: name } = Object(innermost(cause)) as Readonly<Record<string, unknown>>
  return typeof name === "string" ? name : typeof constraint === "string" ? constraint : null
}

/** The key of the existing row, for people who read the fault; null when the database does not return it. */
export function keyIn({ cause }: DatabaseFault): string | null {
  const { detail } = Object(innermost(cause)) as { readonly detail?: unknown }
  if (typeof detail !== "string") return null
  const [from, to] = [detail.indexOf("=("), detail.lastIndexOf(")")]
  return from < 0 || to < from ? null : detail.slice(from + 2, to)
}

function innermost(cause: unknown): unknown {
  return cause instanceof Error && cause.cause !== undefined ? innermost(cause.cause) : cause
}

/**
 * Embedded: in a folder, which one process holds at a time under a lock beside it, or in memory. `copy`: the files of
 * another one, from `dumpDataDir`; a folder must be new then. `onReplay`: called before a replay of the log, which
 * blocks this thread; the function that it returns is called when the database is open or has failed to open.
 */
export type PglitePlace =
  { readonly folder?: string; readonly copy?: Blob; readonly onReplay?: () => () => unknown } | "memory"

export function layerPglite(place: PglitePlace): Layer.Layer<Database, DatabaseFault> {
  const { folder, copy, onReplay } = place === "memory" ? {} : place
  return Layer.scoped(
    Database,
    Effect.gen(function* () {
      const opening = "opening the embedded database"
      if (folder !== undefined) {
        yield* keepOwner((yield* Path).dirname(folder))
        yield* Effect.mapError(prepareDataFolder(folder), (cause) =>
          databaseFault(opening, nodeErrorOf(cause)),
        )
        yield* Effect.mapError(holdFolder(folder), (cause) => databaseFault(opening, cause))
      }
      const from = copy === undefined ? {} : { loadDataDir: copy }
      const server = yield* Effect.mapError(
        embeddedServer(
          folder === undefined
            ? { open: openedOnce(created(from)), reopen: null }
            : {
                open: inFolder(folder, from, onReplay),
                reopen: Effect.zipRight(checkFiles(folder), inFolder(folder, {}, onReplay)),
              },
        ),
        (cause) => databaseFault(opening, nodeErrorOf(cause)),
      )
      const { client } = server
      if (folder !== undefined) yield* checkpointing(client)
      // Migrations run on the client itself: their statements run once, and prepared statements must not be older than
      // a change of their table.
      const migrating = embeddedOrmOf(client())
      const orm = embeddedOrmOf(queriesOf(server))
      return yield* migrated({ type: "pglite", orm, byKey: orm, jobs: { client } }, migrating)
    }),
  ).pipe(Layer.provide(layerLocalFiles))
}

/** Opens the files of a folder. When they were not closed, it says how much log is replayed before, and how long it took after. */
const inFolder = Effect.fnUntraced(function* (
  folder: string,
  from: EmbeddedOrigin,
  onReplay: (() => () => unknown) | undefined,
) {
  const bytes = bytesToReplay(folder)
  if (bytes === 0) return yield* openedOnce(embeddedIn(folder, from))
  yield* Effect.logWarning(replaying(bytes))
  const beganMs = yield* Clock.currentTimeMillis
  const endReplay = onReplay?.()
  const client = yield* openedOnce(embeddedIn(folder, from)).pipe(
    Effect.ensuring(Effect.sync(() => endReplay?.())),
  )
  const seconds = ((yield* Clock.currentTimeMillis) - beganMs) / SECOND_MS
  yield* Effect.logInfo(`the embedded database is open again after ${seconds.toFixed(1)} s`)
  return client
})

function replaying(bytes: number): string {
  return (
    "the embedded database was not closed, as after a kill: its last changes are read from up to " +
    `${bytes / 1_048_576} MiB of log, which may take some seconds`
  )
}

/** Opening blocks this thread, so lines that were logged before must be written first. */
function openedOnce<E, R>(open: Effect.Effect<PGlite, E, R>): Effect.Effect<PGlite, unknown, R> {
  return Effect.gen(function* () {
    yield* Effect.promise(() => nextTurn())
    const client = yield* open
    yield* Effect.tryPromise(() => client.exec(`set random_page_cost = ${RANDOM_PAGE_COST}`))
    return client
  })
}

interface EmbeddedOrigin {
  readonly dataDir?: string
  readonly loadDataDir?: Blob
}

/** A server that does not start says why on its error output alone, and leaves files open. */
function created(origin: EmbeddedOrigin): Effect.Effect<PGlite, unknown> {
  return Effect.tryPromise({
    try: async () => {
      let reason: string | null = null
      const onStderr = (line: string): boolean => {
        reason = /(?:FATAL|PANIC): +(.*)$/.exec(line)?.[1] ?? reason
        return false
      }
      const client = new PGlite({ ...origin, onStderr })
      keepMarks(client)
      try {
        await client.waitReady
        return client
      } catch (cause) {
        await closeFiles(client).catch(() => undefined)
        throw reason === null ? cause : new Error(reason)
      }
    },
    catch: (cause) => cause,
  })
}

const embeddedIn = Effect.fnUntraced(function* (folder: string, from: EmbeddedOrigin) {
  const files = yield* FileSystem
  const { dirname, join } = yield* Path
  yield* inDataFolder(dirname(folder), putUnfinishedAside(folder))
  const isNew = !(yield* files.exists(join(folder, "PG_VERSION")))
  const made = yield* Effect.catchAll(created({ dataDir: folder, ...from }), (cause) =>
    Effect.flatMap(whyNotOpened(folder, cause), (why) =>
      Effect.fail(isNew && why instanceof DataFolderFault ? cause : why),
    ),
  )
  yield* markFinished(folder)
  return made
})

export interface PostgresOptions {
  /** Connections of this node; a transaction holds one. */
  readonly connectionsMax: number
  /** A transaction whose process sends nothing for this long is ended; default: as in `bounds.ts`. */
  readonly idleInTransactionMsMax?: number
}

const USUAL_POSTGRES: PostgresOptions = { connectionsMax: 20 }

/** PostgreSQL 15 or later. The URL may contain a password: it is never part of a message. */
export function layerPostgres(
  url: string,
  { connectionsMax, idleInTransactionMsMax = IDLE_IN_TRANSACTION_MS_MAX }: PostgresOptions = USUAL_POSTGRES,
): Layer.Layer<Database, DatabaseFault> {
  return Layer.scoped(
    Database,
    Effect.gen(function* () {
      const hosts = hostsOf(url)
      const readersMax = Math.ceil(connectionsMax / READERS_SHARE)
      const options = connectionOf(idleInTransactionMsMax)
      const watch = yield* Effect.acquireRelease(
        Effect.sync(() => new ServerWatch({ url, options })),
        (one) => Effect.sync(() => one.stop()),
      )
      yield* Effect.tryPromise({
        try: () => checkServer({ url, options, order: watch.order }),
        catch: (cause) => databaseFault("opening the database", cause),
      })
      const common = { url, options, watch }
      const readers = yield* readersOf({ ...common, connectionsMax: Math.max(1, readersMax - 1) })
      // With few connections there is one reader, for both.
      const byKey =
        readersMax < 2
          ? readers
          : yield* readersOf({ ...common, options: withoutFlush(options), connectionsMax: 1 })
      const transactions = yield* opened("connecting to PostgreSQL", {
        open: Effect.sync(
          () => new Transactions({ ...common, connectionsMax: Math.max(1, connectionsMax - readersMax) }),
        ),
        close: (one) => one.end({ timeout: 5 }),
      })
      const database = yield* migrated({
        type: "postgres",
        orm: apart(readers, transactions),
        byKey,
        jobs: { url: () => urlAt(url, watch.order.sorted(hosts)[0]) },
      })
      watch.start()
      return database
    }),
  )
}

/** One in this many connections is for queries outside transactions. */
const READERS_SHARE = 4

function readersOf(options: ReadersOptions): Effect.Effect<Orm, DatabaseFault, Scope.Scope> {
  return Effect.map(
    opened("connecting to PostgreSQL", {
      open: Effect.sync(() => new Readers(options)),
      close: (one) => one.end({ timeout: 5 }),
    }),
    ({ orm }) => orm,
  )
}

/**
 * The queries that every request makes share one connection: while one answer is in flight, the next queries are
 * gathered and sent together. On five connections each was sent alone, and a read took one and a half times the
 * processor time. They do not wait long, and not for the disk: they write only request counts, whose loss does no harm.
 */
function withoutFlush({ connection, ...options }: ConnectionOptions): ConnectionOptions {
  return { ...options, connection: { ...connection, synchronous_commit: "off" } }
}

function connectionOf(idleInTransactionMsMax: number): ConnectionOptions {
  return {
    onnotice: () => undefined,
    connection: {
      application_name: "curbline",
      default_transaction_isolation: "read committed",
      // A database or role may make its sessions read-only. Counts are written without a transaction that says otherwise.
      default_transaction_read_only: "off" as never,
      random_page_cost: RANDOM_PAGE_COST,
      statement_timeout: STATEMENT_MS_MAX,
      lock_timeout: LOCK_WAIT_MS_MAX,
      idle_in_transaction_session_timeout: idleInTransactionMsMax,
    },
  }
}

/**
 * Transactions on connections of their own. On a connection that also takes single queries the driver (postgres 3.4.9)
 * may send `begin` after a hundred of them without reserving the connection: the transaction then fails or stays open
 * forever, and other queries run inside it (porsager/postgres issues 823 and 1189).
 */
function apart(readers: Orm, transactions: Transactions): Orm {
  const transaction: Transactions["run"] = (body, config) => transactions.run(body, config)
  return new Proxy(readers, {
    get: (target, name) => (name === "transaction" ? transaction : (Reflect.get(target, name) as unknown)),
  })
}

interface Opening<Client, R> {
  readonly open: Effect.Effect<Client, unknown, R>
  readonly close: (client: Client) => Promise<void>
}

function opened<Client, R = never>(
  doing: string,
  { open, close }: Opening<Client, R>,
): Effect.Effect<Client, DatabaseFault, R | Scope.Scope> {
  return Effect.acquireRelease(
    Effect.mapError(open, (cause) => databaseFault(doing, nodeErrorOf(cause))),
    (client) => Effect.ignore(Effect.tryPromise(() => close(client))),
  )
}

function migrated(
  opening: Omit<Database["Type"], "inFlight" | "writing" | "waits">,
  orm: Orm = opening.orm,
): Effect.Effect<Database["Type"], DatabaseFault> {
  return Effect.tryPromise({
    try: () => migrate(orm),
    catch: (cause) => databaseFault("migrating the database", cause),
  }).pipe(
    Effect.as({
      ...opening,
      inFlight: new InFlight(),
      writing: { failedBy: null, committed: 0 },
      waits: { onWait: () => undefined },
    }),
  )
}

/** The lock of migrations. Any number will do, as long as it never changes. */
const MIGRATION_LOCK = 4_010_401_140

const MIGRATIONS = new URL("migrations/", import.meta.url)

function migrationFiles(): readonly string[] {
  return readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
}

/** How the schema of a database differs from the program's. */
export interface SchemaDifference {
  /** Migrations of this program that the database lacks: an older copy of it was restored. */
  readonly missing: readonly string[]
  /** Migrations that this program does not know: a newer one has run them. */
  readonly unknown: readonly string[]
  /** Those of them that no older program may run beside. */
  readonly forbidding: readonly string[]
}

export async function schemaDifference(orm: Orm): Promise<SchemaDifference> {
  const files = migrationFiles()
  const run = await orm.select().from(migrations)
  const unknown = run.filter(({ name }) => !files.includes(name))
  return {
    missing: files.filter((file) => !run.some(({ name }) => name === file)),
    unknown: namesOf(unknown),
    forbidding: namesOf(unknown.filter(({ allowsOlder }) => allowsOlder !== true)),
  }
}

function namesOf(rows: readonly { readonly name: string }[]): readonly string[] {
  return rows.map(({ name }) => name).toSorted()
}

/**
 * The database was migrated by a newer program. Its rows may have meanings that this one would misread or overwrite.
 */
class NewerSchema extends Data.TaggedError("NewerSchema")<{ readonly forbidding: readonly string[] }> {
  override get message(): string {
    return (
      `a newer version of this program has changed the database: it has ${this.forbidding.join(", ")}, beside which this ` +
      "version may not run. Start the newer version, or restore a backup that was made before it"
    )
  }
}

/** Runs the numbered files that have not run on this database yet, in one transaction. */
async function migrate(orm: Orm): Promise<void> {
  await orm.transaction(async (transaction) => {
    // Another node's migration, or one of a large table, may take long.
    await transaction.execute(sql`set local lock_timeout = 0`)
    await transaction.execute(sql`set local statement_timeout = 0`)
    await transaction.execute(sql`select pg_advisory_xact_lock(${sql.raw(String(MIGRATION_LOCK))})`)
    await makeMigrationsTable(transaction)
    const { missing, forbidding } = await schemaDifference(transaction)
    if (forbidding.length > 0) throw new NewerSchema({ forbidding })
    for (const name of missing) {
      const file = readFileSync(new URL(name, MIGRATIONS), "utf8")
      for (const statement of statementsOf(file)) await transaction.execute(sql.raw(statement))
      await transaction.insert(migrations).values({ name, allowsOlder: !file.startsWith(NOT_ROLLING) })
    }
  })
}

/** Begins a migration for which every node must be stopped (src/engine/store/README.md). */
const NOT_ROLLING = "-- not rolling:"

/** Not a numbered file, because a program asks this table which of the files it may run. */
async function makeMigrationsTable(orm: Orm): Promise<void> {
  await orm.execute(sql`create table if not exists migrations (name text primary key)`)
  const [column] = await orm
    .select({ name: sql<string>`attname` })
    .from(sql`pg_attribute`)
    .where(sql`attrelid = 'migrations'::regclass and attname = 'allows_older'`)
  // Asked first: even `if not exists` would wait for a dump of the database, and the other nodes' probes for it.
  if (column === undefined) await orm.execute(sql`alter table migrations add column allows_older boolean`)
}

/** One statement at a time, because PGlite prepares each. A statement ends with a semicolon at the end of its line. */
function statementsOf(file: string): readonly string[] {
  return file
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")
}
