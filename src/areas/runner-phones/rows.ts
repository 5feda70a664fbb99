/**
 * Rows of runners' phones: codes that pair one, the paired phones, the moves that they made, and the calls to them. Names
 * of runners are in the first two only; moves have ids. A call has the name of the operator who called.
 */

import { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import { KEEP_AUDIT_MS, KEEP_RUNNER_PHONES_MS } from "../../model/values/limits.ts"
import type { RunnerMove } from "../../model/requests/runner-moves.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { choice, epochMs, serial, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository } from "../../engine/services/service.ts"
import { above, descending } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { Tables } from "../../engine/services/tables/tables.ts"

/** A code that pairs one phone. Its value is not stored. */
export const runnerPairings = table("runner_pairings", {
  one: "a code of a runner's phone",
  many: "codes of runners' phones",
  columns: {
    codeHash: text(),
    environment: choice<Environment>(),
    siteId: text(),
    runnerId: text(),
    runnerName: text(),
    madeAtMs: epochMs(),
    endsAtMs: epochMs(),
  },
  key: ["codeHash"],
  retention: { from: "endsAtMs", keepMs: 0 },
  indexes: [{ name: "runner_pairings_age", by: ["endsAtMs"] }],
})

export type RunnerPairing = RowOf<typeof runnerPairings>

/** A paired phone. One that was ended ends at that instant. */
export const runnerPhones = table("runner_phones", {
  one: "a runner's phone",
  many: "runners' phones",
  columns: {
    phoneId: text(),
    number: serial().hidden(),
    environment: choice<Environment>(),
    siteId: text(),
    /** The runner in machines and events; the same for each phone of a shift. */
    runnerId: text(),
    runnerName: text(),
    /** SHA-256 of the session's token. */
    tokenHash: text(),
    pairedAtMs: epochMs(),
    endsAtMs: epochMs(),
  },
  key: ["phoneId"],
  retention: { from: "endsAtMs", keepMs: KEEP_RUNNER_PHONES_MS },
  indexes: [
    { name: "runner_phones_token", by: ["tokenHash"] },
    { name: "runner_phones_site", by: ["environment", "siteId", "endsAtMs"] },
    { name: "runner_phones_age", by: ["endsAtMs"] },
  ],
})

export type RunnerPhone = RowOf<typeof runnerPhones>

/** A move of a phone, by the key that the phone gave it: sent again, it is not made again. */
export const runnerMoves = table("runner_moves", {
  one: "a move of a runner's phone",
  many: "moves of runners' phones",
  columns: {
    phoneId: text(),
    moveKey: text(),
    number: serial().hidden(),
    environment: choice<Environment>(),
    reservationId: text(),
    runnerId: text(),
    move: choice<RunnerMove>(),
    /** `done`, or the code of its refusal. */
    outcome: text(),
    /** When the service took it; the real time, also in the sandbox. */
    atMs: epochMs(),
    /** When the runner pressed the button, by the phone's clock. No rule depends on it. */
    phoneAtMs: epochMs().nullable(),
  },
  key: ["phoneId", "moveKey"],
  retention: { from: "atMs", keepMs: KEEP_AUDIT_MS },
  indexes: [
    { name: "runner_moves_reservation", by: ["environment", "reservationId", "number"] },
    { name: "runner_moves_age", by: ["atMs"] },
  ],
})

export type RunnerMoveRow = RowOf<typeof runnerMoves>

/** A call of operations to the runners of a site. Whether it rings and who answered is the state of its group. */
export const runnerCalls = table("runner_calls", {
  one: "a call to runners",
  many: "calls to runners",
  columns: {
    callId: text(),
    number: serial().hidden(),
    environment: choice<Environment>(),
    siteId: text(),
    /** The task that it is about. */
    reservationId: text().nullable(),
    message: text().nullable(),
    /** Of the operator, as runners read it. */
    callerName: text(),
    calledAtMs: epochMs(),
    /** When it rings no more. */
    endsAtMs: epochMs(),
  },
  key: ["callId"],
  retention: { from: "calledAtMs", keepMs: KEEP_RUNNER_PHONES_MS },
  indexes: [
    { name: "runner_calls_site", by: ["environment", "siteId", "calledAtMs"] },
    { name: "runner_calls_age", by: ["calledAtMs"] },
  ],
})

export type RunnerCallRow = RowOf<typeof runnerCalls>

interface PhonesQuery {
  readonly environment: Environment
  readonly siteId: string
  readonly endsAfterMs: EpochMs
}

interface CallsQuery {
  readonly environment: Environment
  readonly siteId: string
  readonly afterMs: EpochMs
  readonly limit: number
}

export class RunnerPhoneRows extends repository<RunnerPhoneRows>()(
  "RunnerPhoneRows",
  Effect.map(Tables, (tables) => {
    const pairings = tables.of(runnerPairings)
    const phones = tables.of(runnerPhones)
    const moves = tables.of(runnerMoves)
    const calls = tables.of(runnerCalls)
    return {
      insertPairing: pairings.insert,
      pairing: (codeHash: string) => pairings.get({ codeHash }),
      deletePairing: (codeHash: string) => pairings.delete({ codeHash }),
      insertPhone: phones.insert,
      phone: (phoneId: string) => phones.get({ phoneId }),
      /** Read at every request. */
      phoneOf: (tokenHash: string) =>
        Routine.map(phones.list({ tokenHash }, { order: "any" }), ([phone]) => phone ?? null),
      /** Phones of a site that end after an instant, the newest first. */
      phones: ({ environment, siteId, endsAfterMs }: PhonesQuery) =>
        phones.list({ environment, siteId, endsAtMs: above(endsAfterMs) }, { order: [descending("number")] }),
      endPhone: (phoneId: string, endsAtMs: EpochMs) => phones.update({ phoneId }, { endsAtMs }),
      insertMove: moves.insert,
      move: (phoneId: string, moveKey: string) => moves.get({ phoneId, moveKey }),
      /** Moves of one reservation, oldest first. */
      moves: (environment: Environment, reservationId: string) =>
        moves.list({ environment, reservationId }, { order: ["number"] }),
      insertCall: calls.insert,
      call: (callId: string) => calls.get({ callId }),
      /** Calls of a site that were made after an instant, the newest first. */
      calls: ({ environment, siteId, afterMs, limit }: CallsQuery) =>
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
) {}
