/**
 * Rows of second factors: the sealed secret of an authenticator application, public keys of passkeys, and the hashes of
 * recovery codes and challenges.
 */

import { Context } from "effect"
import type { Transaction } from "../../../engine/services/host.ts"
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
import type { Routine } from "../../../engine/services/routine.ts"

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

export class SecondFactorRows extends Context.Tag("SecondFactorRows")<
  SecondFactorRows,
  {
    readonly put: (factor: SecondFactor) => Routine<void, never, Transaction>
    readonly change: (
      accountId: string,
      change: Partial<Pick<SecondFactor, "confirmedAtMs" | "lastStep">>,
    ) => Routine<void, never, Transaction>
    readonly factor: (accountId: string) => Routine<SecondFactor | null>
    readonly insertCode: (code: RecoveryCode) => Routine<void, never, Transaction>
    readonly codes: (accountId: string) => Routine<readonly RecoveryCode[]>
    readonly deleteCode: (code: RecoveryCode) => Routine<void, never, Transaction>
    readonly deleteCodes: (accountId: string) => Routine<void, never, Transaction>
    readonly insertPasskey: (passkey: Passkey) => Routine<void, never, Transaction>
    readonly changePasskey: (
      passkeyId: string,
      change: Partial<Pick<Passkey, "counter" | "isSynced" | "usedAtMs">>,
    ) => Routine<void, never, Transaction>
    readonly passkey: (passkeyId: string) => Routine<Passkey | null>
    /** Oldest first. */
    readonly passkeys: (accountId: string) => Routine<readonly Passkey[]>
    readonly deletePasskey: (passkeyId: string) => Routine<void, never, Transaction>
    /** Replaces the one of the same purpose. */
    readonly putChallenge: (challenge: PasskeyChallenge) => Routine<void, never, Transaction>
    readonly challenge: (accountId: string, purpose: PasskeyPurpose) => Routine<PasskeyChallenge | null>
    readonly deleteChallenge: (
      accountId: string,
      purpose: PasskeyPurpose,
    ) => Routine<void, never, Transaction>
    /** With passkeys, their challenges and recovery codes. */
    readonly remove: (accountId: string) => Routine<void, never, Transaction>
  }
>() {}
