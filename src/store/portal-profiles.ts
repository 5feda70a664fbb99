/** Profiles, requests for production access and counted attempts over SQL. */

import { and, asc, desc, eq, inArray, lte, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { AttemptCounter, ProfileRows } from "../services/portal/rows.ts"
import type { AccessRequest } from "../services/portal/rows.ts"
import { Database } from "./database.ts"
import { accessRequests, portalAttempts, portalProfiles } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

export const layerProfileRows: Layer.Layer<ProfileRows, never, Database> = Layer.effect(
  ProfileRows,
  Effect.map(Database, (database): ProfileRows["Type"] => {
    const { read, write } = sqlOver(database)
    return {
      putProfile: (profile) =>
        write("putting a profile", (orm) =>
          orm
            .insert(portalProfiles)
            .values(profile)
            .onConflictDoUpdate({ target: portalProfiles.organizationId, set: profile }),
        ),
      profile: (organizationId) =>
        Effect.map(
          read("reading a profile", (orm) =>
            orm.select().from(portalProfiles).where(eq(portalProfiles.organizationId, organizationId)),
          ),
          ([row]) => row ?? null,
        ),
      insertRequest: (request) =>
        write("inserting a request for access", (orm) => orm.insert(accessRequests).values(request)),
      changeRequest: (id, change) =>
        write("changing a request for access", (orm) =>
          orm.update(accessRequests).set(change).where(eq(accessRequests.requestId, id)),
        ),
      request: (id) =>
        Effect.map(
          read("reading a request for access", (orm) =>
            orm.select().from(accessRequests).where(eq(accessRequests.requestId, id)),
          ),
          ([row]) => (row === undefined ? null : requestOf(row)),
        ),
      requests: (organizationId) =>
        Effect.map(
          read("reading requests for access", (orm) =>
            orm
              .select()
              .from(accessRequests)
              .where(eq(accessRequests.organizationId, organizationId))
              .orderBy(desc(accessRequests.number)),
          ),
          (rows) => rows.map(requestOf),
        ),
      pending: Effect.map(
        read("reading requests for access", (orm) =>
          orm
            .select()
            .from(accessRequests)
            .where(eq(accessRequests.status, "pending"))
            .orderBy(asc(accessRequests.dueAtMs), asc(accessRequests.number)),
        ),
        (rows) => rows.map(requestOf),
      ),
    }
  }),
)

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

function requestOf({ number: _, ...row }: AccessRequest & { readonly number: number }): AccessRequest {
  return row
}
