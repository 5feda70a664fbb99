/** Operator tokens over SQL. */

import { asc, eq } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { OperatorRows } from "../services/access/operator-tokens.ts"
import type { OperatorToken } from "../services/access/operator-tokens.ts"
import { Database } from "./database.ts"
import { operatorTokens } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

export const layerOperatorRows: Layer.Layer<OperatorRows, never, Database> = Layer.effect(
  OperatorRows,
  Effect.map(Database, (database): OperatorRows["Type"] => {
    const { read, write } = sqlOver(database)
    const first = (rows: readonly Row[]): OperatorToken | null =>
      rows[0] === undefined ? null : tokenOf(rows[0])
    return {
      byHash: (hash) =>
        Effect.map(
          read("reading an operator token", (orm) =>
            orm.select().from(operatorTokens).where(eq(operatorTokens.hash, hash)),
          ),
          first,
        ),
      token: (id) =>
        Effect.map(
          read("reading an operator token", (orm) =>
            orm.select().from(operatorTokens).where(eq(operatorTokens.tokenId, id)),
          ),
          first,
        ),
      tokens: (environment) =>
        Effect.map(
          read("reading operator tokens", (orm) =>
            orm
              .select()
              .from(operatorTokens)
              .where(eq(operatorTokens.environment, environment))
              .orderBy(asc(operatorTokens.number)),
          ),
          (rows) => rows.map(tokenOf),
        ),
      insert: (token) =>
        write("inserting an operator token", (orm) => orm.insert(operatorTokens).values(token)),
      change: (id, change) =>
        write("changing an operator token", (orm) =>
          orm.update(operatorTokens).set(change).where(eq(operatorTokens.tokenId, id)),
        ),
    }
  }),
)

type Row = OperatorToken & { readonly number: number }

function tokenOf({ number: _, ...token }: Row): OperatorToken {
  return token
}
