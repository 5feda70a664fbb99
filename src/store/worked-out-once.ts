/** Queries that drizzle works out once for a process instead of once for a request. */

import type { Database, Orm } from "./database.ts"

/** A query that is worked out once for the database, and anew in a transaction, which is another `orm` each time. */
export function workedOutOnce<Query>(
  database: Database["Type"],
  build: (orm: Orm) => Query,
): (orm: Orm) => Query {
  let kept: Query | null = null
  return (orm) => (orm === database.orm ? (kept ??= build(orm)) : build(orm))
}
