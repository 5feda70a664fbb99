/**
 * The open SQL transaction, in the Effect context. Repositories write through it and nothing else, and read through it
 * when there is one: a stray query would hang PGlite for ever, and on PostgreSQL silently leave the transaction.
 */

import { Cause, Context, Data, Effect, Exit, Option, Runtime } from "effect"
import type { PgTransactionConfig } from "drizzle-orm/pg-core"
import { DatabaseFault, databaseFault } from "./database.ts"
import type { Database, Orm } from "./database.ts"

interface OpenTransaction {
  readonly orm: Orm
  isOpen: boolean
  /** A failed query makes PostgreSQL refuse the rest and turn the commit into a rollback: nobody may carry on. */
  failure: DatabaseFault | null
}

export class SqlTransaction extends Context.Tag("SqlTransaction")<SqlTransaction, OpenTransaction>() {}

/** A repository's way to its tables. */
export interface Sql {
  readonly read: <A>(doing: string, query: (orm: Orm) => PromiseLike<A>) => Effect.Effect<A>
  /** Dies without an open transaction. */
  readonly write: (doing: string, query: (orm: Orm) => PromiseLike<unknown>) => Effect.Effect<void>
  /** A write that says what it wrote. */
  readonly writeReturning: <A>(doing: string, query: (orm: Orm) => PromiseLike<A>) => Effect.Effect<A>
}

export function sqlOver(database: Database["Type"]): Sql {
  const writeReturning: Sql["writeReturning"] = (doing, query) =>
    Effect.flatMap(Effect.serviceOption(SqlTransaction), (open) =>
      Option.isSome(open)
        ? inside(open.value, doing, query)
        : Effect.die(databaseFault(doing, new Error("no transaction is open"))),
    )
  return {
    writeReturning,
    write: (doing, query) => Effect.asVoid(writeReturning(doing, query)),
    read: (doing, query) =>
      Effect.flatMap(Effect.serviceOption(SqlTransaction), (open) =>
        Option.isSome(open)
          ? inside(open.value, doing, query)
          : Effect.orDie(counted(database, doing, () => query(database.orm))),
      ),
  }
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
            const open: OpenTransaction = { orm, isOpen: true, failure: null }
            const provided = Effect.provideService(body, SqlTransaction, open)
            const ended = await Runtime.runPromiseExit(runtime)(provided)
            open.isOpen = false
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
): Effect.Effect<A> {
  return Effect.suspend(() => {
    if (!open.isOpen) return Effect.die(databaseFault(doing, new Error("its transaction has ended")))
    return Effect.tryPromise({
      try: async () => query(open.orm),
      catch: (cause) => {
        const fault = databaseFault(doing, cause)
        open.failure ??= fault
        return fault
      },
    }).pipe(Effect.orDie)
  })
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
