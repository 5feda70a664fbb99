/**
 * What proves a second factor: a code of the application, a recovery code, or the signature of a passkey. A signature is
 * verified before the transaction, because that takes time; under the account's lock the proof is used up. Operators have
 * no passkeys: their codes are judged here over their own rows.
 */

import { sha256Hex } from "#digest"
import { Effect } from "effect"
import { newUuid } from "../../../model/ids.ts"
import { RECOVERY_CODES, SECOND_FACTOR_MS } from "../../../model/values/limits.ts"
import { hashOfToken, newToken } from "../../../http/access/opaque-tokens.ts"
import { Transaction } from "../../../engine/services/host.ts"
import { Routine } from "../../../engine/services/routine.ts"
import type { CreatedCredential, RelyingParty, SignedChallenge } from "./passkey-verifier.ts"
import { PasskeyVerifier } from "./passkey-verifier.ts"
import { PortalAddress } from "../portal-address.ts"
import { SecondFactorRows } from "./second-factor-rows.ts"
import type { FactorRows, Passkey, PasskeyChallenge, PasskeyPurpose } from "./second-factor-rows.ts"
import { isOn } from "./sign-in-challenge.ts"
import { newRecoveryCode, stepOf } from "./totp.ts"

export type Proof = { readonly code: string } | { readonly passkey: SignedChallenge }

/** A proof whose signature has been verified. */
export type JudgedProof =
  | { readonly type: "code"; readonly code: string }
  | {
      readonly type: "passkey"
      readonly purpose: PasskeyPurpose
      readonly challenge: PasskeyChallenge
      /** Null: the signature is not good. */
      readonly signed: {
        readonly passkey: Passkey
        readonly counter: number
        readonly isSynced: boolean
      } | null
    }
  | { readonly type: "none" }

/** The portal's host; null when it is an address without a name, for which browsers refuse passkeys. */
export const relyingParty: Routine<RelyingParty | null> = Routine.map(PortalAddress, ({ baseUrl }) => {
  const { hostname, origin } = new URL(baseUrl)
  return ADDRESS.test(hostname) ? null : { id: hostname, origin }
})

/** URLs write addresses in these two forms alone. */
const ADDRESS = /^(?:\[.*\]|\d+\.\d+\.\d+\.\d+)$/

export function passkeyIdOf(credentialId: string): string {
  return newUuid(sha256Hex(credentialId), "passkey")
}

/** A new challenge for the account's authenticators, which replaces the one of the same purpose. */
export const newChallenge = Routine.map(newToken, (challenge) => ({
  challenge,
  put: Routine.fn(function* (accountId: string, purpose: PasskeyPurpose) {
    const { nowMs } = yield* Transaction
    const row = {
      accountId,
      purpose,
      challengeHash: hashOfToken(challenge),
      endsAtMs: nowMs + SECOND_FACTOR_MS,
    }
    yield* (yield* SecondFactorRows).putChallenge(row)
  }),
}))

/** True with an application or a passkey. */
export const hasFactor = Routine.fn(function* (accountId: string) {
  const rows = yield* SecondFactorRows
  return isOn(yield* rows.factor(accountId)) || (yield* rows.passkeys(accountId)).length > 0
})

/** Outside a transaction: verifies the signature of a passkey against what is stored now. */
export const judged = Effect.fnUntraced(function* (accountId: string, proof: Proof, purpose: PasskeyPurpose) {
  if ("code" in proof) return { type: "code", code: proof.code } satisfies JudgedProof
  const rows = yield* SecondFactorRows
  const party = yield* relyingParty
  const challenge = yield* rows.challenge(accountId, purpose)
  if (party === null || challenge === null) return { type: "none" } satisfies JudgedProof
  const found = yield* rows.passkey(passkeyIdOf(proof.passkey.id))
  // A passkey of another account proves nothing here.
  const passkey = found?.accountId === accountId ? found : null
  const isChallenge = (sent: string): boolean => hashOfToken(sent) === challenge.challengeHash
  const verifier = yield* PasskeyVerifier
  const signed =
    passkey === null
      ? null
      : yield* verifier.signed(proof.passkey, { party, isChallenge, credential: passkey })
  return {
    type: "passkey",
    purpose,
    challenge,
    signed: passkey === null || signed === null ? null : { passkey, ...signed },
  } satisfies JudgedProof
})

