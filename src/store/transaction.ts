/**
 * The open SQL transaction, in the Effect context. Repositories write through it and nothing else, and read through it
 * when there is one: a stray query would hang PGlite for ever, and on PostgreSQL silently leave the transaction.
 */

import { Cause, Context, Data, Effect, Exit, Option, Runtime } from "effect"
import type { PgTransactionConfig } from "drizzle-orm/pg-core"
import type { CourierRow } from "../services/courier/rows.ts"
import type { ReservationRow } from "../services/reservations/rows.ts"
import { DatabaseFault, databaseFault } from "./database.ts"
import type { Database, Orm } from "./database.ts"

export interface OpenTransaction {
  readonly orm: Orm
  isOpen: boolean
  /** A failed query makes PostgreSQL refuse the rest and turn the commit into a rollback: nobody may carry on. */
  failure: DatabaseFault | null
  /** Writes on their way, which nobody waits for before the next read or the end: they share one round trip. */
  readonly underWay: Promise<unknown>[]
  /** What repositories put off until a read that may see it, or the end. Each adds its writes to those under way. */
  readonly putOff: Set<() => void>
}

export class SqlTransaction extends Context.Tag("SqlTransaction")<SqlTransaction, OpenTransaction>() {}

/**
 * Rows that one statement has read together with a group: a view of one group needs no transaction for them. Any other
 * read under it dies with `NotForeseen`; whoever looked ahead then does it the long way.
 */
export class Foreseen extends Context.Tag("Foreseen")<
  Foreseen,
  {
    readonly reservations: ReadonlyMap<string, ReservationRow | null>
    readonly errands: ReadonlyMap<string, CourierRow | null>
  }
>() {}

export class NotForeseen extends Data.TaggedError("NotForeseen")<{ readonly doing: string }> {}

/** The open transaction, for a repository that puts writes off. Dies without one. */
export function openTransaction(doing: string): Effect.Effect<OpenTransaction> {
  return Effect.flatMap(Effect.serviceOption(SqlTransaction), (open) =>
    Option.isSome(open)
      ? Effect.succeed(open.value)
      : Effect.die(databaseFault(doing, new Error("no transaction is open"))),
  )
}

/** A repository's way to its tables. */
export interface Sql {
  readonly read: <A>(doing: string, query: (orm: Orm) => PromiseLike<A>) => Effect.Effect<A>
  /** The same for a row or two by their key; outside a transaction such questions share a connection, and no other does. */
  readonly readByKey: <A>(doing: string, query: (orm: Orm) => PromiseLike<A>) => Effect.Effect<A>
  /** Does not wait: the next read does, and the end. Writes of one row by two calls belong into one. Dies without an open transaction. */
  readonly write: (doing: string, query: (orm: Orm) => PromiseLike<unknown>) => Effect.Effect<void>
  /** A write that says what it wrote. */
  readonly writeReturning: <A>(doing: string, query: (orm: Orm) => PromiseLike<A>) => Effect.Effect<A>
  /** The same beside the writes under way, whose rows it does not touch: they share one round trip. */
  readonly writeBeside: <A>(doing: string, query: (orm: Orm) => PromiseLike<A>) => Effect.Effect<A>
}

export function sqlOver(database: Database["Type"]): Sql {
  return {
    writeReturning: (doing, query) =>
      Effect.flatMap(openTransaction(doing), (open) => inside(open, doing, query)),
    writeBeside: (doing, query) =>
      Effect.flatMap(openTransaction(doing), (open) => inside(open, doing, query, "for nothing")),
    write: (doing, query) => Effect.flatMap(openTransaction(doing), (open) => setOff(open, doing, query)),
    read: readingOn(database, database.orm),
    readByKey: readingOn(database, database.byKey),
  }
}

function readingOn(database: Database["Type"], orm: Orm): Sql["read"] {
  return (doing, query) =>
    Effect.contextWithEffect((context: Context.Context<never>) => {
      const open = Context.getOption(context, SqlTransaction)
      if (Option.isSome(open)) return inside(open.value, doing, query)
      if (Option.isSome(Context.getOption(context, Foreseen))) return Effect.die(new NotForeseen({ doing }))
      return Effect.orDie(counted(database, doing, () => query(orm)))
    })
}

/**
 * Runs the body in one READ COMMITTED transaction: commits when it succeeds, rolls back when it does not. Never
 * interrupted. Dies with a DatabaseFault when the database fails.
 */
