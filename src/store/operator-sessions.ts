/** Sessions of operators, and the audit of events sent by hand, over SQL. */

import { and, asc, desc, eq, inArray, lt, lte } from "drizzle-orm"
import { bigint, bigserial, integer, pgTable, text } from "drizzle-orm/pg-core"
import { Effect, Layer } from "effect"
import type { Environment } from "../model/caller.ts"
import { OperatorAudit } from "../services/inspection/audit.ts"
import type { SendingOutcome } from "../services/inspection/audit.ts"
import { operatorTokens as declaredOperatorTokens } from "../services/access/operator-tokens.ts"
import { OperatorSessionRows } from "../services/inspection/operator-sessions.ts"
import { Database } from "./database.ts"
import { declaredTable } from "./declared-table.ts"
import { sqlOver } from "./transaction.ts"

const operatorTokens = declaredTable(declaredOperatorTokens)

const ms = () => bigint({ mode: "number" })

/** A session's value is not stored: `tokenHash` is its SHA-256. */
const operatorSessions = pgTable("operator_sessions", {
  tokenHash: text().primaryKey(),
  operatorTokenId: text().notNull(),
  createdAtMs: ms().notNull(),
  endsAtMs: ms().notNull(),
})

/**
 * `operatorTokenId` is the name of the sender if there was no token, as for the command line; the list shows it
 * unchanged.
 */
export const operatorAudit = pgTable("operator_audit", {
  number: bigserial({ mode: "number" }).primaryKey(),
  environment: text().$type<Environment>().notNull(),
  atMs: ms().notNull(),
  operatorTokenId: text().notNull(),
  actor: text().notNull(),
  eventType: text().notNull(),
  outcome: text().$type<SendingOutcome>().notNull(),
  code: text(),
  revision: integer(),
})

export const layerOperatorSessionRows: Layer.Layer<OperatorSessionRows, never, Database> = Layer.effect(
  OperatorSessionRows,
  Effect.map(Database, (database): OperatorSessionRows["Type"] => {
    const { read, write, writeReturning } = sqlOver(database)
    return {
      insert: (session) =>
        write("inserting an operator's session", (orm) => orm.insert(operatorSessions).values(session)),
      byHash: (tokenHash) =>
        Effect.map(
          read("reading an operator's session", (orm) =>
            orm.select().from(operatorSessions).where(eq(operatorSessions.tokenHash, tokenHash)),
          ),
          ([row]) => row ?? null,
        ),
      remove: (tokenHash) =>
        write("removing an operator's session", (orm) =>
          orm.delete(operatorSessions).where(eq(operatorSessions.tokenHash, tokenHash)),
        ),
      purge: ({ beforeMs, limit }) =>
        Effect.map(
          writeReturning("purging operators' sessions", (orm) => {
            const { tokenHash, endsAtMs } = operatorSessions
            const old = orm
              .select({ tokenHash })
              .from(operatorSessions)
              .where(lte(endsAtMs, beforeMs))
              .orderBy(asc(endsAtMs))
              .limit(limit)
            return orm.delete(operatorSessions).where(inArray(tokenHash, old)).returning({ tokenHash })
          }),
          ({ length }) => length,
        ),
    }
  }),
)

export const layerOperatorAudit: Layer.Layer<OperatorAudit, never, Database> = Layer.effect(
  OperatorAudit,
  Effect.map(Database, (database): OperatorAudit["Type"] => {
    const { read, write, writeReturning } = sqlOver(database)
    return {
      purge: ({ beforeMs, limit }) =>
        Effect.map(
          writeReturning("purging the audit", (orm) => {
            const { number, atMs } = operatorAudit
            const old = orm
              .select({ number })
              .from(operatorAudit)
              .where(lte(atMs, beforeMs))
              .orderBy(asc(atMs))
              .limit(limit)
            return orm.delete(operatorAudit).where(inArray(number, old)).returning({ number })
          }),
          ({ length }) => length,
        ),
      insert: (entry) => write("writing the audit", (orm) => orm.insert(operatorAudit).values(entry)),
      list: ({ environment, beforeNumber, limit }) =>
        Effect.map(
          read("reading the audit", (orm) =>
            orm
              .select({ entry: operatorAudit, operator: operatorTokens.label })
              .from(operatorAudit)
              .leftJoin(operatorTokens, eq(operatorTokens.tokenId, operatorAudit.operatorTokenId))
              .where(
                and(
                  eq(operatorAudit.environment, environment),
                  ...(beforeNumber === null ? [] : [lt(operatorAudit.number, beforeNumber)]),
                ),
              )
              .orderBy(desc(operatorAudit.number))
              .limit(limit),
          ),
          (rows) =>
            rows.map(({ entry, operator }) => ({ ...entry, operator: operator ?? entry.operatorTokenId })),
        ),
    }
  }),
)
