/**
 * A second factor: codes of an authenticator application, passkeys (`passkeys.ts`), and recovery codes for when both are
 * lost. It is on once a first code was given or a passkey was added; then a password begins a short challenge instead of a
 * session, and a code or a signature completes it.
 */

import { Context, Effect, Layer } from "effect"
import { Refused, TurnedAway } from "../../../model/values/errors.ts"
import { SIGN_INS_PER_ACCOUNT_MAX, SIGN_IN_WINDOW_MS } from "../../../model/values/limits.ts"
import { SERVICE_NAME } from "../../../model/linking.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { AccessRows } from "../../../http/access/rows.ts"
import { hashOfToken, newToken } from "../../../http/access/opaque-tokens.ts"
import { writeMail } from "../../../areas/messages/outbox.ts"
import type { MessageRows } from "../../../areas/messages/rows.ts"
import { ActorHost, Transaction } from "../../../engine/services/host.ts"
import { forgetAttempts, takeAttempt } from "../../../engine/services/rate-limits/attempts.ts"
import type { AttemptCounter } from "../../../engine/services/rate-limits/attempts.ts"
import { provided } from "../../../engine/services/provided.ts"
import { Routine } from "../../../engine/services/routine.ts"
import type { PortalCaller } from "../caller.ts"
import type { DeviceKey } from "./devices.ts"
import { Passwords } from "./passwords.ts"
import { invalidCode, invalidField } from "../refusals.ts"
import type { PortalRefusal } from "../refusals.ts"
import { PortalRows } from "../rows.ts"
import type { Account } from "../rows.ts"
import type { PasskeyVerifier } from "./passkey-verifier.ts"
import { accepts, hasFactor, judged, writeCodes } from "./second-factor-proof.ts"
import type { JudgedProof, Proof } from "./second-factor-proof.ts"
import { SecondFactorRows } from "./second-factor-rows.ts"
import { isOn } from "./sign-in-challenge.ts"
import { accountLock, beginSession, endSessions, placeOf, takeSignIn } from "./sessions.ts"
import type { StartedSession, Visitor } from "./sessions.ts"
import { secondFactorText } from "../texts.ts"
import type { SecondFactorChange } from "../texts.ts"
import { newSecret, stepOf, totpUri } from "./totp.ts"

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

export class SecondFactors extends Context.Tag("SecondFactors")<
  SecondFactors,
  {
    readonly state: (caller: PortalCaller) => Effect.Effect<SecondFactorState>
    /** Changes nothing at sign-in until `confirm`. */
    readonly enrol: (caller: PortalCaller, consent: Consent) => Effect.Effect<Enrolment, PortalRefusal>
    /**
     * Adds the application by its first code. If the second factor was off, that switches it on, ends other sessions, and
     * returns the recovery codes; otherwise returns none, and the codes stay.
     */
    readonly confirm: (caller: PortalCaller, code: string) => Effect.Effect<readonly string[], PortalRefusal>
    /** Replaces the recovery codes. */
    readonly renewCodes: (
      caller: PortalCaller,
      proof: Proof,
    ) => Effect.Effect<readonly string[], PortalRefusal>
    /** With its passkeys and recovery codes. */
    readonly remove: (caller: PortalCaller, proof: Proof) => Effect.Effect<void, PortalRefusal>
    /** The second step of a sign-in. */
    readonly complete: (
      sent: { readonly challenge: string; readonly proof: Proof },
      visitor: Visitor,
    ) => Effect.Effect<StartedSession, PortalRefusal>
  }
>() {}

type Needs =
  | AccessRows
  | ActorHost
  | AttemptCounter
  | DeviceKey
  | MessageRows
  | PasskeyVerifier
  | Passwords
  | PortalRows
  | SecondFactorRows

export const layerSecondFactors: Layer.Layer<SecondFactors, never, Needs> = Layer.effect(
  SecondFactors,
  Effect.map(Effect.context<Needs>(), (context): SecondFactors["Type"] => ({
    state: (caller) => provided(state(caller), context),
    enrol: (caller, consent) => provided(enrol(caller, consent), context),
    confirm: (caller, code) => provided(confirm(caller, code), context),
    renewCodes: (caller, proof) => provided(renewCodes(caller, proof), context),
    remove: (caller, proof) => provided(remove(caller, proof), context),
    complete: (sent, visitor) => provided(complete(sent, visitor), context),
  })),
)

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
  }
})

const enrol = Effect.fnUntraced(function* ({ account }: PortalCaller, consent: Consent) {
  const { accountId, email } = account
  const host = yield* ActorHost
  const secret = newSecret([yield* host.nonce, yield* host.nonce].join(""))
  yield* withConsent(account, "enrol a second factor", consent, (isProven) =>
    Routine.gen(function* () {
      const { nowMs } = yield* Transaction
      const rows = yield* SecondFactorRows
      if (isOn(yield* rows.factor(accountId))) return yield* alreadyOn()
      if (!(yield* isProven)) return null
      yield* rows.put({ accountId, secret, createdAtMs: nowMs, confirmedAtMs: null, lastStep: 0 })
      return true
    }),
  )
  return { secret, uri: totpUri(secret, { issuer: SERVICE_NAME, name: email }) }
})

/**
 * Runs the first step of adding a factor after the password. The body asks whether the consent was proven, which is always
 * true while the second factor is off, and returns null if not.
 */
