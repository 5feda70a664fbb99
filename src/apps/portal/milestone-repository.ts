/** Milestones of the sandbox over their declared table. */

import { Effect, Layer } from "effect"
import { SealedTables, Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { webhookEndpoints } from "../../areas/webhooks/store.ts"
import { MilestoneRows, sandboxMilestones } from "./milestones.ts"

type Rows = MilestoneRows["Type"]

/** `noteFor` must find the endpoint's organization itself; each host does it in its own way. */
export function milestoneRowsOver(tables: Tables["Type"], noteFor: Rows["noteFor"]): Rows {
  const milestones = tables.of(sandboxMilestones)
  return {
    noteFor,
    note: (organizationId, milestone, reached) =>
      milestones.insertOrIgnore({ organizationId, milestone, ...reached }),
    of: (organizationId) =>
      Routine.map(
        milestones.list({ organizationId }, { order: "any" }),
        (rows) => new Map(rows.map(({ milestone, atMs, by }) => [milestone, { atMs, by }])),
      ),
  }
}

/** Reads the endpoint first; `./store` does it in one statement. */
export function plainNoteFor(tables: Tables["Type"], sealedTables: SealedTables["Type"]): Rows["noteFor"] {
  const endpoints = sealedTables.of(webhookEndpoints)
  const milestones = tables.of(sandboxMilestones)
  return Routine.fn(function* (webhookId, milestone, reached) {
    const endpoint = yield* endpoints.get({ webhookId })
    if (endpoint?.environment !== "sandbox") return
    yield* milestones.insertOrIgnore({ organizationId: endpoint.organizationId, milestone, ...reached })
  })
}

export const layerPlainMilestoneRows: Layer.Layer<MilestoneRows, never, SealedTables | Tables> = Layer.effect(
  MilestoneRows,
  Effect.map(Effect.all([Tables, SealedTables]), ([tables, sealedTables]) =>
    milestoneRowsOver(tables, plainNoteFor(tables, sealedTables)),
  ),
)
