/**
 * A second factor: codes of an authenticator application, passkeys (`passkeys.ts`), and recovery codes for when both are
 * lost. It is on once a first code was given or a passkey was added; then a password begins a short challenge instead of a
 * session, and a code or a signature completes it.
 */

import { Effect } from "effect"
import { Refused, TurnedAway } from "../../../model/values/errors.ts"
import { SERVICE_NAME } from "../../../model/linking.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { hashOfToken, newToken } from "../../../http/access/opaque-tokens.ts"
import { writeMail } from "../../../areas/messages/outbox.ts"
import { ActorHost, Transaction } from "../../../engine/services/host.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { service } from "../../../engine/services/service.ts"
import type { PortalCaller } from "../caller.ts"
import { Passwords } from "./passwords.ts"
import { invalidCode, invalidField } from "../refusals.ts"
import { PortalRows } from "../rows.ts"
import type { Account } from "../rows.ts"
import { accepts, confirmsApplication, hasFactor, judged, writeCodes } from "./second-factor-proof.ts"
import type { JudgedProof, Proof } from "./second-factor-proof.ts"
import { SecondFactorRows } from "./second-factor-rows.ts"
import { isOn } from "./sign-in-challenge.ts"
import { portalPolicy } from "./sign-in-policy.ts"
import { accountLock, beginSession, endSessions, placeOf } from "./sessions.ts"
import type { Visitor } from "./sessions.ts"
import { secondFactorText } from "../texts.ts"
import type { SecondFactorChange } from "../texts.ts"
import { newSecret, totpUri } from "./totp.ts"

export interface SecondFactorState {
  /** Null: it is off. */
  readonly sinceMs: EpochMs | null
  /** True once a first code of an application was given. */
  readonly hasApplication: boolean
  readonly recoveryCodesLeft: number
}

/** What adding a factor needs: the password, because an open browser is not enough, and a proof while one is on. */
export interface Consent {
  readonly password: string
  readonly proof: Proof | null
}

/** Shown once. */
export interface Enrolment {
  readonly secret: string
  readonly uri: string
}

export class SecondFactors extends service<SecondFactors>()("SecondFactors", () => ({
  state,
  enrol,
  confirm,
  renewCodes,
  remove,
  complete,
})) {}

const state = Routine.fn(function* ({ account: { accountId } }: PortalCaller) {
  const rows = yield* SecondFactorRows
  const factor = yield* rows.factor(accountId)
  const codes = yield* rows.codes(accountId)
  const passkeys = yield* rows.passkeys(accountId)
  const begins = [factor?.confirmedAtMs ?? null, ...passkeys.map(({ createdAtMs }) => createdAtMs)]
  const known = begins.filter((atMs) => atMs !== null)
  return {
    sinceMs: known.length === 0 ? null : Math.min(...known),
    hasApplication: isOn(factor),
    recoveryCodesLeft: codes.length,
  } satisfies SecondFactorState
})

/** Changes nothing at sign-in until `confirm`. */
const enrol = Effect.fnUntraced(function* (caller: PortalCaller, consent: Consent) {
  const { accountId, email } = caller.account
  const host = yield* ActorHost
  const secret = newSecret([yield* host.nonce, yield* host.nonce].join(""))
  yield* withConsent(caller, "enrol a second factor", consent, (isProven) =>
    Routine.gen(function* () {
      const { nowMs } = yield* Transaction
      const rows = yield* SecondFactorRows
      if (isOn(yield* rows.factor(accountId))) return yield* alreadyOn()
      if (!(yield* isProven)) return null
      yield* rows.put({ accountId, secret, createdAtMs: nowMs, confirmedAtMs: null, lastStep: 0 })
      return true
    }),
  )
  return { secret, uri: totpUri(secret, { issuer: SERVICE_NAME, name: email }) } satisfies Enrolment
})

/**
 * Runs the first step of adding a factor after the password. The body asks whether the consent was proven, which is always
 * true while the second factor is off, and returns null if not.
 */
