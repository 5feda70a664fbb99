/**
 * Rows of second factors: the sealed secret of an authenticator application, public keys of passkeys, and the hashes of
 * recovery codes and challenges.
 */

import { Effect } from "effect"
import {
  bigint,
  boolean,
  choice,
  epochMs,
  json,
  sealed,
  text,
} from "../../../engine/services/tables/columns.ts"
import { table } from "../../../engine/services/tables/table.ts"
import type { RowOf } from "../../../engine/services/tables/table.ts"
import { SealedTables, Tables } from "../../../engine/services/tables/tables.ts"
import type { TableAccessOf } from "../../../engine/services/tables/tables.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { repository } from "../../../engine/services/service.ts"

/** Of an application. Operators have tables of their own with the same columns, as for recovery codes. */
export const factorColumns = {
  accountId: text(),
  /** In base 32. */
  secret: sealed(text(), "sealed_secret"),
  createdAtMs: epochMs(),
  /** When a code of it was first given; null until then, and it is not asked for. */
  confirmedAtMs: epochMs().nullable(),
  /** The time step of the last code that was accepted: no earlier one is. */
  lastStep: bigint(),
}

export const secondFactors = table("second_factors", {
  one: "a second factor",
  many: "second factors",
  columns: factorColumns,
  key: ["accountId"],
})

export type SecondFactor = RowOf<typeof secondFactors>

/** Each is deleted when it is used. */
export const recoveryCodeColumns = {
  accountId: text(),
  /** SHA-256 over the account's id and the code, lower-case hex. */
  codeHash: text(),
}

export const recoveryCodes = table("recovery_codes", {
  one: "a recovery code",
  many: "recovery codes",
  columns: recoveryCodeColumns,
  key: ["accountId", "codeHash"],
})

/** The rows that codes of an application and recovery codes need. */
export type FactorRows = ReturnType<typeof factorRowsOver>

export function factorRowsOver(
  factors: TableAccessOf<typeof secondFactors>,
  codes: TableAccessOf<typeof recoveryCodes>,
) {
  return {
    put: factors.upsert,
    change: (accountId: string, change: Partial<Pick<SecondFactor, "confirmedAtMs" | "lastStep">>) =>
      factors.update({ accountId }, change),
    factor: (accountId: string) => factors.get({ accountId }),
    insertCode: codes.insert,
    codes: (accountId: string) => codes.list({ accountId }, { order: ["codeHash"] }),
    deleteCode: (code: RowOf<typeof recoveryCodes>) => codes.delete(code),
    deleteCodes: (accountId: string) => codes.delete({ accountId }),
    /** With recovery codes. */
    remove: (accountId: string) =>
      Routine.zipRight(codes.delete({ accountId }), factors.delete({ accountId })),
  }
}

/** A public key; the private one never leaves the authenticator. */
export const passkeys = table("passkeys", {
  one: "a passkey",
  many: "passkeys",
  columns: {
    /** Made from the credential's id, so that no credential is stored twice. */
    passkeyId: text(),
    accountId: text(),
    /** As the authenticator calls it; base64url. */
    credentialId: text(),
    name: text(),
    /** COSE, base64url. */
    publicKey: text(),
    /** Signatures so far, as the authenticator counts them; always 0 if it does not. */
    counter: bigint(),
    /** How browsers reach the authenticator, as they said: `internal`, `usb`. */
    transports: json<readonly string[]>(),
    /** True when its provider keeps a copy. */
    isSynced: boolean(),
    createdAtMs: epochMs(),
    usedAtMs: epochMs().nullable(),
  },
  key: ["passkeyId"],
  indexes: [{ name: "passkeys_account", by: ["accountId", "createdAtMs"] }],
})

export type Passkey = RowOf<typeof passkeys>

/** The command for which a challenge was made. No other command accepts it. */
export type PasskeyPurpose = "confirm" | "register" | "sign-in"

/** The newest of each purpose; deleted when an answer to it comes, right or wrong. */
export const passkeyChallenges = table("passkey_challenges", {
  one: "a passkey's challenge",
  many: "passkeys' challenges",
  columns: {
    accountId: text(),
    purpose: choice<PasskeyPurpose>(),
    /** SHA-256, lower-case hex. */
    challengeHash: text(),
    endsAtMs: epochMs(),
  },
  key: ["accountId", "purpose"],
})

export type PasskeyChallenge = RowOf<typeof passkeyChallenges>

export class SecondFactorRows extends repository<SecondFactorRows>()(
  "SecondFactorRows",
  Effect.map(Effect.all([Tables, SealedTables]), ([tables, sealedTables]) => {
    const own = factorRowsOver(sealedTables.of(secondFactors), tables.of(recoveryCodes))
    const keys = tables.of(passkeys)
    const challenges = tables.of(passkeyChallenges)
    return {
      ...own,
      insertPasskey: keys.insert,
      changePasskey: (
        passkeyId: string,
        change: Partial<Pick<Passkey, "counter" | "isSynced" | "usedAtMs">>,
      ) => keys.update({ passkeyId }, change),
      passkey: (passkeyId: string) => keys.get({ passkeyId }),
      /** Oldest first. */
      passkeys: (accountId: string) => keys.list({ accountId }, { order: ["createdAtMs", "passkeyId"] }),
      deletePasskey: (passkeyId: string) => keys.delete({ passkeyId }),
      /** Replaces the one of the same purpose. */
      putChallenge: challenges.upsert,
      challenge: (accountId: string, purpose: PasskeyPurpose) => challenges.get({ accountId, purpose }),
      deleteChallenge: (accountId: string, purpose: PasskeyPurpose) =>
        challenges.delete({ accountId, purpose }),
      /** With passkeys, their challenges and recovery codes. */
      remove: (accountId: string) =>
        Routine.inTurn(keys.delete({ accountId }), challenges.delete({ accountId }), own.remove(accountId)),
    }
  }),
) {}
