/**
 * Rows of runners' phones: codes that pair one, the paired phones, the moves that they made, and the calls to them. Names
 * of runners are in the first two only; moves have ids. A call has the name of the operator who called.
 */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import { KEEP_AUDIT_MS, KEEP_RUNNER_PHONES_MS } from "../../model/values/limits.ts"
import type { RunnerMove } from "../../model/requests/runner-moves.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Purge } from "../../engine/services/retention/retention.ts"
import { choice, epochMs, serial, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { NewRowOf, RowOf } from "../../engine/services/tables/table.ts"
import type { Routine } from "../../engine/services/routine.ts"

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

export class RunnerPhoneRows extends Context.Tag("RunnerPhoneRows")<
  RunnerPhoneRows,
  {
    readonly insertPairing: (pairing: RunnerPairing) => Routine<void, never, Transaction>
    readonly pairing: (codeHash: string) => Routine<RunnerPairing | null>
    readonly deletePairing: (codeHash: string) => Routine<void, never, Transaction>
    readonly insertPhone: (phone: RunnerPhone) => Routine<void, never, Transaction>
    readonly phone: (phoneId: string) => Routine<RunnerPhone | null>
    /** Read at every request. */
    readonly phoneOf: (tokenHash: string) => Routine<RunnerPhone | null>
    /** Phones of a site that end after an instant, the newest first. */
    readonly phones: (scope: {
      readonly environment: Environment
      readonly siteId: string
      readonly endsAfterMs: EpochMs
    }) => Routine<readonly RunnerPhone[]>
    readonly endPhone: (phoneId: string, endsAtMs: EpochMs) => Routine<void, never, Transaction>
    readonly insertMove: (move: NewRowOf<typeof runnerMoves>) => Routine<void, never, Transaction>
    readonly move: (phoneId: string, moveKey: string) => Routine<RunnerMoveRow | null>
    /** Moves of one reservation, oldest first. */
    readonly moves: (environment: Environment, reservationId: string) => Routine<readonly RunnerMoveRow[]>
    readonly insertCall: (call: RunnerCallRow) => Routine<void, never, Transaction>
    readonly call: (callId: string) => Routine<RunnerCallRow | null>
    /** Calls of a site that were made after an instant, the newest first. */
    readonly calls: (scope: {
      readonly environment: Environment
      readonly siteId: string
      readonly afterMs: EpochMs
      readonly limit: number
    }) => Routine<readonly RunnerCallRow[]>
    readonly purgeCalls: Purge
    readonly purgePairings: Purge
    readonly purgePhones: Purge
    readonly purgeMoves: Purge
  }
>() {}
