/** What operators did by hand, over its declared table. */

import { Effect, Layer } from "effect"
import { operatorTokens } from "../../http/access/operator-tokens.ts"
import { below, descending, ifGiven, oneOf } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { OperatorAudit, operatorAudit } from "./audit.ts"

export const layerOperatorAudit: Layer.Layer<OperatorAudit, never, Tables> = Layer.effect(
  OperatorAudit,
  Effect.map(Tables, (tables): OperatorAudit["Type"] => {
    const entries = tables.of(operatorAudit)
    const tokens = tables.of(operatorTokens)
    return {
      insert: entries.insert,
      purge: purgeOf(operatorAudit, entries),
      list: Routine.fn(function* ({ environment, beforeNumber, limit }) {
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
        }))
      }),
    }
  }),
)
