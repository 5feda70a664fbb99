/** Rows of second factors: the sealed secret of an authenticator application, and the hashes of recovery codes. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Transaction } from "../services/host.ts"
import { bigint, epochMs, sealed, text } from "../services/tables/columns.ts"
import { table } from "../services/tables/table.ts"
import type { RowOf } from "../services/tables/table.ts"

export const secondFactors = table("second_factors", {
  one: "a second factor",
  many: "second factors",
  columns: {
    accountId: text(),
    /** In base 32. */
    secret: sealed(text(), "sealed_secret"),
    createdAtMs: epochMs(),
    /** When a code of it was first given; null until then, and it is not asked for. */
    confirmedAtMs: epochMs().nullable(),
    /** The time step of the last code that was accepted: no earlier one is. */
    lastStep: bigint(),
  },
  key: ["accountId"],
})

export type SecondFactor = RowOf<typeof secondFactors>

/** Each is deleted when it is used. */
export const recoveryCodes = table("recovery_codes", {
  one: "a recovery code",
  many: "recovery codes",
  columns: {
    accountId: text(),
    /** SHA-256 over the account's id and the code, lower-case hex. */
    codeHash: text(),
  },
  key: ["accountId", "codeHash"],
})

export type RecoveryCode = RowOf<typeof recoveryCodes>

export class SecondFactorRows extends Context.Tag("SecondFactorRows")<
  SecondFactorRows,
  {
    readonly put: (factor: SecondFactor) => Effect.Effect<void, never, Transaction>
    readonly change: (
      accountId: string,
      change: Partial<Pick<SecondFactor, "confirmedAtMs" | "lastStep">>,
    ) => Effect.Effect<void, never, Transaction>
    readonly factor: (accountId: string) => Effect.Effect<SecondFactor | null>
    readonly insertCode: (code: RecoveryCode) => Effect.Effect<void, never, Transaction>
    readonly codes: (accountId: string) => Effect.Effect<readonly RecoveryCode[]>
    readonly deleteCode: (code: RecoveryCode) => Effect.Effect<void, never, Transaction>
    readonly deleteCodes: (accountId: string) => Effect.Effect<void, never, Transaction>
    /** With its recovery codes. */
    readonly remove: (accountId: string) => Effect.Effect<void, never, Transaction>
  }
>() {}
