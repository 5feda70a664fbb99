/** Authorization codes, tokens and what limits count, over SQL. */

import { and, asc, eq, inArray, isNull, lte, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { GrantRows, LinkingLimitRows } from "../services/linking/rows.ts"
import type { Taken } from "../services/linking/rows.ts"
import { Database } from "./database.ts"
import { connectorPause, linkedUsers, linkingLimits, oauthCodes, oauthTokens } from "./linking-tables.ts"
import { sqlOver } from "./transaction.ts"
import { ask, preparedQuery } from "./prepared-query.ts"

export const layerGrantRows: Layer.Layer<GrantRows, never, Database> = Layer.effect(
  GrantRows,
  Effect.map(Database, (database): GrantRows["Type"] => ({
    ...codesOver(database),
    ...tokensOver(database),
  })),
)

type Codes = "changeCode" | "code" | "codeOfRequest" | "insertCode" | "purgeCodes"

function codesOver(database: Database["Type"]): Pick<GrantRows["Type"], Codes> {
  const { read, write, writeReturning } = sqlOver(database)
  return {
    insertCode: (code) =>
      write("inserting an authorization code", (orm) => orm.insert(oauthCodes).values(code)),
    changeCode: (codeHash, change) =>
      write("changing an authorization code", (orm) =>
        orm.update(oauthCodes).set(change).where(eq(oauthCodes.codeHash, codeHash)),
      ),
    code: (codeHash) =>
      Effect.map(
        read("reading an authorization code", (orm) =>
          orm.select().from(oauthCodes).where(eq(oauthCodes.codeHash, codeHash)),
        ),
        ([row]) => row ?? null,
      ),
    codeOfRequest: (requestId) =>
      Effect.map(
        read("reading an authorization code", (orm) =>
          orm.select().from(oauthCodes).where(eq(oauthCodes.requestId, requestId)),
        ),
        ([row]) => row ?? null,
      ),
    purgeCodes: ({ beforeMs, limit }) =>
      Effect.map(
        writeReturning("purging authorization codes", (orm) => {
          const old = orm
            .select({ id: oauthCodes.codeHash })
            .from(oauthCodes)
            .where(lte(oauthCodes.createdAtMs, beforeMs))
            .orderBy(asc(oauthCodes.createdAtMs))
            .limit(limit)
          return orm
            .delete(oauthCodes)
            .where(inArray(oauthCodes.codeHash, old))
            .returning({ id: oauthCodes.codeHash })
        }),
        ({ length }) => length,
      ),
  }
}

type Tokens = "insertToken" | "purgeTokens" | "revokeFamily" | "revokeToken" | "token" | "tokenAtSwitch"

function tokensOver(database: Database["Type"]): Pick<GrantRows["Type"], Tokens> {
  const { read, readByKey, write, writeReturning } = sqlOver(database)
  const { tokenQuery, atSwitchQuery } = tokenQueries(database)
  return {
    insertToken: (token) => write("inserting a token", (orm) => orm.insert(oauthTokens).values(token)),
    revokeToken: (tokenHash, revokedAtMs) =>
      write("revoking a token", (orm) =>
        orm
          .update(oauthTokens)
          .set({ revokedAtMs })
          .where(and(eq(oauthTokens.tokenHash, tokenHash), isNull(oauthTokens.revokedAtMs))),
      ),
    revokeFamily: (familyId, revokedAtMs) =>
      write("revoking a family of tokens", (orm) =>
        orm
          .update(oauthTokens)
          .set({ revokedAtMs })
          .where(and(eq(oauthTokens.familyId, familyId), isNull(oauthTokens.revokedAtMs))),
      ),
    token: (tokenHash) =>
      Effect.map(
        read("reading a token", (orm) => tokenQuery(orm).execute({ tokenHash })),
        ([row]) => row ?? null,
      ),
    tokenAtSwitch: (tokenHash) =>
      Effect.map(
        readByKey("reading a token and the switch", (orm) => atSwitchQuery(orm).execute({ tokenHash })),
        ([row]) => {
          const { pausedAtMs = null, token = null, isUserEnabled = null } = row ?? {}
          return {
            pausedAtMs,
            found: token === null || isUserEnabled === null ? null : { token, isUserEnabled },
          }
        },
      ),
    purgeTokens: ({ beforeMs, limit }) =>
      Effect.map(
        writeReturning("purging tokens", (orm) => {
          const old = orm
            .select({ id: oauthTokens.tokenHash })
            .from(oauthTokens)
            .where(lte(oauthTokens.endsAtMs, beforeMs))
            .orderBy(asc(oauthTokens.endsAtMs))
            .limit(limit)
          return orm
            .delete(oauthTokens)
            .where(inArray(oauthTokens.tokenHash, old))
            .returning({ id: oauthTokens.tokenHash })
        }),
        ({ length }) => length,
      ),
  }
}

function tokenQueries(database: Database["Type"]) {
  return {
    tokenQuery: preparedQuery(database, (orm) =>
      orm
        .select({ token: oauthTokens, isUserEnabled: linkedUsers.isEnabled })
        .from(oauthTokens)
        .innerJoin(linkedUsers, eq(linkedUsers.userId, oauthTokens.userId))
        .where(eq(oauthTokens.tokenHash, sql.placeholder("tokenHash")))
        .prepare("token"),
    ),
    // One row in any case, to which the switch and the token are joined if they are there.
    atSwitchQuery: preparedQuery(database, (orm) =>
      orm
        .select({
          pausedAtMs: connectorPause.pausedAtMs,
          token: oauthTokens,
          isUserEnabled: linkedUsers.isEnabled,
        })
        .from(sql`(select 1) as asked`)
        .leftJoin(connectorPause, sql`true`)
        .leftJoin(oauthTokens, eq(oauthTokens.tokenHash, sql.placeholder("tokenHash")))
        .leftJoin(linkedUsers, eq(linkedUsers.userId, oauthTokens.userId))
        .prepare("token at switch"),
    ),
  }
}

/** One statement: the row is locked while it is judged, so of many at once no more are taken than there are. */
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
      (doing: string, text: string): LinkingLimitRows["Type"]["take"] =>
      ({ bucket, max, windowMs, nowMs }) =>
        Effect.map(
          read(doing, (orm) => ask(orm, text, [bucket, nowMs, windowMs, max])),
          ([row]): Taken => ({
            isTaken: row?.["is_taken"] === true,
            freeAtMs: typeof row?.["oldest"] === "string" ? Number(row["oldest"]) + windowMs : null,
          }),
        )
    return {
      take: asking("taking from a limit", TAKE),
      look: asking("looking at a limit", LOOK),
      purge: ({ beforeMs, limit }) =>
        Effect.map(
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
