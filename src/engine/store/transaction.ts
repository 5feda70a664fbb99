/**
 * The open SQL transaction, in the Effect context. Repositories write only through it, and read through it when there
 * is one: a query outside would block PGlite forever, and on PostgreSQL would silently not be part of the transaction.
 */

import { randomUUID } from "node:crypto"
import { Cause, Context, Data, Effect, Exit, FiberRefs, Option } from "effect"
import { eq, sql } from "drizzle-orm"
import type { PgTransactionConfig } from "drizzle-orm/pg-core"
import { answerTo, exitOf, portIn, withPort } from "../services/answering.ts"
import type { Answering } from "../services/answering.ts"
import type { MaybeLater } from "../services/later.ts"
import { Routine } from "../services/routine.ts"
import { CurrentSpan } from "../services/tracing.ts"
import type { SpanAttributes, TraceSpan } from "../services/tracing.ts"
import { DatabaseFault, databaseFault } from "./database.ts"
import type { Database, Orm } from "./database.ts"
import { isWriteOutage } from "./outages.ts"
import { requestCounts } from "./schema.ts"

export interface OpenTransaction {
  readonly orm: Orm
  isOpen: boolean
  /** After a failed query PostgreSQL refuses the rest and turns the commit into a rollback. */
  failure: DatabaseFault | null
  /** Writes that are sent with the next read or with the commit, in order. */
  readonly buffered: (() => PromiseLike<unknown>)[]
  /** Statements in flight whose sender does not wait for the answer. When one fails, every later statement fails. */
  readonly inFlight: Promise<unknown>[]
  /** By table and row: writes that leave before a statement that may see them, or with the commit. */
  readonly deferred: Map<string, Map<string, DeferredWrite>>
  /** By name: writes that leave as the transaction's last ones, because the locks that they take last until the commit. */
  readonly last: Map<string, LastWrite>
  /**
   * Rows that no command of another transaction can change, because they were locked with their group or inserted here. They include the
   * writes of this transaction.
   */
  readonly known: Map<string, Readonly<Record<string, unknown>>>
  /** Answers of reads that the transaction makes once, by table and key. */
  readonly prefetched: Map<string, Promise<unknown>>
  /** The parent span of its statements; null when it is not traced. */
  readonly span: TraceSpan | null
}

/** A write of one row that later writes of the transaction may still change. */
export interface DeferredWrite {
  /** Adds columns to the write. */
  readonly change: (values: Readonly<Record<string, unknown>>) => void
  /** Adds its statement to the buffered ones. */
  readonly send: () => void
}

/** One statement with everything that a transaction collected for it, so that it takes its locks in one order. */
export interface LastWrite {
  readonly doing: string
  readonly rows: object[]
  readonly query: (orm: Orm, rows: readonly object[]) => PromiseLike<unknown>
}

export class SqlTransaction extends Context.Tag("SqlTransaction")<SqlTransaction, OpenTransaction>() {}

/**
 * Rows that one statement has read together with a group: a view of one group needs no transaction for them. Any other
 * read under it dies with `PrefetchMiss`; the caller then reads in a transaction.
 */
export class Prefetched extends Context.Tag("Prefetched")<
  Prefetched,
  {
    /** By table and key. */
    readonly rows: ReadonlyMap<string, ReadonlyMap<string, object | null>>
  }
>() {}

export class PrefetchMiss extends Data.TaggedError("PrefetchMiss")<{ readonly doing: string }> {}

/** The open transaction. Dies without one, and after it has ended. */
export function openTransaction(doing: string): Routine<OpenTransaction> {
  return inOpen(doing, (open) => {
    if (!open.isOpen) throw databaseFault(doing, hasEnded())
    return open
  })
}

/** A request of the open transaction. Dies without one. */
function inOpen<A>(doing: string, ask: (open: OpenTransaction) => MaybeLater<A>): Routine<A> {
  return inOpenOr(ask, () => {
    throw databaseFault(doing, new Error("no transaction is open"))
  })
}

/** `ask` in the open transaction; `otherwise` without one. */
function inOpenOr<A>(
  ask: (open: OpenTransaction) => MaybeLater<A>,
  otherwise: (at: Answering) => MaybeLater<A>,
): Routine<A> {
  return Routine.answeredBy((at) => {
    const open = portIn(at, SqlTransaction)
    return open === undefined ? otherwise(at) : ask(open)
  })
}

