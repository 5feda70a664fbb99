/** Second factors over their declared tables. */

import { Effect, Layer } from "effect"
import { SealedTables, Tables } from "../services/tables/tables.ts"
import { SecondFactorRows, recoveryCodes, secondFactors } from "./second-factor-rows.ts"

export const layerSecondFactorRows: Layer.Layer<SecondFactorRows, never, SealedTables | Tables> =
  Layer.effect(
    SecondFactorRows,
    Effect.map(Effect.all([Tables, SealedTables]), ([tables, sealedTables]): SecondFactorRows["Type"] => {
      const factors = sealedTables.of(secondFactors)
      const codes = tables.of(recoveryCodes)
      return {
        put: factors.upsert,
        change: (accountId, change) => factors.update({ accountId }, change),
        factor: (accountId) => factors.get({ accountId }),
        insertCode: codes.insert,
        codes: (accountId) => codes.list({ accountId }, { order: ["codeHash"] }),
        deleteCode: (code) => codes.delete(code),
        deleteCodes: (accountId) => codes.delete({ accountId }),
        remove: (accountId) => Effect.zipRight(codes.delete({ accountId }), factors.delete({ accountId })),
      }
    }),
  )
