/** Operators' accounts, second factors and sessions over their declared tables. */

import { Effect, Layer } from "effect"
import { below, descending, ifGiven } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { SealedTables, Tables } from "../../engine/services/tables/tables.ts"
import { endedSessions } from "../portal/people/ended-sessions.ts"
import { Routine } from "../../engine/services/routine.ts"
import { OperatorActionRows, operatorActions } from "./actions.ts"
import { OperatorSessionRows, operatorSessions } from "./operator-sessions.ts"
import {
  OperatorAccountRows,
  OperatorFactorRows,
  operatorAccountSessions,
  operatorAccounts,
  operatorChallenges,
  operatorRecoveryCodes,
  operatorSecondFactors,
} from "./rows.ts"

export const layerOperatorSessionRows: Layer.Layer<OperatorSessionRows, never, Tables> = Layer.effect(
  OperatorSessionRows,
  Effect.map(Tables, (tables): OperatorSessionRows["Type"] => {
    const sessions = tables.of(operatorSessions)
    return {
      insert: sessions.insert,
      byHash: (tokenHash) => sessions.get({ tokenHash }),
      remove: (tokenHash) => sessions.delete({ tokenHash }),
      purge: purgeOf(operatorSessions, sessions),
    }
  }),
)

export const layerOperatorAccountRows: Layer.Layer<OperatorAccountRows, never, Tables> = Layer.effect(
  OperatorAccountRows,
  Effect.map(Tables, (tables): OperatorAccountRows["Type"] => {
    const accounts = tables.of(operatorAccounts)
    const challenges = tables.of(operatorChallenges)
    const sessions = tables.of(operatorAccountSessions)
    const ended = tables.of(endedSessions)
    return {
      insert: accounts.insert,
      change: (accountId, change) => accounts.update({ accountId }, change),
      account: (accountId) => accounts.get({ accountId }),
      accountOf: (email) => accounts.first({ email }),
      accounts: accounts.list({}, { order: ["number"] }),
      insertChallenge: challenges.insert,
      challenge: (tokenHash) => challenges.get({ tokenHash }),
      changeChallenge: (tokenHash, change) => challenges.update({ tokenHash }, change),
      removeChallenges: (accountId, kind) => challenges.delete({ accountId, kind }),
      insertSession: sessions.insert,
      session: (tokenHash) => sessions.get({ tokenHash }),
      removeSession: (tokenHash) => sessions.delete({ tokenHash }),
      endSessions: Routine.fn(function* ({ accountId, exceptTokenHash }, end) {
        for (const { tokenHash, endsAtMs } of yield* sessions.list({ accountId }, { order: ["tokenHash"] })) {
          if (tokenHash === exceptTokenHash) continue
          const reason = end.endedAtMs >= endsAtMs ? "over" : end.reason
          yield* ended.upsert({ tokenHash, reason, endedAtMs: end.endedAtMs })
          yield* sessions.delete({ tokenHash })
        }
      }),
      sessionEnd: (tokenHash) => ended.get({ tokenHash }),
      purgeChallenges: purgeOf(operatorChallenges, challenges),
      purgeSessions: purgeOf(operatorAccountSessions, sessions),
    }
  }),
)

export const layerOperatorFactorRows: Layer.Layer<OperatorFactorRows, never, SealedTables | Tables> =
  Layer.effect(
    OperatorFactorRows,
    Effect.map(Effect.all([Tables, SealedTables]), ([tables, sealedTables]): OperatorFactorRows["Type"] => {
      const factors = sealedTables.of(operatorSecondFactors)
      const codes = tables.of(operatorRecoveryCodes)
      return {
        put: factors.upsert,
        change: (accountId, change) => factors.update({ accountId }, change),
        factor: (accountId) => factors.get({ accountId }),
        insertCode: codes.insert,
        codes: (accountId) => codes.list({ accountId }, { order: ["codeHash"] }),
        deleteCode: (code) => codes.delete(code),
        deleteCodes: (accountId) => codes.delete({ accountId }),
        remove: (accountId) => Routine.zipRight(codes.delete({ accountId }), factors.delete({ accountId })),
      }
    }),
  )

export const layerOperatorActionRows: Layer.Layer<OperatorActionRows, never, Tables> = Layer.effect(
  OperatorActionRows,
  Effect.map(Tables, (tables): OperatorActionRows["Type"] => {
    const actions = tables.of(operatorActions)
    return {
      append: actions.insert,
      list: ({ environment, actorId, beforeNumber, limit }) =>
        actions.list(
          { environment, actorId: ifGiven(actorId, (id) => id), number: ifGiven(beforeNumber, below) },
          { order: [descending("number")], limit },
        ),
      purge: purgeOf(operatorActions, actions),
    }
  }),
)