function hasEnded(): Error {
  return new Error("its transaction has ended")
}

/** A repository's way to its tables. */
export interface Sql {
  readonly read: <A>(doing: string, query: (orm: Orm) => PromiseLike<A>) => Routine<A>
  /** The same for one or two rows by key. Outside a transaction these reads share a connection of their own. */
  readonly readByKey: <A>(doing: string, query: (orm: Orm) => PromiseLike<A>) => Routine<A>
  /**
   * A read that an open transaction sends once for each key: the prefetch and every later read share the answer. For rows whose
   * changes by other commands during the transaction do not matter. After a write of its own, call `forgetOnce` or `setOnce`.
   */
  readonly readOnce: <A>(key: string, doing: string, query: (orm: Orm) => PromiseLike<A>) => Routine<A>
  /** One statement, sent with the next read or the commit, which fail if it does. Dies without an open transaction. */
  readonly write: (doing: string, query: (orm: Orm) => PromiseLike<unknown>) => Routine<void>
  /** A write that returns what it wrote, or one of several statements. */
  readonly writeReturning: <A>(doing: string, query: (orm: Orm) => PromiseLike<A>) => Routine<A>
}

/** Sends the deferred writes that a statement may see. */
type FlushDeferred = (open: OpenTransaction) => void

/** By default a statement may see the rows of every declared table. */
export function sqlOver(database: Database["Type"], flush: FlushDeferred = writeDeferred): Sql {
  const read = readingOn(database, database.orm, flush)
  return {
    writeReturning: (doing, query) => inOpen(doing, (open) => inside(open, doing, flush, query)),
    write: (doing, query) =>
      Routine.map(openTransaction(doing), (open) => {
        flush(open)
        bufferWrite(open, doing, query)
      }),
    read,
    readOnce: readingOnce(database, flush),
    readByKey: readingByKey(database, flush),
  }
}

/** For statements on tables whose writes are never deferred. */
export function flushNothing(): void {}

function readingOn(database: Database["Type"], orm: Orm, flush: FlushDeferred): Sql["read"] {
  return (doing, query) =>
    inOpenOr(
      (open) => inside(open, doing, flush, query),
      (at) => outside(database, doing, { query: () => query(orm), at }),
    )
}

/** A read without a transaction. An abort waits for no answer of the database. */
async function outside<A>(
  database: Database["Type"],
  doing: string,
  { query, at }: { readonly query: () => PromiseLike<A>; readonly at: Answering },
): Promise<A> {
  if (portIn(at, Prefetched) !== undefined) throw new PrefetchMiss({ doing })
  const span = FiberRefs.getOrDefault(at.refs, CurrentSpan)
  const answer = counted(database, doing, () => spanned(span, doing, query))
  return at.signal === undefined ? answer : unlessAborted(answer, at.signal)
}

function unlessAborted<A>(answer: Promise<A>, signal: AbortSignal): Promise<A> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Cause.InterruptedException())
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort)
    void answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}

function readingOnce(database: Database["Type"], flush: FlushDeferred): Sql["readOnce"] {
  return <A>(key: string, doing: string, query: (orm: Orm) => PromiseLike<A>) =>
    inOpenOr(
      (open) => {
        const { prefetched } = open
        const known = prefetched.get(key) as Promise<A> | undefined
        if (known !== undefined) return awaited(open, doing, known)
        flush(open)
        const answer = sentInside(open, doing, query)
        prefetched.set(key, answer)
        return awaited(open, doing, answer)
      },
      (at) => outside(database, doing, { query: () => query(database.orm), at }),
    )
}

/** Stores an answer of `readOnce` that the transaction knows from a write of its own. */
export function setOnce(key: string, answer: unknown): Routine<void> {
  return Routine.map(openTransaction("storing a prefetched row"), ({ prefetched }) => {
    prefetched.set(key, Promise.resolve(answer))
  })
}

/** Removes answers of `readOnce`, so that they are read again. */
export function forgetOnce(isMeant: (key: string) => boolean): Routine<void> {
  return Routine.map(openTransaction("forgetting prefetched rows"), ({ prefetched }) => {
    for (const key of prefetched.keys()) if (isMeant(key)) prefetched.delete(key)
  })
}

