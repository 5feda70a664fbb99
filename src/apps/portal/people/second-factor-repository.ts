/** Second factors over their declared tables. */

import { Effect, Layer } from "effect"
import { SealedTables, Tables } from "../../../engine/services/tables/tables.ts"
import { Routine } from "../../../engine/services/routine.ts"
import {
  SecondFactorRows,
  passkeyChallenges,
  passkeys,
  recoveryCodes,
  secondFactors,
} from "./second-factor-rows.ts"

export const layerSecondFactorRows: Layer.Layer<SecondFactorRows, never, SealedTables | Tables> =
  Layer.effect(
    SecondFactorRows,
    Effect.map(Effect.all([Tables, SealedTables]), ([tables, sealedTables]): SecondFactorRows["Type"] => {
      const factors = sealedTables.of(secondFactors)
      const codes = tables.of(recoveryCodes)
      const keys = tables.of(passkeys)
      const challenges = tables.of(passkeyChallenges)
      return {
        put: factors.upsert,
        change: (accountId, change) => factors.update({ accountId }, change),
        factor: (accountId) => factors.get({ accountId }),
        insertCode: codes.insert,
        codes: (accountId) => codes.list({ accountId }, { order: ["codeHash"] }),
        deleteCode: (code) => codes.delete(code),
        deleteCodes: (accountId) => codes.delete({ accountId }),
        insertPasskey: keys.insert,
        changePasskey: (passkeyId, change) => keys.update({ passkeyId }, change),
        passkey: (passkeyId) => keys.get({ passkeyId }),
        passkeys: (accountId) => keys.list({ accountId }, { order: ["createdAtMs", "passkeyId"] }),
        deletePasskey: (passkeyId) => keys.delete({ passkeyId }),
        putChallenge: challenges.upsert,
        challenge: (accountId, purpose) => challenges.get({ accountId, purpose }),
        deleteChallenge: (accountId, purpose) => challenges.delete({ accountId, purpose }),
        remove: (accountId) =>
          Routine.inTurn(
            codes.delete({ accountId }),
            keys.delete({ accountId }),
            challenges.delete({ accountId }),
            factors.delete({ accountId }),
          ),
      }
    }),
  )
