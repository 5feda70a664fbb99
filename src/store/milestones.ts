/** Milestones of the sandbox over SQL. */

import { and, eq, sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { MilestoneRows } from "../services/portal/milestones.ts"
import type { Milestone } from "../services/portal/milestones.ts"
import { Database } from "./database.ts"
import { sandboxMilestones, webhookEndpoints } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

export const layerMilestoneRows: Layer.Layer<MilestoneRows, never, Database> = Layer.effect(
  MilestoneRows,
  Effect.map(Database, (database): MilestoneRows["Type"] => {
    const { read, write } = sqlOver(database)
    return {
      // One statement, also where the endpoint is one of production and nothing is to be noted: attempts are many.
      noteFor: (webhookId, milestone, atMs) =>
        write("noting a milestone", (orm) =>
          orm
            .insert(sandboxMilestones)
            .select(
              orm
                .select({
                  organizationId: webhookEndpoints.organizationId,
                  milestone: sql<Milestone>`${milestone}::text`.as("milestone"),
                  atMs: sql<number>`${atMs}::bigint`.as("at_ms"),
                })
                .from(webhookEndpoints)
                .where(
                  and(eq(webhookEndpoints.webhookId, webhookId), eq(webhookEndpoints.environment, "sandbox")),
                ),
            )
            .onConflictDoNothing(),
        ),
      of: (organizationId) =>
        Effect.map(
          read("reading milestones", (orm) =>
            orm
              .select({ milestone: sandboxMilestones.milestone })
              .from(sandboxMilestones)
              .where(eq(sandboxMilestones.organizationId, organizationId)),
          ),
          (rows) => new Set(rows.map(({ milestone }) => milestone)),
        ),
    }
  }),
)