/** Clears the cached reads; known rows stay. */
export const forgetPrefetched: Routine<void> = Routine.map(
  openTransaction("forgetting prefetched rows"),
  ({ prefetched }) => prefetched.clear(),
)

/**
 * On the embedded database a read by key waits for the one connection that transactions use, and takes almost no time
 * itself, so its duration measures that wait. On PostgreSQL it has a connection of its own, which is never busy for
 * long, so its duration does not show the wait for a transaction.
 */
function readingByKey(database: Database["Type"], flush: FlushDeferred): Sql["readByKey"] {
  const reading = readingOn(database, database.byKey, flush)
  if (database.type === "postgres") return reading
  return (doing, query) =>
    reading(doing, (orm) => {
      const askedMs = performance.now()
      return query(orm).then((found) => {
        database.waits.onWait(performance.now() - askedMs)
        return found
      })
    })
}

/**
 * Runs the body in one READ COMMITTED transaction: commits when it succeeds, rolls back when it does not. Never
 * interrupted. Dies with a DatabaseFault when the database fails.
 */
export function inTransaction<A, E, R>(
  database: Database["Type"],
  body: Effect.Effect<A, E, R>,
): Routine<A, E, Exclude<R, SqlTransaction>> {
  return runIn(database, body, undefined)
}

/** Runs reads over one snapshot: every query sees the database as it was at the first. A write in it fails. */
export function inSnapshot<A, E, R>(
  database: Database["Type"],
  body: Effect.Effect<A, E, R>,
): Routine<A, E, Exclude<R, SqlTransaction>> {
  return runIn(database, body, { isolationLevel: "repeatable read", accessMode: "read only" })
}

function runIn<A, E, R>(
  database: Database["Type"],
  body: Effect.Effect<A, E, R>,
  config: PgTransactionConfig | undefined,
): Routine<A, E, Exclude<R, SqlTransaction>> {
  const running = Routine.answeredBy<Exit.Exit<A, E>, never, Exclude<R, SqlTransaction>>((at) =>
    exitIn(database, { body, config }, at),
  )
  return Routine.uninterruptible(Routine.flatMap(running, (exit) => exit))
}

interface Work<A, E, R> {
  readonly body: Effect.Effect<A, E, R>
  readonly config: PgTransactionConfig | undefined
}

/** How the body ended. Rejects when the database fails. */
async function exitIn<A, E, R>(
  database: Database["Type"],
  { body, config }: Work<A, E, R>,
  at: Answering,
): Promise<Exit.Exit<A, E>> {
  const span = FiberRefs.getOrDefault(at.refs, CurrentSpan)
  let open: OpenTransaction | null = null
  const askedMs = performance.now()
  database.inFlight.begin()
  try {
    const ended = await database.orm.transaction(async (orm) => {
      database.waits.onWait(performance.now() - askedMs)
      open = {
        orm,
        isOpen: true,
        failure: null,
        buffered: [],
        inFlight: [],
        deferred: new Map(),
        last: new Map(),
        known: new Map(),
        prefetched: new Map(),
        span,
      }
      const within: Answering = { ...withPort(at, SqlTransaction, open), readsAhead: true }
      const exit = await exitOf<A, E>(() => answerTo(body, within))
      open.isOpen = false
      if (Exit.isFailure(exit)) throw new RolledBack({ exit })
      if (open.failure !== null) throw open.failure
      // The commit follows them on the same connection. Where one fails, the server rolls back.
      writeDeferred(open)
      writeLast(open)
      send(open)
      return exit
    }, config)
    database.writing.committed += 1
    return ended
  } catch (cause) {
    const failure = open === null ? null : await failureOf(open)
    const thrown = failure ?? cause
    if (thrown instanceof RolledBack) {
      noteWriteOutage(database, defectIn(thrown.exit))
      return thrown.exit as Exit.Exit<A, E>
    }
    const fault = databaseFault("a transaction", thrown)
    noteWriteOutage(database, fault)
    throw fault
  } finally {
    database.inFlight.end()
  }
}

function defectIn(exit: Exit.Exit<unknown, unknown>): unknown {
  return Exit.isFailure(exit) && Option.isNone(Cause.failureOption(exit.cause))
    ? Cause.squash(exit.cause)
    : null
}

