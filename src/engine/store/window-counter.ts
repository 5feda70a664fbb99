/** Counts in windows of the clock over SQL: one row a bucket, with the count of its latest window. */

import { and, between, eq, inArray, lte, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { AttemptCounter } from "../services/rate-limits/attempts.ts"
import type { RateWindow, WindowCounter } from "../services/rate-limits/window-counter.ts"
import { Routine } from "../services/routine.ts"
import { Database } from "./database.ts"
import { isWriteOutage } from "./outages.ts"
import { preparedQuery } from "./prepared-query.ts"
import { portalAttempts, requestCounts } from "./schema.ts"
import { sqlOver } from "./transaction.ts"
import type { Sql } from "./transaction.ts"

export const layerAttemptCounter: Layer.Layer<AttemptCounter, never, Database> = Layer.effect(
  AttemptCounter,
  Effect.map(Database, (database) => attemptCounts(database)),
)

/**
 * Counts of requests, on the connection whose writes may be lost when the database crashes. While nothing can be written
 * they are not counted, so that reads go on.
 */
export function requestCountsOver(database: Database["Type"]): WindowCounter {
  const counting = sqlOver(database).readByKey
  return countsIn(database, { table: requestCounts, of: "requests", counting, orRead: unlessWritable })
}

/** Attempts that cannot be counted are refused. */
function attemptCounts(database: Database["Type"]): WindowCounter {
  const counting = sqlOver(database).read
  return countsIn(database, { table: portalAttempts, of: "attempts", counting, orRead: (written) => written })
}

/** The written answer; the one that is only read when nothing can be written. */
export async function unlessWritable<A>(written: PromiseLike<A>, read: () => PromiseLike<A>): Promise<A> {
  try {
    return await written
  } catch (cause) {
    if (isWriteOutage(cause)) return read()
    throw cause
  }
}

interface Counts {
  readonly table: typeof portalAttempts | typeof requestCounts
  /** For error messages and traces. */
  readonly of: string
  readonly counting: Sql["read"]
  readonly orRead: <A>(written: PromiseLike<A>, read: () => PromiseLike<A>) => PromiseLike<A>
}

/** Counts are kept when a command is rolled back, because a refused command was a request too. */
function countsIn(database: Database["Type"], { table, of, counting, orRead }: Counts): WindowCounter {
  const { read, write, writeReturning } = sqlOver(database)
  const startsAtMs = sql.placeholder("startsAtMs")
  /** Whether a window counts in the row's: the row's is the same or the next one. */
  const isCounted = between(table.startsAtMs, startsAtMs, sql.placeholder("untilMs"))
  const countQuery = preparedQuery(database, (orm) =>
    orm
      .insert(table)
      .values({ bucket: sql.placeholder("bucket"), startsAtMs, count: 1 })
      .onConflictDoUpdate({
        target: table.bucket,
        set: {
          count: sql`case when ${isCounted} then ${table.count} + 1 else 1 end`,
          startsAtMs: sql`case when ${isCounted} then ${table.startsAtMs} else excluded.starts_at_ms end`,
        },
      })
      .returning({ count: table.count })
      .prepare(`count ${of}`),
  )
  const countedQuery = preparedQuery(database, (orm) =>
    orm
      .select({ count: table.count })
      .from(table)
      .where(and(eq(table.bucket, sql.placeholder("bucket")), isCounted))
      .prepare(`counted ${of}`),
  )
  return {
    add: (window) => write(`counting ${of}`, (orm) => countQuery(orm).execute(valuesOf(window))),
    count: (window) =>
      Routine.map(
        counting(`counting ${of}`, (orm) =>
          orRead(countQuery(orm).execute(valuesOf(window)), () =>
            countedQuery(orm).execute(valuesOf(window)),
          ),
        ),
        ([row]) => row?.count ?? 1,
      ),
    counted: (window) =>
      Routine.map(
        counting(`reading a count of ${of}`, (orm) => countedQuery(orm).execute(valuesOf(window))),
        ([row]) => row?.count ?? 0,
      ),
    forget: (bucket) =>
      Routine.asVoid(read(`forgetting ${of}`, (orm) => orm.delete(table).where(eq(table.bucket, bucket)))),
    purge: ({ beforeMs, limit }) =>
      Routine.map(
        writeReturning(`purging counts of ${of}`, (orm) => {
          const old = orm
            .select({ bucket: table.bucket })
            .from(table)
            .where(lte(table.startsAtMs, beforeMs))
            .limit(limit)
          return orm
            .delete(table)
            .where(and(inArray(table.bucket, old), lte(table.startsAtMs, beforeMs)))
            .returning({ bucket: table.bucket })
        }),
        ({ length }) => length,
      ),
  }
}

function valuesOf({ bucket, startsAtMs, lengthMs }: RateWindow) {
  return { bucket, startsAtMs, untilMs: startsAtMs + lengthMs }
}
