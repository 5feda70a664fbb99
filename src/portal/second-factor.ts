/**
 * A second factor: codes of an authenticator application, and recovery codes for when it is lost. It is on once a first
 * code was given; then a password begins a short challenge instead of a session, and a code completes it.
 */

import { hash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { Refused, TurnedAway } from "../model/errors.ts"
import { RECOVERY_CODES, SIGN_INS_PER_ACCOUNT_MAX, SIGN_IN_WINDOW_MS } from "../model/limits.ts"
import { SERVICE_NAME } from "../model/linking.ts"
import type { EpochMs } from "../model/time.ts"
import type { AccessRows } from "../areas/access/rows.ts"
import { hashOfToken, newToken } from "../areas/access/opaque-tokens.ts"
import { writeMail } from "../areas/messages/outbox.ts"
import type { MessageRows } from "../areas/messages/rows.ts"
import { ActorHost, Transaction } from "../services/host.ts"
import { forgetAttempts, takeAttempt } from "../services/rate-limits/attempts.ts"
import type { AttemptCounter } from "../services/rate-limits/attempts.ts"
import type { PortalCaller } from "./caller.ts"
import type { DeviceKey } from "./devices.ts"
import { Passwords } from "./passwords.ts"
import { invalidCode } from "./refusals.ts"
import type { PortalRefusal } from "./refusals.ts"
import { PortalRows } from "./rows.ts"
import type { Account } from "./rows.ts"
import { SecondFactorRows } from "./second-factor-rows.ts"
import { isOn } from "./sign-in-challenge.ts"
import { accountLock, beginSession, endSessions, placeOf, takeSignIn } from "./sessions.ts"
import type { StartedSession, Visitor } from "./sessions.ts"
import { secondFactorText } from "./texts.ts"
import { newRecoveryCode, newSecret, stepOf, totpUri } from "./totp.ts"

export interface SecondFactorState {
  /** Null: it is off. */
  readonly sinceMs: EpochMs | null
  readonly recoveryCodesLeft: number
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
    /** Changes nothing at sign-in until `confirm`. Needs the password, so that an open browser is not enough. */
    readonly enrol: (caller: PortalCaller, password: string) => Effect.Effect<Enrolment, PortalRefusal>
    /** Switches it on by its first code, ends other sessions, and returns the recovery codes. */
    readonly confirm: (caller: PortalCaller, code: string) => Effect.Effect<readonly string[], PortalRefusal>
    /** Replaces the recovery codes. */
    readonly renewCodes: (
      caller: PortalCaller,
      code: string,
    ) => Effect.Effect<readonly string[], PortalRefusal>
    readonly remove: (caller: PortalCaller, code: string) => Effect.Effect<void, PortalRefusal>
    /** The second step of a sign-in. */
    readonly complete: (
      sent: { readonly challenge: string; readonly code: string },
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
  | Passwords
  | PortalRows
  | SecondFactorRows

export const layerSecondFactors: Layer.Layer<SecondFactors, never, Needs> = Layer.effect(
  SecondFactors,
  Effect.map(Effect.context<Needs>(), (context): SecondFactors["Type"] => ({
    state: (caller) => Effect.provide(state(caller), context),
    enrol: (caller, password) => Effect.provide(enrol(caller, password), context),
    confirm: (caller, code) => Effect.provide(confirm(caller, code), context),
    renewCodes: (caller, code) => Effect.provide(renewCodes(caller, code), context),
    remove: (caller, code) => Effect.provide(remove(caller, code), context),
    complete: (sent, visitor) => Effect.provide(complete(sent, visitor), context),
  })),
)

const state = Effect.fnUntraced(function* ({ account: { accountId } }: PortalCaller) {
  const rows = yield* SecondFactorRows
  const factor = yield* rows.factor(accountId)
  const codes = yield* rows.codes(accountId)
  return { sinceMs: factor?.confirmedAtMs ?? null, recoveryCodesLeft: codes.length }
})

const enrol = Effect.fnUntraced(function* ({ account }: PortalCaller, password: string) {
  const { accountId, email } = account
  yield* takeAttempt({
    kind: PASSWORDS,
    of: accountId,
    windowMs: SIGN_IN_WINDOW_MS,
    max: SIGN_INS_PER_ACCOUNT_MAX,
  })
  const known = yield* (yield* PortalRows).account(accountId)
  const isRight = yield* (yield* Passwords).verify(known?.passwordHash ?? null, password)
  if (!isRight) return yield* new TurnedAway({ code: "INVALID_CREDENTIALS" })
  yield* forgetAttempts(PASSWORDS, accountId)
  const host = yield* ActorHost
  const secret = newSecret([yield* host.nonce, yield* host.nonce].join(""))
  yield* host.run({
    name: "enrol a second factor",
    locks: { key: accountLock(accountId) },
    body: Effect.fnUntraced(function* () {
      const { nowMs } = yield* Transaction
      const rows = yield* SecondFactorRows
      if (isOn(yield* rows.factor(accountId))) return yield* alreadyOn()
      yield* rows.put({ accountId, secret, createdAtMs: nowMs, confirmedAtMs: null, lastStep: 0 })
    }),
  })
  return { secret, uri: totpUri(secret, { issuer: SERVICE_NAME, name: email }) }
})

function alreadyOn(): Refused {
  return new Refused({ code: "INVALID_STATE", detail: "the second factor is on" })
}

const confirm = Effect.fnUntraced(function* ({ account, session }: PortalCaller, code: string) {
  const { accountId } = account
  return yield* withCode(account, "confirm a second factor", (nonce) =>
    Effect.gen(function* () {
      const { nowMs } = yield* Transaction
      const rows = yield* SecondFactorRows
      const factor = yield* rows.factor(accountId)
      if (factor === null) return null
      if (isOn(factor)) return yield* alreadyOn()
      const step = stepOf(code.trim(), { secret: factor.secret, nowMs, lastStep: factor.lastStep })
      if (step === null) return null
      yield* rows.change(accountId, { confirmedAtMs: nowMs, lastStep: step })
      yield* endSessions(accountId, session.sessionId)
      yield* tell(account, true, nonce)
      return yield* writeCodes(accountId, nonce)
    }),
  )
})

const renewCodes = Effect.fnUntraced(function* ({ account }: PortalCaller, code: string) {
  return yield* withCode(account, "renew recovery codes", (nonce) =>
    Effect.gen(function* () {
      if (!(yield* accepts(account.accountId, code))) return null
      return yield* writeCodes(account.accountId, nonce)
    }),
  )
})

const remove = Effect.fnUntraced(function* ({ account, session }: PortalCaller, code: string) {
  yield* withCode(account, "remove a second factor", (nonce) =>
    Effect.gen(function* () {
      if (!(yield* accepts(account.accountId, code))) return null
      const rows = yield* SecondFactorRows
      yield* rows.remove(account.accountId)
      yield* endSessions(account.accountId, session.sessionId)
      yield* tell(account, false, nonce)
      return true
    }),
  )
})

/** Runs a command that needs a code; null stands for a wrong one, which counts. */
function withCode<A, E, R>(
  { accountId }: Pick<Account, "accountId">,
  name: string,
  body: (nonce: string) => Effect.Effect<A | null, E, R>,
) {
  return Effect.gen(function* () {
    yield* takeCode(accountId)
    const host = yield* ActorHost
    const nonce = [yield* host.nonce, yield* host.nonce].join("")
    const done = yield* host.run({
      name,
      locks: { key: accountLock(accountId) },
      body: () =>
        Effect.flatMap(body(nonce), (made) => (made === null ? invalidCode() : Effect.succeed(made))),
    })
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
/** Counted by themselves: a right password must not reset the count of codes. */
const PASSWORDS = "second-factor-password/account"

/** Inside the transaction: true for a code of the application or a recovery code; neither works again. */
const accepts = Effect.fnUntraced(function* (accountId: string, sent: string) {
  const rows = yield* SecondFactorRows
  const { nowMs } = yield* Transaction
  const factor = yield* rows.factor(accountId)
  if (factor === null || !isOn(factor)) return false
  const step = stepOf(sent.trim(), { secret: factor.secret, nowMs, lastStep: factor.lastStep })
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
  return hash("sha256", `${accountId}\n${code.toUpperCase().replaceAll(/[^A-Z2-7]/g, "")}`, "hex")
}

/** Inside the transaction: replaces all recovery codes. */
const writeCodes = Effect.fnUntraced(function* (accountId: string, nonce: string) {
  const rows = yield* SecondFactorRows
  const codes = Array.from({ length: RECOVERY_CODES }, (_, number) => newRecoveryCode(nonce, number))
  yield* rows.deleteCodes(accountId)
  for (const code of codes) {
    yield* rows.insertCode({ accountId, codeHash: hashOfRecoveryCode(accountId, code) })
  }
  return codes
})

const tell = (
  { email, organizationId }: Pick<Account, "email" | "organizationId">,
  isNowOn: boolean,
  nonce: string,
) => writeMail({ ...secondFactorText(isNowOn), to: email, organizationId }, nonce)

const complete = Effect.fnUntraced(function* (
  { challenge: sentToken, code }: { readonly challenge: string; readonly code: string },
  visitor: Visitor,
) {
  yield* takeSignIn(visitor)
  const rows = yield* PortalRows
  const found = yield* rows.challenge(hashOfToken(sentToken))
  const account = found?.kind === "second-factor" ? yield* rows.accountOf(found.email) : null
  if (found === null || account === null) return yield* invalidCode()
  const { accountId } = account
  yield* takeCode(accountId)
  const host = yield* ActorHost
  const token = yield* newToken
  // A wrong code is committed, because the attempt must count.
  const begun = yield* host.run({
    name: "complete a sign-in",
    locks: { key: accountLock(accountId) },
    body: Effect.fnUntraced(function* () {
      const { nowMs } = yield* Transaction
      const challenge = yield* rows.challenge(found.tokenHash)
      if (challenge === null || nowMs >= challenge.endsAtMs || challenge.triesLeft <= 0) return null
      yield* rows.changeChallenge(challenge.challengeId, { triesLeft: challenge.triesLeft - 1 })
      const current = yield* rows.account(accountId)
      if (current === null || current.passwordHash !== challenge.details.passwordHash) return null
      const place = yield* placeOf(current)
      if (place === null || !(yield* accepts(accountId, code))) return null
      yield* rows.deleteChallenges("second-factor", current.email)
      return yield* beginSession(place, visitor, token)
    }),
  })
  if (begun === null) return yield* invalidCode()
  yield* forgetAttempts(CODES, accountId)
  return begun
})