export function withConsent<A, E, R>(
  caller: Pick<PortalCaller, "account" | "session">,
  name: string,
  { password, proof }: Consent,
  body: (isProven: Routine<boolean, never, SecondFactorRows | Transaction>) => Routine<A | null, E, R>,
) {
  const { accountId } = caller.account
  return Effect.gen(function* () {
    yield* requirePassword(caller, password)
    const isOff = Routine.map(hasFactor(accountId), (isThere) => !isThere)
    if (proof !== null) {
      return yield* withProof(caller, name, proof, (judgedProof) =>
        body(
          Routine.flatMap(isOff, (already) =>
            already ? Routine.succeed(true) : accepts(accountId, judgedProof),
          ),
        ),
      )
    }
    const host = yield* ActorHost
    const done = yield* host.run({
      name,
      locks: { key: accountLock(accountId) },
      body: () => body(isOff),
    })
    return done ?? (yield* invalidField("code", "the second factor is on: send code or passkey too"))
  })
}

/** Counted by itself: a right password must not reset the count of codes. */
const requirePassword = Effect.fnUntraced(function* (
  { account: { accountId }, session: { sessionId } }: Pick<PortalCaller, "account" | "session">,
  password: string,
) {
  yield* portalPolicy.takeOwn("password", sessionId)
  const known = yield* (yield* PortalRows).account(accountId)
  const isRight = yield* (yield* Passwords).verify(known?.passwordHash ?? null, password)
  if (!isRight) return yield* new TurnedAway({ code: "INVALID_CREDENTIALS" })
  return yield* portalPolicy.forgetOwn("password", sessionId)
})

function alreadyOn(): Refused {
  return new Refused({ code: "INVALID_STATE", detail: "the second factor is on" })
}

/**
 * Adds the application by its first code. If the second factor was off, that switches it on, ends other sessions, and
 * returns the recovery codes; otherwise returns none, and the codes stay.
 */
const confirm = Effect.fnUntraced(function* (caller: PortalCaller, code: string) {
  const { account, session } = caller
  const { accountId } = account
  return yield* withProof(caller, "confirm a second factor", { code }, (_, nonce) =>
    Routine.gen(function* () {
      const rows = yield* SecondFactorRows
      if (isOn(yield* rows.factor(accountId))) return yield* alreadyOn()
      const wasOn = yield* hasFactor(accountId)
      if (!(yield* confirmsApplication(rows, accountId, code))) return null
      yield* tell(account, wasOn ? "application-added" : "on", nonce)
      if (wasOn) return []
      // A passkey that was begun without a proof must not be added now.
      yield* rows.deleteChallenge(accountId, "register")
      yield* endSessions(accountId, session.sessionId, "factor-on")
      return yield* writeCodes(rows, accountId, nonce)
    }),
  )
})

/** Replaces the recovery codes. */
const renewCodes = Effect.fnUntraced(function* (caller: PortalCaller, proof: Proof) {
  const { account } = caller
  return yield* withProof(caller, "renew recovery codes", proof, (judgedProof, nonce) =>
    Routine.gen(function* () {
      if (!(yield* accepts(account.accountId, judgedProof))) return null
      return yield* writeCodes(yield* SecondFactorRows, account.accountId, nonce)
    }),
  )
})

/** With its passkeys and recovery codes. */
const remove = Effect.fnUntraced(function* (caller: PortalCaller, proof: Proof) {
  const { account, session } = caller
  yield* withProof(caller, "remove a second factor", proof, (judgedProof, nonce) =>
    Routine.gen(function* () {
      if (!(yield* accepts(account.accountId, judgedProof))) return null
      yield* switchOff({ account, session }, nonce)
      return true
    }),
  )
})

