/** Tokens with their users, and the counters of limits, over SQL. */

import { and, eq, inArray, lte, sql } from "drizzle-orm"
import { bigint, boolean, pgTable, text } from "drizzle-orm/pg-core"
import { Effect, Layer } from "effect"
import { grantRowsOver } from "../linking-repository.ts"
import { GrantRows, LinkingLimitRows, connectorPause, linkedUsers, oauthTokens } from "../rows.ts"
import type { Taken } from "../rows.ts"
import { Database } from "../../../engine/store/database.ts"
import { declaredTable } from "../../../engine/store/declared-table.ts"
import { tablesOver } from "../../../engine/store/sql-tables.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { ask, preparedQuery } from "../../../engine/store/prepared-query.ts"
import { Routine } from "../../../engine/services/routine.ts"

const pause = declaredTable(connectorPause)
const tokens = declaredTable(oauthTokens)
const users = declaredTable(linkedUsers)

/** The count of each bucket; only the statements that write them know the instants. */
const linkingLimits = pgTable("linking_limits", {
  bucket: text().primaryKey(),
  isTaken: boolean().notNull(),
  endsAtMs: bigint({ mode: "number" }).notNull(),
})

export const layerGrantRows: Layer.Layer<GrantRows, never, Database> = Layer.effect(
  GrantRows,
  Effect.map(Database, (database) => grantRowsOver(tablesOver(database), joined(database))),
)

/** Read at each call of the connector: one statement instead of one for each table. */
function joined(database: Database["Type"]): Pick<GrantRows["Type"], "token" | "tokenAtSwitch"> {
  const { read, readByKey } = sqlOver(database)
  const { tokenQuery, atSwitchQuery } = tokenQueries(database)
  return {
    token: (tokenHash) =>
      Routine.map(
        read("reading a token", (orm) => tokenQuery(orm).execute({ tokenHash })),
        ([row]) => row ?? null,
      ),
    tokenAtSwitch: (tokenHash) =>
      Routine.map(
        readByKey("reading a token and the switch", (orm) => atSwitchQuery(orm).execute({ tokenHash })),
        ([row]) => {
          const { pausedAtMs = null, token = null, isUserEnabled = null } = row ?? {}
          return {
            pausedAtMs,
            found: token === null || isUserEnabled === null ? null : { token, isUserEnabled },
          }
        },
      ),
  }
}

function tokenQueries(database: Database["Type"]) {
  return {
    tokenQuery: preparedQuery(database, (orm) =>
      orm
        .select({ token: tokens, isUserEnabled: users.isEnabled })
        .from(tokens)
        .innerJoin(users, eq(users.userId, tokens.userId))
        .where(eq(tokens.tokenHash, sql.placeholder("tokenHash")))
        .prepare("token"),
    ),
    // Always one row, joined with the switch and the token if they exist.
    atSwitchQuery: preparedQuery(database, (orm) =>
      orm
        .select({
          pausedAtMs: pause.pausedAtMs,
          token: tokens,
          isUserEnabled: users.isEnabled,
        })
        .from(sql`(select 1) as asked`)
        .leftJoin(pause, sql`true`)
        .leftJoin(tokens, eq(tokens.tokenHash, sql.placeholder("tokenHash")))
        .leftJoin(users, eq(users.userId, tokens.userId))
        .prepare("token at switch"),
    ),
  }
}

/** One statement: the row is locked while it is checked, so concurrent calls never take more than allowed. */
const TAKE = `
insert into linking_limits as l (bucket, at_ms, is_taken, ends_at_ms)
values ($1, array[$2::bigint], true, $2::bigint + $3::bigint)
on conflict (bucket) do update set (at_ms, is_taken, ends_at_ms) = (
  select case when cardinality(live.at_ms) < $4::int then live.at_ms || $2::bigint else live.at_ms end,
         cardinality(live.at_ms) < $4::int,
         greatest(l.ends_at_ms, $2::bigint + $3::bigint)
  from (
    select array(select t from unnest(l.at_ms) as t where t > $2::bigint - $3::bigint order by t)
  ) as live (at_ms)
)
returning is_taken, at_ms[1]::text as oldest`

const LOOK = `
select count(*) < $4::int as is_taken, min(t)::text as oldest
from linking_limits, unnest(at_ms) as t
where bucket = $1 and t > $2::bigint - $3::bigint`

export const layerLinkingLimitRows: Layer.Layer<LinkingLimitRows, never, Database> = Layer.effect(
  LinkingLimitRows,
  Effect.map(Database, (database): LinkingLimitRows["Type"] => {
    const { read, writeReturning } = sqlOver(database)
    const asking =
      (doing: string, statement: string): LinkingLimitRows["Type"]["take"] =>
      ({ bucket, max, windowMs, nowMs }) =>
        Routine.map(
          read(doing, (orm) => ask(orm, statement, [bucket, nowMs, windowMs, max])),
          ([row]): Taken => ({
            isTaken: row?.["is_taken"] === true,
            freeAtMs: typeof row?.["oldest"] === "string" ? Number(row["oldest"]) + windowMs : null,
          }),
        )
    return {
      take: asking("taking from a limit", TAKE),
      look: asking("looking at a limit", LOOK),
      purge: ({ beforeMs, limit }) =>
        Routine.map(
          writeReturning("purging limits", (orm) => {
            const old = orm
              .select({ bucket: linkingLimits.bucket })
              .from(linkingLimits)
              .where(lte(linkingLimits.endsAtMs, beforeMs))
              .limit(limit)
            return orm
              .delete(linkingLimits)
              .where(and(inArray(linkingLimits.bucket, old), lte(linkingLimits.endsAtMs, beforeMs)))
              .returning({ bucket: linkingLimits.bucket })
          }),
          ({ length }) => length,
        ),
    }
  }),
)
