/** Runners' phones over their declared tables. */

import { Effect, Layer } from "effect"
import { above, descending } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { RunnerPhoneRows, runnerCalls, runnerMoves, runnerPairings, runnerPhones } from "./rows.ts"

export const layerRunnerPhoneRows: Layer.Layer<RunnerPhoneRows, never, Tables> = Layer.effect(
  RunnerPhoneRows,
  Effect.map(Tables, (tables): RunnerPhoneRows["Type"] => {
    const pairings = tables.of(runnerPairings)
    const phones = tables.of(runnerPhones)
    const moves = tables.of(runnerMoves)
    const calls = tables.of(runnerCalls)
    return {
      insertPairing: pairings.insert,
      pairing: (codeHash) => pairings.get({ codeHash }),
      deletePairing: (codeHash) => pairings.delete({ codeHash }),
      insertPhone: phones.insert,
      phone: (phoneId) => phones.get({ phoneId }),
      phoneOf: (tokenHash) =>
        Routine.map(phones.list({ tokenHash }, { order: "any" }), ([phone]) => phone ?? null),
      phones: ({ environment, siteId, endsAfterMs }) =>
        phones.list({ environment, siteId, endsAtMs: above(endsAfterMs) }, { order: [descending("number")] }),
      endPhone: (phoneId, endsAtMs) => phones.update({ phoneId }, { endsAtMs }),
      insertMove: moves.insert,
      move: (phoneId, moveKey) => moves.get({ phoneId, moveKey }),
      moves: (environment, reservationId) =>
        moves.list({ environment, reservationId }, { order: ["number"] }),
      insertCall: calls.insert,
      call: (callId) => calls.get({ callId }),
      calls: ({ environment, siteId, afterMs, limit }) =>
        calls.list(
          { environment, siteId, calledAtMs: above(afterMs) },
          { order: [descending("number")], limit },
        ),
      purgeCalls: purgeOf(runnerCalls, calls),
      purgePairings: purgeOf(runnerPairings, pairings),
      purgePhones: purgeOf(runnerPhones, phones),
      purgeMoves: purgeOf(runnerMoves, moves),
    }
  }),
)
