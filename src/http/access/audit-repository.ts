/** The audit logs of organizations over their declared table. */

import { Effect, Layer } from "effect"
import { atLeast, below, descending, ifGiven } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { AuditRows, organizationAudit } from "./audit-log.ts"

export const layerAuditRows: Layer.Layer<AuditRows, never, Tables> = Layer.effect(
  AuditRows,
  Effect.map(Tables, (tables): AuditRows["Type"] => {
    const lines = tables.of(organizationAudit)
    return {
      append: lines.insert,
      list: ({ organizationId, actorId, action, subjectId, fromMs, toMs, beforeNumber, limit }) =>
        lines.list(
          {
            organizationId,
            actorId: ifGiven(actorId, (id) => id),
            action: ifGiven(action, (name) => name),
            subjectId: ifGiven(subjectId, (id) => id),
            atMs: [ifGiven(fromMs, atLeast), ifGiven(toMs, below)],
            number: ifGiven(beforeNumber, below),
          },
          { order: [descending("number")], limit },
        ),
      purge: purgeOf(organizationAudit, lines),
    }
  }),
)