export function inTransaction<A, E, R>(
  database: Database["Type"],
  body: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, Exclude<R, SqlTransaction>> {
  return runIn(database, body, undefined)
}

/** Runs reads over one snapshot: every query sees the database as it was at the first. A write in it fails. */
export function inSnapshot<A, E, R>(
  database: Database["Type"],
  body: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, Exclude<R, SqlTransaction>> {
  return runIn(database, body, { isolationLevel: "repeatable read", accessMode: "read only" })
}

function runIn<A, E, R>(
  database: Database["Type"],
  body: Effect.Effect<A, E, R>,
  config: PgTransactionConfig | undefined,
): Effect.Effect<A, E, Exclude<R, SqlTransaction>> {
  const run = Effect.gen(function* () {
    const runtime = yield* Effect.runtime<Exclude<R, SqlTransaction>>()
    const exit = yield* Effect.orDie(
      counted(database, "a transaction", () =>
        database.orm
          .transaction(async (orm) => {
            const open: OpenTransaction = {
              orm,
              isOpen: true,
              failure: null,
              underWay: [],
              putOff: new Set(),
            }
            const provided = Effect.provideService(body, SqlTransaction, open)
            const ended = await Runtime.runPromiseExit(runtime)(provided)
            if (Exit.isSuccess(ended)) await arrived(open)
            open.isOpen = false
            await Promise.all(open.underWay)
            if (open.failure !== null) throw open.failure
            if (Exit.isFailure(ended)) throw new RolledBack({ exit: ended })
            return ended
          }, config)
          .catch((cause: unknown) => {
            if (cause instanceof RolledBack) return cause.exit as Exit.Exit<A, E>
            throw cause
          }),
      ),
    )
    return yield* exit
  })
  return Effect.uninterruptible(run)
}

/** True when the same transaction, run again, may well succeed: it lost against another. */
export function isContention(cause: Cause.Cause<unknown>): boolean {
  return [...Cause.defects(cause)].some(
    (defect) => defect instanceof DatabaseFault && CONTENTION.has(defect.sqlState ?? ""),
  )
}

/** Serialization failure, deadlock detected. Source: PostgreSQL error codes, class 40. */
const CONTENTION: ReadonlySet<string> = new Set(["40001", "40P01"])

/** Carries a failed body through the driver's rollback. */
class RolledBack extends Data.Error<{ readonly exit: Exit.Exit<unknown, unknown> }> {}

function inside<A>(
  open: OpenTransaction,
  doing: string,
  query: (orm: Orm) => PromiseLike<A>,
  waits: "for writes" | "for nothing" = "for writes",
): Effect.Effect<A> {
  return Effect.suspend(() => {
    if (!open.isOpen) return Effect.die(databaseFault(doing, new Error("its transaction has ended")))
    return Effect.tryPromise({
      try: async () => {
        if (waits === "for writes") await Promise.all(open.underWay)
        if (open.failure !== null) throw open.failure
        try {
          return await query(open.orm)
        } catch (cause) {
          // When one of the writes beside it failed, this failed because of it.
          await Promise.all(open.underWay)
          throw open.failure ?? cause
        }
      },
      catch: (cause) => {
        const fault = databaseFault(doing, cause)
        open.failure ??= fault
        return fault
      },
    }).pipe(Effect.orDie)
  })
}

/** For a read that may see what was put off, and for the end: what is sent together shares a round trip. */
export function writePutOff(open: OpenTransaction): void {
  for (const write of open.putOff) write()
  open.putOff.clear()
}

/** Everything written so far has reached the database, what was put off included. */
async function arrived(open: OpenTransaction): Promise<void> {
  writePutOff(open)
  if (open.underWay.length > 0) await Promise.all(open.underWay.splice(0))
  if (open.failure !== null) throw open.failure
}

/** Begins a write. When it fails, so does whatever waits for it next. */
function setOff(
  open: OpenTransaction,
  doing: string,
  query: (orm: Orm) => PromiseLike<unknown>,
): Effect.Effect<void> {
  return Effect.suspend(() => {
    if (!open.isOpen) return Effect.die(databaseFault(doing, new Error("its transaction has ended")))
    beginWrite(open, doing, query)
    return Effect.void
  })
}

/** The same for repositories that put writes off. */
export function beginWrite(
  open: OpenTransaction,
  doing: string,
  query: (orm: Orm) => PromiseLike<unknown>,
): void {
  const write = async (): Promise<unknown> => query(open.orm)
  open.underWay.push(
    write().catch((cause: unknown) => {
      open.failure ??= databaseFault(doing, cause)
    }),
  )
}

function counted<A>(
  database: Database["Type"],
  doing: string,
  query: () => PromiseLike<A>,
): Effect.Effect<A, DatabaseFault> {
  return Effect.tryPromise({
    try: async () => {
      database.underWay.count += 1
      try {
        return await query()
      } finally {
        database.underWay.count -= 1
      }
    },
    catch: (cause) => databaseFault(doing, cause),
  })
}