/** Inside the transaction: with all that belongs to it. */
export const switchOff = Routine.fn(function* (
  { account, session }: Pick<PortalCaller, "account" | "session">,
  nonce: string,
) {
  yield* (yield* SecondFactorRows).remove(account.accountId)
  yield* endSessions(account.accountId, session.sessionId, "factor-off")
  yield* tell(account, "off", nonce)
})

/** Runs a command that needs a proof; null stands for a wrong one, which counts and is committed. */
export function withProof<A, E, R>(
  { account: { accountId }, session: { sessionId } }: Pick<PortalCaller, "account" | "session">,
  name: string,
  proof: Proof,
  body: (judgedProof: JudgedProof, nonce: string) => Routine<A | null, E, R>,
) {
  return Effect.gen(function* () {
    yield* portalPolicy.takeOwn("code", sessionId)
    const judgedProof = yield* judged(accountId, proof, "confirm")
    const host = yield* ActorHost
    const nonce = [yield* host.nonce, yield* host.nonce].join("")
    const done = yield* host.run({
      name,
      locks: { key: accountLock(accountId) },
      body: () => body(judgedProof, nonce),
    })
    if (done === null) return yield* invalidCode()
    yield* portalPolicy.forgetOwn("code", sessionId)
    return done
  })
}

export const tell = (
  { email, organizationId }: Pick<Account, "email" | "organizationId">,
  change: SecondFactorChange,
  nonce: string,
) => writeMail({ ...secondFactorText(change), to: email, organizationId }, nonce)

/** The sign-in that waits under a token, with its account. A token of none counts for the visitor's network. */
export const signInOf = Routine.fn(function* (token: string, visitor: Visitor) {
  const rows = yield* PortalRows
  const found = yield* rows.challenge(hashOfToken(token))
  const account = found?.kind === "second-factor" ? yield* rows.accountOf(found.email) : null
  if (found !== null && account !== null) return { found, account }
  yield* portalPolicy.takeNetwork(visitor)
  return yield* invalidCode()
})

/** The second step of a sign-in. */
const complete = Effect.fnUntraced(function* (
  { challenge: sentToken, proof }: { readonly challenge: string; readonly proof: Proof },
  visitor: Visitor,
) {
  const { found, account } = yield* signInOf(sentToken, visitor)
  const { accountId } = account
  const attempt = yield* portalPolicy.takeCode(account, visitor)
  const judgedProof = yield* judged(accountId, proof, "sign-in")
  const host = yield* ActorHost
  const [token, nonce] = [yield* newToken, yield* host.nonce]
  // A wrong code is committed, because the attempt must count.
  const begun = yield* host.run({
    name: "complete a sign-in",
    locks: { key: accountLock(accountId) },
    body: Routine.fn(function* () {
      const place = yield* proven({ accountId, tokenHash: found.tokenHash, judgedProof })
      if (place !== null) return yield* beginSession(place, visitor, token)
      if (attempt.isLast) yield* portalPolicy.warn(account, nonce)
      return null
    }),
  })
  if (begun === null) return yield* invalidCode()
  yield* attempt.forget
  return begun
})

/** Inside the transaction: uses up one try of the challenge. Null unless the proof is good. */
const proven = Routine.fn(function* ({
  accountId,
  tokenHash,
  judgedProof,
}: {
  readonly accountId: string
  readonly tokenHash: string
  readonly judgedProof: JudgedProof
}) {
  const rows = yield* PortalRows
  const { nowMs } = yield* Transaction
  const challenge = yield* rows.challenge(tokenHash)
  if (challenge === null || nowMs >= challenge.endsAtMs || challenge.triesLeft <= 0) return null
  yield* rows.changeChallenge(challenge.challengeId, { triesLeft: challenge.triesLeft - 1 })
  const current = yield* rows.account(accountId)
  if (current === null || current.passwordHash !== challenge.details.passwordHash) return null
  const place = yield* placeOf(current)
  if (place === null || !(yield* accepts(accountId, judgedProof))) return null
  yield* rows.deleteChallenges("second-factor", current.email)
  return place
})
