/**
 * Passkeys as a second factor: a public key for each authenticator. Adding one needs the password and, while the second
 * factor is on, a proof of it, as removing one does; the first one switches the second factor on, and the last one switches it off when there is no
 * application.
 */

import { Effect } from "effect"
import { Refused } from "../../../model/values/errors.ts"
import { PASSKEYS_MAX } from "../../../model/values/limits.ts"
import { ActorHost, Transaction } from "../../../engine/services/host.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { service } from "../../../engine/services/service.ts"
import type { PortalCaller } from "../caller.ts"
import { PasskeyVerifier } from "./passkey-verifier.ts"
import type { CreatedCredential, RelyingParty } from "./passkey-verifier.ts"
import { invalidCode, notFound } from "../refusals.ts"
import { signInOf, switchOff, tell, withConsent, withProof } from "./second-factor.ts"
import type { Consent } from "./second-factor.ts"
import {
  accepts,
  hasFactor,
  judgedCredential,
  newChallenge,
  passkeyIdOf,
  relyingParty,
  takeChallenge,
  writeCodes,
} from "./second-factor-proof.ts"
import type { Proof } from "./second-factor-proof.ts"
import { SecondFactorRows } from "./second-factor-rows.ts"
import type { Passkey, PasskeyPurpose } from "./second-factor-rows.ts"
import { portalPolicy } from "./sign-in-policy.ts"
import { accountLock, endSessions } from "./sessions.ts"
import type { Visitor } from "./sessions.ts"
import { isOn } from "./sign-in-challenge.ts"

export interface PasskeyList {
  /** False when browsers refuse passkeys for the portal's public URL. */
  readonly isAvailable: boolean
  readonly passkeys: readonly Passkey[]
}

export interface AddedPasskey {
  readonly passkey: Passkey
  /** Empty unless the second factor was off before. */
  readonly recoveryCodes: readonly string[]
}

export class Passkeys extends service<Passkeys>()("Passkeys", () => ({
  list,
  options,
  add,
  remove,
  /** What a browser needs to sign for a command of the account. */
  confirmOptions: ({ account }: PortalCaller) => requestOptions(account.accountId, "confirm"),
  signInOptions,
})) {}

const list = Routine.fn(function* ({ account: { accountId } }: PortalCaller) {
  const passkeys = yield* (yield* SecondFactorRows).passkeys(accountId)
  return { isAvailable: (yield* relyingParty) !== null, passkeys } satisfies PasskeyList
})

/** What a browser needs to make a passkey. */
const options = Effect.fnUntraced(function* (caller: PortalCaller, consent: Consent) {
  const { accountId, email } = caller.account
  const party = yield* requireParty
  const { challenge, put } = yield* newChallenge
  yield* withConsent(caller, "begin a passkey", consent, (isProven) =>
    Routine.gen(function* () {
      if (!(yield* isProven)) return null
      yield* put(accountId, "register")
      return true
    }),
  )
  const known = yield* (yield* SecondFactorRows).passkeys(accountId)
  const asked = { party, challenge, known, accountId, accountName: email }
  return yield* (yield* PasskeyVerifier).creationOptions(asked)
})

const requestOptions = Effect.fnUntraced(function* (accountId: string, purpose: PasskeyPurpose) {
  const party: RelyingParty = yield* requireParty
  const rows = yield* SecondFactorRows
  const { challenge, put } = yield* newChallenge
  const host = yield* ActorHost
  yield* host.run({
    name: "make a passkey's challenge",
    locks: { key: accountLock(accountId) },
    body: () => put(accountId, purpose),
  })
  const known = yield* rows.passkeys(accountId)
  if (known.length === 0) return yield* notFound()
  return yield* (yield* PasskeyVerifier).requestOptions({ party, challenge, known })
})

/** What a browser needs to sign for a sign-in that waits. */
const signInOptions = Effect.fnUntraced(function* (token: string, visitor: Visitor) {
  const { found, account } = yield* signInOf(token, visitor)
  yield* portalPolicy.takeStep(account, visitor)
  const nowMs = yield* Routine.nowMs
  if (nowMs >= found.endsAtMs || found.triesLeft <= 0) return yield* invalidCode()
  return yield* requestOptions(account.accountId, "sign-in")
})

const requireParty = Routine.flatMap(relyingParty, (party) =>
  party === null
    ? new Refused({ code: "INVALID_STATE", detail: "passkeys need a portal whose URL has a host name" })
    : Routine.succeed(party),
)

const add = Effect.fnUntraced(function* (
  { account, session }: PortalCaller,
  { name, credential }: { readonly name: string; readonly credential: CreatedCredential },
) {
  const { accountId } = account
  const judged = yield* judgedCredential(accountId, credential)
  if (judged === null) return yield* invalidCode()
  const host = yield* ActorHost
  const nonce = [yield* host.nonce, yield* host.nonce].join("")
  const added = yield* host.run({
    name: "add a passkey",
    locks: { key: accountLock(accountId) },
    body: Routine.fn(function* () {
      const rows = yield* SecondFactorRows
      const { nowMs } = yield* Transaction
      // Committed also when the credential is refused: a challenge works once.
      const isChallenged = yield* takeChallenge(judged.challenge)
      if (!isChallenged || judged.made === null) return { refusal: "code" } as const
      const { credentialId } = judged.made
      const passkeyId = passkeyIdOf(credentialId)
      const known = yield* rows.passkeys(accountId)
      if ((yield* rows.passkey(passkeyId)) !== null)
        return { refusal: "the passkey is registered already" } as const
      if (known.length >= PASSKEYS_MAX)
        return { refusal: `an account has at most ${PASSKEYS_MAX} passkeys` } as const
      const wasOn = yield* hasFactor(accountId)
      const transports = [...(credential.response.transports ?? [])]
      const passkey = {
        ...judged.made,
        passkeyId,
        accountId,
        name,
        transports,
        createdAtMs: nowMs,
        usedAtMs: null,
      }
      // An application that was begun without a proof must not be confirmed later.
      if (!wasOn) yield* rows.remove(accountId)
      yield* rows.insertPasskey(passkey)
      if (!wasOn) yield* endSessions(accountId, session.sessionId, "factor-on")
      yield* tell(account, wasOn ? "passkey-added" : "on", nonce)
      const codes = wasOn ? [] : yield* writeCodes(rows, accountId, nonce)
      return { passkey, recoveryCodes: codes } satisfies AddedPasskey
    }),
  })
  if (!("refusal" in added)) return added
  return added.refusal === "code"
    ? yield* invalidCode()
    : yield* new Refused({ code: "INVALID_STATE", detail: added.refusal })
})

const remove = Effect.fnUntraced(function* (
  caller: PortalCaller,
  { passkeyId, proof }: { readonly passkeyId: string; readonly proof: Proof },
) {
  const { account, session } = caller
  const { accountId } = account
  const rows = yield* SecondFactorRows
  const isOwn = (yield* rows.passkeys(accountId)).some((one) => one.passkeyId === passkeyId)
  if (!isOwn) return yield* notFound()
  yield* withProof(caller, "remove a passkey", proof, (judgedProof, nonce) =>
    Routine.gen(function* () {
      if (!(yield* accepts(accountId, judgedProof))) return null
      const others = (yield* rows.passkeys(accountId)).filter((one) => one.passkeyId !== passkeyId)
      if (others.length === 0 && !isOn(yield* rows.factor(accountId))) {
        yield* switchOff({ account, session }, nonce)
        return true
      }
      yield* rows.deletePasskey(passkeyId)
      yield* tell(account, "passkey-removed", nonce)
      return true
    }),
  )
})
