/** Counted attempts over SQL. */

import { and, eq, inArray, lte, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { AttemptCounter } from "../services/portal/rows.ts"
import { Database } from "./database.ts"
import { portalAttempts } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

/** Counts are rows that go on living when a command is refused. */
export const layerAttemptCounter: Layer.Layer<AttemptCounter, never, Database> = Layer.effect(
  AttemptCounter,
  Effect.map(Database, (database): AttemptCounter["Type"] => {
    const { read, writeReturning } = sqlOver(database)
    return {
      count: ({ bucket, startsAtMs }) =>
        Effect.map(
          read("counting an attempt", (orm) =>
            orm
              .insert(portalAttempts)
              .values({ bucket, startsAtMs, count: 1 })
              .onConflictDoUpdate({
                target: portalAttempts.bucket,
                set: {
                  count: sql`case when ${portalAttempts.startsAtMs} = excluded.starts_at_ms then ${portalAttempts.count} + 1 else 1 end`,
                  startsAtMs: sql`greatest(${portalAttempts.startsAtMs}, excluded.starts_at_ms)`,
                },
              })
              .returning({ count: portalAttempts.count }),
          ),
          ([row]) => row?.count ?? 1,
        ),
      forget: (bucket) =>
        Effect.asVoid(
          read("forgetting attempts", (orm) =>
            orm.delete(portalAttempts).where(eq(portalAttempts.bucket, bucket)),
          ),
        ),
      purge: ({ beforeMs, limit }) =>
        Effect.map(
          writeReturning("purging attempts", (orm) => {
            const old = orm
              .select({ bucket: portalAttempts.bucket })
              .from(portalAttempts)
              .where(lte(portalAttempts.startsAtMs, beforeMs))
              .limit(limit)
            return orm
              .delete(portalAttempts)
              .where(and(inArray(portalAttempts.bucket, old), lte(portalAttempts.startsAtMs, beforeMs)))
              .returning({ bucket: portalAttempts.bucket })
          }),
          ({ length }) => length,
        ),
    }
  }),
)