/** Outside a transaction: verifies a new credential against the challenge of its registration. */
export const judgedCredential = Effect.fnUntraced(function* (accountId: string, sent: CreatedCredential) {
  const party = yield* relyingParty
  const challenge = yield* (yield* SecondFactorRows).challenge(accountId, "register")
  if (party === null || challenge === null) return null
  const isChallenge = (text: string): boolean => hashOfToken(text) === challenge.challengeHash
  return { challenge, made: yield* (yield* PasskeyVerifier).created(sent, { party, isChallenge }) }
})

/** Inside the transaction: true when the challenge is still the one that was read and in time; it never works again. */
export const takeChallenge = Routine.fn(function* ({ accountId, purpose, challengeHash }: PasskeyChallenge) {
  const rows = yield* SecondFactorRows
  const { nowMs } = yield* Transaction
  const current = yield* rows.challenge(accountId, purpose)
  if (current?.challengeHash !== challengeHash) return false
  yield* rows.deleteChallenge(accountId, purpose)
  return nowMs < current.endsAtMs
})

/** Inside the transaction: true for a good proof, which does not work again. */
export const accepts = Routine.fn(function* (accountId: string, proof: JudgedProof) {
  switch (proof.type) {
    case "code":
      return yield* acceptsCode(yield* SecondFactorRows, accountId, proof.code)
    case "passkey":
      return (yield* takeChallenge(proof.challenge)) && (yield* acceptsSignature(proof))
    case "none":
      return false
  }
})

const acceptsSignature = Routine.fn(function* ({ signed }: Extract<JudgedProof, { type: "passkey" }>) {
  if (signed === null) return false
  const rows = yield* SecondFactorRows
  const { nowMs } = yield* Transaction
  const { counter, isSynced } = signed
  // Read again under the lock: it may have been removed, or have signed elsewhere.
  const current = yield* rows.passkey(signed.passkey.passkeyId)
  if (current?.accountId !== signed.passkey.accountId) return false
  // A counter that does not rise is of a copy. Authenticators that do not count send 0 always.
  if (counter <= current.counter && (counter !== 0 || current.counter !== 0)) return false
  yield* rows.changePasskey(current.passkeyId, { counter, isSynced, usedAtMs: nowMs })
  return true
})

/** Inside the transaction: true for the first code of an application, which is on from now. */
export const confirmsApplication = Routine.fn(function* (rows: FactorRows, accountId: string, sent: string) {
  const { nowMs } = yield* Transaction
  const factor = yield* rows.factor(accountId)
  const step = factor === null ? null : stepOf(sent.trim(), { ...factor, nowMs })
  if (step === null) return false
  yield* rows.change(accountId, { confirmedAtMs: nowMs, lastStep: step })
  return true
})

/** Inside the transaction: true for a code of the application or a recovery code; neither works again. */
export const acceptsCode = Routine.fn(function* (rows: FactorRows, accountId: string, sent: string) {
  const { nowMs } = yield* Transaction
  const factor = yield* rows.factor(accountId)
  const step = factor !== null && isOn(factor) ? stepOf(sent.trim(), { ...factor, nowMs }) : null
  if (step !== null) {
    yield* rows.change(accountId, { lastStep: step })
    return true
  }
  const codeHash = hashOfRecoveryCode(accountId, sent)
  const isKnown = (yield* rows.codes(accountId)).some((one) => one.codeHash === codeHash)
  if (isKnown) yield* rows.deleteCode({ accountId, codeHash })
  return isKnown
})

/** However it was typed. */
function hashOfRecoveryCode(accountId: string, code: string): string {
  return sha256Hex(`${accountId}\n${code.toUpperCase().replaceAll(/[^A-Z2-7]/g, "")}`)
}

/** Inside the transaction: replaces all recovery codes. */
export const writeCodes = Routine.fn(function* (rows: FactorRows, accountId: string, nonce: string) {
  const codes = Array.from({ length: RECOVERY_CODES }, (_, number) => newRecoveryCode(nonce, number))
  yield* rows.deleteCodes(accountId)
  for (const code of codes) {
    yield* rows.insertCode({ accountId, codeHash: hashOfRecoveryCode(accountId, code) })
  }
  return codes
})
