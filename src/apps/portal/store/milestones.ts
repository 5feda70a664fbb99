/** Milestones of the sandbox over SQL. */

import { and, eq, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { milestoneRowsOver } from "../milestone-repository.ts"
import { MilestoneRows, sandboxMilestones } from "../milestones.ts"
import type { Milestone } from "../milestones.ts"
import { webhookEndpoints } from "../../../areas/webhooks/store.ts"
import type { Actor } from "../../../engine/services/actor.ts"
import { Database } from "../../../engine/store/database.ts"
import { declaredTable } from "../../../engine/store/declared-table.ts"
import { tablesOver } from "../../../engine/store/sql-tables.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"

const endpoints = declaredTable(webhookEndpoints)

export const layerMilestoneRows: Layer.Layer<MilestoneRows, never, Database> = Layer.effect(
  MilestoneRows,
  Effect.map(Database, (database) => {
    const { write } = sqlOver(database)
    // One statement, even if the endpoint is in production and nothing is written, because attempts are frequent.
    return milestoneRowsOver(tablesOver(database), (webhookId, milestone, { atMs, by }) =>
      write("noting a milestone", (orm) =>
        orm
          .insert(declaredTable(sandboxMilestones))
          .select(
            orm
              .select({
                organizationId: endpoints.organizationId,
                milestone: sql<Milestone>`${milestone}::text`.as("milestone"),
                atMs: sql<number>`${atMs}::bigint`.as("at_ms"),
                by: sql<Actor | null>`${by === null ? null : JSON.stringify(by)}::json`.as("done_by"),
              })
              .from(endpoints)
              .where(and(eq(endpoints.webhookId, webhookId), eq(endpoints.environment, "sandbox"))),
          )
          .onConflictDoNothing(),
      ),
    )
  }),
)
