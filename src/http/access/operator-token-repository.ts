/** Operator tokens over their declared table. */

import { Effect, Layer } from "effect"
import { Tables } from "../../engine/services/tables/tables.ts"
import { OperatorRows, operatorTokens } from "./operator-tokens.ts"

export const layerOperatorRows: Layer.Layer<OperatorRows, never, Tables> = Layer.effect(
  OperatorRows,
  Effect.map(Tables, (tables): OperatorRows["Type"] => {
    const rows = tables.of(operatorTokens)
    return {
      byHash: (hash) => rows.first({ hash }),
      token: (tokenId) => rows.get({ tokenId }),
      tokens: (environment) => rows.list({ environment }, { order: ["number"] }),
      insert: rows.insert,
      change: (tokenId, change) => rows.update({ tokenId }, change),
    }
  }),
)