export function withConsent<A, E, R>(
  account: Pick<Account, "accountId">,
  name: string,
  { password, proof }: Consent,
  body: (isProven: Routine<boolean, never, SecondFactorRows | Transaction>) => Routine<A | null, E, R>,
) {
  const { accountId } = account
  return Effect.gen(function* () {
    yield* requirePassword(accountId, password)
    const isOff = Routine.map(hasFactor(accountId), (isThere) => !isThere)
    if (proof !== null) {
      return yield* withProof(account, name, proof, (judgedProof) =>
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
const requirePassword = Effect.fnUntraced(function* (accountId: string, password: string) {
  yield* takeAttempt({
    kind: PASSWORDS,
    of: accountId,
    windowMs: SIGN_IN_WINDOW_MS,
    max: SIGN_INS_PER_ACCOUNT_MAX,
  })
  const known = yield* (yield* PortalRows).account(accountId)
  const isRight = yield* (yield* Passwords).verify(known?.passwordHash ?? null, password)
  if (!isRight) return yield* new TurnedAway({ code: "INVALID_CREDENTIALS" })
  return yield* forgetAttempts(PASSWORDS, accountId)
})

function alreadyOn(): Refused {
  return new Refused({ code: "INVALID_STATE", detail: "the second factor is on" })
}

const confirm = Effect.fnUntraced(function* ({ account, session }: PortalCaller, code: string) {
  const { accountId } = account
  return yield* withProof(account, "confirm a second factor", { code }, (_, nonce) =>
    Routine.gen(function* () {
      const { nowMs } = yield* Transaction
      const rows = yield* SecondFactorRows
      const factor = yield* rows.factor(accountId)
      if (factor === null) return null
      if (isOn(factor)) return yield* alreadyOn()
      const step = stepOf(code.trim(), { secret: factor.secret, nowMs, lastStep: factor.lastStep })
      if (step === null) return null
      const wasOn = yield* hasFactor(accountId)
      yield* rows.change(accountId, { confirmedAtMs: nowMs, lastStep: step })
      yield* tell(account, wasOn ? "application-added" : "on", nonce)
      if (wasOn) return []
      // A passkey that was begun without a proof must not be added now.
      yield* rows.deleteChallenge(accountId, "register")
      yield* endSessions(accountId, session.sessionId, "factor-on")
      return yield* writeCodes(accountId, nonce)
    }),
  )
})

const renewCodes = Effect.fnUntraced(function* ({ account }: PortalCaller, proof: Proof) {
  return yield* withProof(account, "renew recovery codes", proof, (judgedProof, nonce) =>
    Routine.gen(function* () {
      if (!(yield* accepts(account.accountId, judgedProof))) return null
      return yield* writeCodes(account.accountId, nonce)
    }),
  )
})

const remove = Effect.fnUntraced(function* ({ account, session }: PortalCaller, proof: Proof) {
  yield* withProof(account, "remove a second factor", proof, (judgedProof, nonce) =>
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
  { accountId }: Pick<Account, "accountId">,
  name: string,
  proof: Proof,
  body: (judgedProof: JudgedProof, nonce: string) => Routine<A | null, E, R>,
) {
  return Effect.gen(function* () {
    yield* takeCode(accountId)
    const judgedProof = yield* judged(accountId, proof, "confirm")
    const host = yield* ActorHost
    const nonce = [yield* host.nonce, yield* host.nonce].join("")
    const done = yield* host.run({
      name,
      locks: { key: accountLock(accountId) },
      body: () => body(judgedProof, nonce),
    })
    if (done === null) return yield* invalidCode()
    yield* forgetAttempts(CODES, accountId)
    return done
  })
}

/** Counts a code before it is compared. */
function takeCode(accountId: string) {
  return takeAttempt({
    kind: CODES,
    of: accountId,
    windowMs: SIGN_IN_WINDOW_MS,
    max: SIGN_INS_PER_ACCOUNT_MAX,
  })
}

const CODES = "second-factor/account"
const PASSWORDS = "second-factor-password/account"

export const tell = (
  { email, organizationId }: Pick<Account, "email" | "organizationId">,
  change: SecondFactorChange,
  nonce: string,
) => writeMail({ ...secondFactorText(change), to: email, organizationId }, nonce)

/** The sign-in that waits under a token, with its account. */
export const signInOf = Routine.fn(function* (token: string) {
  const rows = yield* PortalRows
  const found = yield* rows.challenge(hashOfToken(token))
  const account = found?.kind === "second-factor" ? yield* rows.accountOf(found.email) : null
  if (found === null || account === null) return yield* invalidCode()
  return { found, accountId: account.accountId }
})

const complete = Effect.fnUntraced(function* (
  { challenge: sentToken, proof }: { readonly challenge: string; readonly proof: Proof },
  visitor: Visitor,
) {
  yield* takeSignIn(visitor)
  const rows = yield* PortalRows
  const { found, accountId } = yield* signInOf(sentToken)
  yield* takeCode(accountId)
  const judgedProof = yield* judged(accountId, proof, "sign-in")
  const host = yield* ActorHost
  const token = yield* newToken
  // A wrong code is committed, because the attempt must count.
  const begun = yield* host.run({
    name: "complete a sign-in",
    locks: { key: accountLock(accountId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const challenge = yield* rows.challenge(found.tokenHash)
      if (challenge === null || nowMs >= challenge.endsAtMs || challenge.triesLeft <= 0) return null
      yield* rows.changeChallenge(challenge.challengeId, { triesLeft: challenge.triesLeft - 1 })
      const current = yield* rows.account(accountId)
      if (current === null || current.passwordHash !== challenge.details.passwordHash) return null
      const place = yield* placeOf(current)
      if (place === null || !(yield* accepts(accountId, judgedProof))) return null
      yield* rows.deleteChallenges("second-factor", current.email)
      return yield* beginSession(place, visitor, token)
    }),
  })
  if (begun === null) return yield* invalidCode()
  yield* forgetAttempts(CODES, accountId)
  return begun
})