/** Recorded for the readiness probe. */
export function noteWriteOutage(database: Database["Type"], fault: unknown): void {
  if (fault instanceof DatabaseFault && isWriteOutage(fault)) database.writing.failedBy = fault
}

/**
 * Null when writing succeeds, otherwise the problem. After a failure the trial fills a temporary table, because a small
 * change may still fit on a full disk.
 */
export function writeProblem(database: Database["Type"]): Effect.Effect<string | null> {
  return Effect.suspend(() => {
    const { failedBy } = database.writing
    return Effect.matchCause(failedBy === null ? smallWrite(database) : largeWrite(database), {
      onFailure: (cause) => (failedBy ?? (Cause.squash(cause) as Error)).message,
      onSuccess: () => {
        database.writing.failedBy = null
        return null
      },
    })
  })
}

/** As requests write: a count without a transaction, then a transaction, which leaves nothing behind. */
function smallWrite(database: Database["Type"]): Effect.Effect<unknown> {
  const { readByKey, write } = sqlOver(database)
  const row = { bucket: TRIAL_BUCKET, startsAtMs: 0, count: 1 }
  const set = { count: sql`excluded.count` }
  return Effect.zipRight(
    readByKey("trying to write a count", (orm) =>
      orm.insert(requestCounts).values(row).onConflictDoUpdate({ target: requestCounts.bucket, set }),
    ),
    inTransaction(
      database,
      write("trying to write", (orm) =>
        orm.delete(requestCounts).where(eq(requestCounts.bucket, row.bucket)),
      ),
    ),
  )
}

/** Of this process alone: another node that stops in its trial would hold the row. */
const TRIAL_BUCKET = `readyz ${randomUUID()}`

function largeWrite(database: Database["Type"]): Effect.Effect<unknown> {
  const { writeReturning } = sqlOver(database)
  return inTransaction(
    database,
    writeReturning("trying to write", (orm) => orm.execute(sql.raw(LARGE))),
  )
}

const LARGE = `create temporary table writing_trial on commit drop as
  select repeat(md5(i::text), 30) as filler from generate_series(1, 300) as i`

/** True when the same transaction may succeed if it runs again, because a conflict has aborted it. */
export function isContention(cause: Cause.Cause<unknown>): boolean {
  return [...Cause.defects(cause)].some(
    (defect) => defect instanceof DatabaseFault && CONTENTION.has(defect.sqlState ?? ""),
  )
}

/** Serialization failure, deadlock detected. Source: PostgreSQL error codes, class 40. */
const CONTENTION: ReadonlySet<string> = new Set(["40001", "40P01"])

/** Carries a failed body through the driver's rollback. */
class RolledBack extends Data.Error<{ readonly exit: Exit.Exit<unknown, unknown> }> {}

/** Runs a query after the buffered writes. */
function inside<A>(
  open: OpenTransaction,
  doing: string,
  flush: FlushDeferred,
  query: (orm: Orm) => PromiseLike<A>,
): Promise<A> {
  flush(open)
  return awaited(open, doing, sentInside(open, doing, query))
}

/** Sends a query after the buffered writes, before this returns. */
async function sentInside<A>(
  open: OpenTransaction,
  doing: string,
  query: (orm: Orm) => PromiseLike<A>,
): Promise<A> {
  if (!open.isOpen) throw hasEnded()
  if (open.failure !== null) throw open.failure
  send(open)
  const before = [...open.inFlight]
  try {
    return await spanned(open.span, doing, () => query(open.orm))
  } catch (cause) {
    // When one of the statements before it failed, this failed because of it.
    await Promise.all(before)
    throw open.failure ?? cause
  }
}

function awaited<A>(open: OpenTransaction, doing: string, answer: Promise<A>): Promise<A> {
  return answer.catch((cause: unknown) => {
    const fault = databaseFault(doing, cause)
    if (open.isOpen) open.failure ??= fault
    throw fault
  })
}

/**
 * Sends a query in the open transaction at once; the inner effect waits for its answer. What is sent meanwhile follows it on the
 * connection and shares its round trip. Dies without an open transaction.
 */
