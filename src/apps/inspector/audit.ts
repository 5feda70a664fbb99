/**
 * Audit of the events that operators sent by hand: who, when, to which actor, which event, and the result. Only ids, no
 * names.
 */

import { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import { operatorTokens } from "../../http/access/operator-tokens.ts"
import { KEEP_AUDIT_MS } from "../../model/values/limits.ts"
import { choice, epochMs, integer, serial, text } from "../../engine/services/tables/columns.ts"
import { below, descending, ifGiven, oneOf } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { NewRowOf, RowOf } from "../../engine/services/tables/table.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository } from "../../engine/services/service.ts"

/** `failed` is a fault of the service: the turn had no effect. */
export type SendingOutcome = "failed" | "refused" | "taken"

export const operatorAudit = table("operator_audit", {
  one: "an entry of the audit",
  many: "entries of the audit",
  columns: {
    number: serial(),
    environment: choice<Environment>(),
    atMs: epochMs(),
    /** Id of the operator's token, or the name of a sender without a token, such as the command line. */
    operatorTokenId: text(),
    /** Its address, or the name of what the command line changed. */
    actor: text(),
    eventType: text(),
    outcome: choice<SendingOutcome>(),
    /** The code of a refusal. */
    code: text().nullable(),
    /** The group's revision after the event; null when the journal has no entry of it. */
    revision: integer().nullable(),
  },
  key: ["number"],
  retention: { from: "atMs", keepMs: KEEP_AUDIT_MS },
  indexes: [{ name: "operator_audit_age", by: ["atMs"] }],
})

export type AuditEntry = NewRowOf<typeof operatorAudit>

export interface KeptAuditEntry extends RowOf<typeof operatorAudit> {
  /** The token's label, or the sender without a token. */
  readonly operator: string
}

export class OperatorAudit extends repository<OperatorAudit>()(
  "OperatorAudit",
  Effect.map(Tables, (tables) => {
    const entries = tables.of(operatorAudit)
    const tokens = tables.of(operatorTokens)
    return {
      insert: entries.insert,
      /** Newest first. */
      list: Routine.fn(function* ({ environment, beforeNumber, limit }: AuditQuery) {
        const found = yield* entries.list(
          { environment, number: ifGiven(beforeNumber, below) },
          { order: [descending("number")], limit },
        )
        const tokenId = oneOf(...new Set(found.map(({ operatorTokenId }) => operatorTokenId)))
        const known = yield* tokens.list({ tokenId }, { order: "any" })
        const labels = new Map(known.map((token) => [token.tokenId, token.label]))
        return found.map((entry) => ({
          ...entry,
          operator: labels.get(entry.operatorTokenId) ?? entry.operatorTokenId,
        })) satisfies readonly KeptAuditEntry[]
      }),
      purge: purgeOf(operatorAudit, entries),
    }
  }),
) {}

interface AuditQuery {
  readonly environment: Environment
  readonly beforeNumber: number | null
  readonly limit: number
}
