/** Accounts, sessions and challenges of the portal over SQL. */

import { eq, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { portalRowsOver } from "../portal-repository.ts"
import { PortalRows, portalAccounts, portalSessions } from "../rows.ts"
import { Database } from "../../../engine/store/database.ts"
import { declaredTable, shownColumns } from "../../../engine/store/declared-table.ts"
import { preparedQuery } from "../../../engine/store/prepared-query.ts"
import { tablesOver } from "../../../engine/store/sql-tables.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { Routine } from "../../../engine/services/routine.ts"

const accounts = declaredTable(portalAccounts)
const sessions = declaredTable(portalSessions)

export const layerPortalRows: Layer.Layer<PortalRows, never, Database> = Layer.effect(
  PortalRows,
  Effect.map(Database, (database) => {
    const { read } = sqlOver(database)
    // Read at each request: one statement instead of two.
    const session = preparedQuery(database, (orm) =>
      orm
        .select({ session: shownColumns(portalSessions), account: shownColumns(portalAccounts) })
        .from(sessions)
        .innerJoin(accounts, eq(accounts.accountId, sessions.accountId))
        .where(eq(sessions.tokenHash, sql.placeholder("tokenHash")))
        .prepare("session"),
    )
    return portalRowsOver(tablesOver(database), (tokenHash) =>
      Routine.map(
        read("reading a session", (orm) => session(orm).execute({ tokenHash })),
        ([row]) => row ?? null,
      ),
    )
  }),
)