export function sendNow<A>(doing: string, query: (orm: Orm) => PromiseLike<A>): Routine<Routine<A>> {
  return Routine.map(openTransaction(doing), (open) => {
    const answer = sentInside(open, doing, query)
    // A later statement that fails awaits this, so that the first failure is the one reported.
    open.inFlight.push(
      answer.catch((cause: unknown) => {
        open.failure ??= databaseFault(doing, cause)
      }),
    )
    return Routine.answeredBy(() => awaited(open, doing, answer))
  })
}

/** Sends every deferred write. */
export function writeDeferred(open: OpenTransaction): void {
  for (const name of open.deferred.keys()) writeDeferredOf(open, name)
}

/** Sends the deferred writes of one table. */
export function writeDeferredOf(open: OpenTransaction, table: string): void {
  const writes = open.deferred.get(table)
  if (writes === undefined) return
  open.deferred.delete(table)
  for (const write of writes.values()) write.send()
}

function writeLast(open: OpenTransaction): void {
  for (const { doing, rows, query } of open.last.values())
    if (rows.length > 0) bufferWrite(open, doing, (orm) => query(orm, rows))
}

/** A point inside the open transaction to which its writes can be rolled back. It costs no round trip. */
export function beginSavepoint(doing: string): Routine<{ readonly rollback: Routine<void> }> {
  return Routine.map(openTransaction(doing), (open) => {
    writeDeferred(open)
    bufferWrite(open, `keeping ${doing}`, (orm) => orm.execute(sql.raw("savepoint kept")))
    const saving = open.buffered.at(-1)
    const known = new Map(open.known)
    const lasts = new Map([...open.last].map(([name, { rows }]) => [name, rows.length]))
    return {
      rollback: Routine.sync(() => {
        open.deferred.clear()
        for (const [name, { rows }] of open.last) rows.splice(lasts.get(name) ?? 0)
        open.known.clear()
        for (const [name, row] of known) open.known.set(name, row)
        // Answers that include writes which the rollback removes.
        open.prefetched.clear()
        const bufferedAt = open.buffered.findIndex((write) => write === saving)
        open.buffered.splice(Math.max(bufferedAt, 0))
        if (bufferedAt >= 0) return
        bufferWrite(open, `going back to ${doing}`, (orm) =>
          orm.execute(sql.raw("rollback to savepoint kept")),
        )
      }),
    }
  })
}

/** Sends all buffered writes at once: they share a round trip. */
function send(open: OpenTransaction): void {
  for (const write of open.buffered.splice(0)) open.inFlight.push(begun(write))
}

/** Passes the statement to the driver before it returns, so that statements are sent in the order of their calls. */
function begun<A>(query: () => PromiseLike<A>): Promise<A> {
  return new Promise((resolve, reject) => {
    query().then(resolve, reject)
  })
}

/** The same as a span of a trace; null: it is not traced. */
function spanned<A>(parent: TraceSpan | null, doing: string, query: () => PromiseLike<A>): Promise<A> {
  if (parent === null) return begun(query)
  const span = parent.child(doing, statementAttributes())
  return begun(query).then(
    (found) => {
      span.end(false)
      return found
    },
    (cause: unknown) => {
      span.end(true)
      throw cause
    },
  )
}

function statementAttributes(): SpanAttributes {
  return { "db.system.name": "postgresql" }
}

/** The first failure of what was sent so far, once all of it has been answered. */
async function failureOf(open: OpenTransaction): Promise<DatabaseFault | null> {
  await Promise.all(open.inFlight)
  return open.failure
}

/** Adds a write of one statement to the buffered ones. */
export function bufferWrite(
  open: OpenTransaction,
  doing: string,
  query: (orm: Orm) => PromiseLike<unknown>,
): void {
  open.buffered.push(() =>
    spanned(open.span, doing, () => query(open.orm)).catch((cause: unknown) => {
      open.failure ??= databaseFault(doing, cause)
    }),
  )
}

/** Its promise rejects with a `DatabaseFault`. */
async function counted<A>(
  database: Database["Type"],
  doing: string,
  query: () => PromiseLike<A>,
): Promise<A> {
  database.inFlight.begin()
  try {
    return await query()
  } catch (cause) {
    throw databaseFault(doing, cause)
  } finally {
    database.inFlight.end()
  }
}
