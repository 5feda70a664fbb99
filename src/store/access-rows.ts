/** Organizations, API keys and request counts over SQL. */

import { and, asc, eq, gte, inArray, lte, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { RateCounter } from "../services/access/rate-limits.ts"
import { AccessRows } from "../services/access/rows.ts"
import type { ApiKey } from "../services/access/rows.ts"
import { Database } from "./database.ts"
import { workedOutOnce } from "./worked-out-once.ts"
import { apiKeys, organizations, requestCounts } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

export const layerAccessRows: Layer.Layer<AccessRows, never, Database> = Layer.effect(
  AccessRows,
  Effect.map(Database, (database): AccessRows["Type"] => {
    const { read, write } = sqlOver(database)
    const holderQuery = workedOutOnce(database, (orm) =>
      orm
        .select({ key: apiKeys, organization: organizations })
        .from(apiKeys)
        .innerJoin(organizations, eq(organizations.organizationId, apiKeys.organizationId))
        .where(eq(apiKeys.hash, sql.placeholder("hash")))
        .prepare("holder"),
    )
    const first = <Row>(rows: readonly Row[]): Row | null => rows[0] ?? null
    return {
      holder: (hash) =>
        Effect.map(
          read("reading a key", (orm) => holderQuery(orm).execute({ hash })),
          ([row]) => (row === undefined ? null : { key: keyOf(row.key), organization: row.organization }),
        ),
      organization: (id) =>
        Effect.map(
          read("reading an organization", (orm) =>
            orm.select().from(organizations).where(eq(organizations.organizationId, id)),
          ),
          first,
        ),
      organizations: read("reading organizations", (orm) =>
        orm.select().from(organizations).orderBy(asc(organizations.organizationId)),
      ),
      insertOrganization: (organization) =>
        write("inserting an organization", (orm) =>
          orm.insert(organizations).values({ ...organization, environments: [...organization.environments] }),
        ),
      changeOrganization: (id, change) =>
        write("changing an organization", (orm) =>
          orm.update(organizations).set(change).where(eq(organizations.organizationId, id)),
        ),
      key: (id) =>
        Effect.map(
          read("reading a key", (orm) => orm.select().from(apiKeys).where(eq(apiKeys.keyId, id))),
          ([row]) => (row === undefined ? null : keyOf(row)),
        ),
      keys: (organizationId) =>
        Effect.map(
          read("reading keys", (orm) =>
            orm
              .select()
              .from(apiKeys)
              .where(eq(apiKeys.organizationId, organizationId))
              .orderBy(asc(apiKeys.number)),
          ),
          (rows) => rows.map(keyOf),
        ),
      insertKey: (key) => write("inserting a key", (orm) => orm.insert(apiKeys).values(key)),
      changeKey: (id, change) =>
        write("changing a key", (orm) => orm.update(apiKeys).set(change).where(eq(apiKeys.keyId, id))),
    }
  }),
)

/** Counts are rows that go on living when a command is rolled back: a refused command was a request too. */
export const layerRateCounter: Layer.Layer<RateCounter, never, Database> = Layer.effect(
  RateCounter,
  Effect.map(Database, (database): RateCounter["Type"] => {
    const { read, writeReturning } = sqlOver(database)
    const countQuery = workedOutOnce(database, (orm) =>
      orm
        .insert(requestCounts)
        .values({ bucket: sql.placeholder("bucket"), startsAtMs: sql.placeholder("startsAtMs"), count: 1 })
        .onConflictDoUpdate({
          target: requestCounts.bucket,
          set: {
            count: sql`case when ${requestCounts.startsAtMs} = excluded.starts_at_ms then ${requestCounts.count} + 1 else 1 end`,
            startsAtMs: sql`greatest(${requestCounts.startsAtMs}, excluded.starts_at_ms)`,
          },
        })
        .returning({ count: requestCounts.count })
        .prepare("count"),
    )
    return {
      purge: ({ beforeMs, limit }) =>
        Effect.map(
          writeReturning("purging request counts", (orm) => {
            const old = orm
              .select({ bucket: requestCounts.bucket })
              .from(requestCounts)
              .where(lte(requestCounts.startsAtMs, beforeMs))
              .limit(limit)
            return orm
              .delete(requestCounts)
              .where(and(inArray(requestCounts.bucket, old), lte(requestCounts.startsAtMs, beforeMs)))
              .returning({ bucket: requestCounts.bucket })
          }),
          (gone) => gone.length,
        ),
      count: ({ bucket, startsAtMs }) =>
        Effect.map(
          read("counting a request", (orm) => countQuery(orm).execute({ bucket, startsAtMs })),
          ([row]) => row?.count ?? 1,
        ),
      counted: ({ bucket, startsAtMs }) =>
        Effect.map(
          read("reading a count", (orm) =>
            orm
              .select()
              .from(requestCounts)
              .where(and(eq(requestCounts.bucket, bucket), gte(requestCounts.startsAtMs, startsAtMs))),
          ),
          ([row]) => row?.count ?? 0,
        ),
    }
  }),
)

function keyOf({ number: _, ...key }: ApiKey & { readonly number: number }): ApiKey {
  return key
}
