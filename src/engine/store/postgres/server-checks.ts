/** What the service assumes of a PostgreSQL server, checked before anything is written: each failure is one line. */

import { Data } from "effect"
import type { ConnectionOptions } from "../../library-internals/postgres-driver.ts"
import { Connection } from "../connection.ts"
import type { HostOrder } from "./host-order.ts"

/** The server, the database or what is before it is not as the service needs it. The same start fails again. */
export class UnsuitableServer extends Data.TaggedError("UnsuitableServer")<{ readonly problem: string }> {
  override get message(): string {
    return this.problem
  }
}

export interface CheckedServer {
  readonly url: string
  readonly options: ConnectionOptions
  readonly order: HostOrder
}

/** Rejects with an `UnsuitableServer`, or with the driver's error when the server cannot be reached. */
export async function checkServer(server: CheckedServer): Promise<void> {
  const { url, order, options } = server
  const connection = { ...options.connection, application_name: "curbline start" }
  const open = (): Connection =>
    new Connection({
      url,
      order,
      options: { ...options, connection },
      needsPrimary: true,
      onLost: () => undefined,
    })
  const [one, other] = [open(), open()]
  try {
    const problem = (await poolerProblem(one, other)) ?? (await databaseProblem(one))
    if (problem !== null) throw new UnsuitableServer({ problem })
  } catch (cause) {
    if (!/unsupported startup parameter/.test(String(cause))) throw cause
    throw new UnsuitableServer({ problem: REFUSING_POOLER })
  } finally {
    await Promise.allSettled([one, other].map((opened) => opened.end({ timeout: 1 })))
  }
}

const TRANSACTION_POOLER =
  "DATABASE_URL leads to a pooler that gives each transaction another session: session pooling or direct " +
  "connections are needed, because locks, settings and prepared statements belong to a session"

const REFUSING_POOLER =
  "DATABASE_URL leads to a pooler that refuses the settings of a session: direct connections, or session pooling that " +
  "ignores them (src/OPERATIONS.md, PgBouncer), are needed"

/**
 * A pooler that lends a session for one transaction at a time is found by two connections: while the other one holds a
 * transaction open, the first gets a different session, or both have had the same one. Prepared statements prove
 * nothing, because some poolers keep them (PgBouncer 1.21 and later).
 */
async function poolerProblem(one: Connection, other: Connection): Promise<string | null> {
  for (let round = 0; round < POOLER_ROUNDS; round += 1) {
    const before = await sessionOf(one)
    // The lock is the session's: where both connections share it, both get it.
    const isLocked = await locks(one)
    try {
      await other.client.unsafe("begin")
    } catch (cause) {
      // A pooler that lends a session for one statement refuses to begin.
      if (/pooling mode/.test(String(cause))) return TRANSACTION_POOLER
      throw cause
    }
    const others = await sessionOf(other)
    const isLockedTwice = isLocked && (await locks(other))
    const after = await sessionOf(one)
    await other.client.unsafe("rollback")
    await one.client.unsafe("select pg_advisory_unlock_all()")
    if (isLockedTwice || before !== after || before === others) return TRANSACTION_POOLER
  }
  return null
}

/** A pooler may lend its sessions in turn; few of them are idle at a start. */
const POOLER_ROUNDS = 3

async function sessionOf({ client }: Connection): Promise<unknown> {
  const [row] = await client.unsafe("select pg_backend_pid() as session")
  return row?.["session"]
}

/** Any number will do. Another node that starts at the same time may have the lock: then it proves nothing. */
async function locks({ client }: Connection): Promise<boolean> {
  const [row] = await client.unsafe("select pg_try_advisory_lock(4010401141) as is_locked")
  return row?.["is_locked"] === true
}

const FACTS = `
  select current_setting('server_version_num')::int / 10000 as version,
    pg_encoding_to_char(encoding) as encoding,
    datname as database,
    current_user as role,
    current_schema() as schema,
    has_schema_privilege(current_schema(), 'create') as makes_tables,
    coalesce(
      (select has_schema_privilege(oid, 'usage') from pg_namespace where nspname = 'pgboss'),
      has_database_privilege(oid, 'create')) as makes_jobs,
    (select array_to_string(array_agg(name || ' is ' || setting order by name), ', ') from pg_settings
      where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')
        and setting = '0') as unbounded
  from pg_database where datname = current_database()`

interface Facts {
  readonly version: number
  readonly encoding: string
  readonly database: string
  readonly role: string
  readonly schema: string | null
  readonly makes_tables: boolean | null
  readonly makes_jobs: boolean
  readonly unbounded: string | null
}

const VERSION_MIN = 15

async function databaseProblem({ client }: Connection): Promise<string | null> {
  const [facts] = (await client.unsafe(FACTS)) as unknown as [Facts]
  const { version, encoding, database, role, schema, unbounded } = facts
  if (version < VERSION_MIN) return `PostgreSQL ${version} is too old: ${VERSION_MIN} or later is needed`
  if (encoding !== "UTF8")
    return (
      `the database ${database} has the encoding ${encoding}, and UTF8 is needed: make one with ` +
      `createdb --template=template0 --encoding=UTF8`
    )
  if (schema === null)
    return `no schema of the search path of ${role} exists in ${database}: create schema public, or set the search path`
  if (facts.makes_tables !== true)
    return `the role ${role} may not make tables: grant create, usage on schema ${schema} to ${role}`
  if (!facts.makes_jobs)
    return `the role ${role} may not make the schema pgboss: grant create on database ${database} to ${role}`
  if (unbounded !== null)
    return (
      `the settings of a session do not arrive (${unbounded}): a pooler ignores them. Connect directly, or set them for ` +
      `the role, such as alter role ${role} set lock_timeout = '20s'`
    )
  return null
}
