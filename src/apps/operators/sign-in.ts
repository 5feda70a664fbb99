/**
 * Signing in with an account: e-mail and password, then a code where the second factor is on. Attempts are counted
 * before they are checked, as at the portal, and an unknown address takes the same time as a known one.
 */

import { Effect } from "effect"
import { hashOfToken, newToken } from "../../http/access/opaque-tokens.ts"
import type { Environment } from "../../model/caller.ts"
import { Refused, TurnedAway } from "../../model/values/errors.ts"
import { OPERATOR_SESSION_MS, SECOND_FACTOR_MS, SECOND_FACTOR_TRIES_MAX } from "../../model/values/limits.ts"
import { SERVICE_NAME } from "../../model/linking.ts"
import { Passwords, requireStrong } from "../portal/people/passwords.ts"
import { invalidCode } from "../portal/refusals.ts"
import { acceptsCode, confirmsApplication, writeCodes } from "../portal/people/second-factor-proof.ts"
import { signInPolicy } from "../portal/people/sign-in-policy.ts"
import type { From } from "../portal/people/sign-in-policy.ts"
import { newSecret, totpUri } from "../portal/people/totp.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { OperatorAccountRows, OperatorFactorRows, accountLock } from "./rows.ts"
import type { OperatorAccount } from "./rows.ts"

/** Where a sign-in comes from. */
export interface OperatorVisitor extends From {
  readonly environment: Environment
}

/** `session` and `device`: values of cookies. `challenge`: what a code is sent with. */
export type OperatorSignedIn =
  | { readonly type: "challenge"; readonly challenge: string }
  | {
      readonly type: "session"
      readonly session: string
      readonly accountId: string
      readonly device: string
    }

/** Of a signed-in account; `session` is the value of the cookie. */
export interface OwnSession {
  readonly accountId: string
  readonly session: string
}

export class OperatorSignIn extends service<OperatorSignIn>()("OperatorSignIn", () => ({
  signIn,
  complete,
  choosePassword,
  factor: factorOf,
  enrol,
  confirm,
})) {}

export const operatorPolicy = signInPolicy({
  counts: "operator sign-in",
  device: "operator device",
  remedy: "ask an administrator at once for a link to choose a new one.",
})

const signIn = Effect.fnUntraced(function* (
  { email, password }: { readonly email: string; readonly password: string },
  visitor: OperatorVisitor,
) {
  const rows = yield* OperatorAccountRows
  const known = yield* rows.accountOf(email)
  yield* operatorPolicy.takePassword(email, known, visitor)
  const isRight = yield* (yield* Passwords).verify(known?.passwordHash ?? null, password)
  if (known === null || !isRight) return yield* new TurnedAway({ code: "INVALID_CREDENTIALS" })
  const host = yield* ActorHost
  const token = yield* newToken
  const begun = yield* host.run({
    name: "sign an operator's account in",
    locks: { key: accountLock(known.accountId) },
    body: Routine.fn(function* () {
      // Under the lock: the account may have changed during the comparison.
      const account = yield* rows.account(known.accountId)
      if (account?.passwordHash !== known.passwordHash)
        return yield* new TurnedAway({ code: "INVALID_CREDENTIALS" })
      // Only who gives the right password learns it.
      if (account.deactivatedAtMs !== null) return yield* new TurnedAway({ code: "ACCOUNT_DEACTIVATED" })
      if (account.factorSinceMs === null) return yield* beginSession(account, visitor.environment, token)
      const { nowMs } = yield* Transaction
      yield* rows.insertChallenge({
        tokenHash: hashOfToken(token),
        kind: "sign-in",
        accountId: account.accountId,
        passwordHash: account.passwordHash,
        triesLeft: SECOND_FACTOR_TRIES_MAX,
        endsAtMs: nowMs + SECOND_FACTOR_MS,
      })
      return { type: "challenge", challenge: token } satisfies OperatorSignedIn
    }),
  })
  yield* operatorPolicy.forgetPasswords(email, visitor)
  return begun
})

const beginSession = Routine.fn(function* (
  account: OperatorAccount,
  environment: Environment,
  session: string,
) {
  const { accountId } = account
  const rows = yield* OperatorAccountRows
  const { nowMs } = yield* Transaction
  const endsAtMs = nowMs + OPERATOR_SESSION_MS
  const tokenHash = hashOfToken(session)
  yield* rows.insertSession({ tokenHash, environment, accountId, createdAtMs: nowMs, endsAtMs })
  const device = yield* operatorPolicy.deviceTokenOf(account)
  return { type: "session", session, accountId, device } satisfies OperatorSignedIn
})

/** The second step of a sign-in: a code of the application or a recovery code. */
const complete = Routine.fn(function* (
  { challenge: sent, code }: { readonly challenge: string; readonly code: string },
  visitor: OperatorVisitor,
) {
  const rows = yield* OperatorAccountRows
  const tokenHash = hashOfToken(sent)
  const found = yield* rows.challenge(tokenHash)
  const known = found?.kind === "sign-in" ? yield* rows.account(found.accountId) : null
  if (known === null) {
    yield* operatorPolicy.takeNetwork(visitor)
    return yield* invalidCode()
  }
  const { accountId, email } = known
  const attempt = yield* operatorPolicy.takeCode(known, visitor)
  const host = yield* ActorHost
  const [session, nonce] = [yield* newToken, yield* host.nonce]
  // A wrong code is committed, because the attempt must count.
  const begun = yield* host.run({
    name: "complete an operator's sign-in",
    locks: { key: accountLock(accountId) },
    body: Routine.fn(function* () {
      const account = yield* proven({ accountId, tokenHash, code })
      if (account !== null) return yield* beginSession(account, visitor.environment, session)
      if (attempt.isLast) yield* operatorPolicy.warn({ email, organizationId: null }, nonce)
      return null
    }),
  })
  if (begun === null) return yield* invalidCode()
  yield* attempt.forget
  return begun
})

/** Inside the transaction: uses up one try of the challenge. Null unless the code is good. */
const proven = Routine.fn(function* ({
  accountId,
  tokenHash,
  code,
}: {
  readonly accountId: string
  readonly tokenHash: string
  readonly code: string
}) {
  const rows = yield* OperatorAccountRows
  const { nowMs } = yield* Transaction
  const challenge = yield* rows.challenge(tokenHash)
  if (challenge === null || nowMs >= challenge.endsAtMs || challenge.triesLeft <= 0) return null
  yield* rows.changeChallenge(tokenHash, { triesLeft: challenge.triesLeft - 1 })
  const account = yield* rows.account(accountId)
  if (account === null || account.deactivatedAtMs !== null) return null
  if (account.passwordHash !== challenge.passwordHash) return null
  if (!(yield* acceptsCode(yield* OperatorFactorRows, accountId, code))) return null
  yield* rows.removeChallenges(accountId, "sign-in")
  return account
})

/**
 * Uses a link up. Every session of the account ends. Returns a device token, because the link proved that the browser's
 * user is the holder.
 */
const choosePassword = Effect.fnUntraced(function* (
  { token, password }: { readonly token: string; readonly password: string },
  visitor: OperatorVisitor,
) {
  yield* operatorPolicy.takeNetwork(visitor)
  const rows = yield* OperatorAccountRows
  const tokenHash = hashOfToken(token)
  const found = yield* rows.challenge(tokenHash)
  const known = found?.kind === "password" ? yield* rows.account(found.accountId) : null
  if (known === null) return yield* invalidCode()
  const { accountId, email, name } = known
  yield* requireStrong(password, [email, name])
  const passwordHash = yield* (yield* Passwords).hash(password)
  const host = yield* ActorHost
  yield* host.run({
    name: "choose an operator's password",
    locks: { key: accountLock(accountId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      // Under the lock: of two concurrent uses of one link, the second finds it used.
      const challenge = yield* rows.challenge(tokenHash)
      const account = yield* rows.account(accountId)
      if (challenge === null || nowMs >= challenge.endsAtMs) return yield* invalidCode()
      if (account === null || account.deactivatedAtMs !== null) return yield* invalidCode()
      yield* rows.change(accountId, { passwordHash })
      yield* rows.removeChallenges(accountId, "password")
      yield* rows.removeChallenges(accountId, "sign-in")
      const ended = { reason: "password-changed", endedAtMs: nowMs } as const
      yield* rows.endSessions({ accountId, exceptTokenHash: null }, ended)
      return { accountId }
    }),
  })
  yield* operatorPolicy.forgetPasswords(email, visitor)
  return { accountId, device: yield* operatorPolicy.deviceTokenOf({ accountId, passwordHash }) }
})

/** `sinceMs` is null while it is off. */
const factorOf = Routine.fn(function* (accountId: string) {
  const account = yield* (yield* OperatorAccountRows).account(accountId)
  const codes = yield* (yield* OperatorFactorRows).codes(accountId)
  return { sinceMs: account?.factorSinceMs ?? null, recoveryCodesLeft: codes.length }
})

/** Makes a secret; nothing changes at sign-in until `confirm`. */
const enrol = Effect.fnUntraced(function* ({ accountId, session }: OwnSession, password: string) {
  const sessionId = hashOfToken(session)
  yield* operatorPolicy.takeOwn("password", sessionId)
  const rows = yield* OperatorAccountRows
  const known = yield* rows.account(accountId)
  const isRight = yield* (yield* Passwords).verify(known?.passwordHash ?? null, password)
  if (known === null || !isRight) return yield* new TurnedAway({ code: "INVALID_CREDENTIALS" })
  yield* operatorPolicy.forgetOwn("password", sessionId)
  const host = yield* ActorHost
  const secret = newSecret([yield* host.nonce, yield* host.nonce].join(""))
  yield* host.run({
    name: "enrol an operator's second factor",
    locks: { key: accountLock(accountId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      yield* requireOff(accountId)
      const factor = { accountId, secret, createdAtMs: nowMs, confirmedAtMs: null, lastStep: 0 }
      yield* (yield* OperatorFactorRows).put(factor)
    }),
  })
  return { secret, uri: totpUri(secret, { issuer: `${SERVICE_NAME} operations`, name: known.email }) }
})

/** Only an administrator switches a second factor off: a thief of a session must not bring another. */
const requireOff = Routine.fn(function* (accountId: string) {
  const account = yield* (yield* OperatorAccountRows).account(accountId)
  if (account?.factorSinceMs === null) return
  return yield* new Refused({ code: "INVALID_STATE", detail: "the second factor is on" })
})

/** Switches the second factor on by a first code, ends other sessions, and returns recovery codes. */
const confirm = Routine.fn(function* ({ accountId, session }: OwnSession, code: string) {
  const sessionId = hashOfToken(session)
  yield* operatorPolicy.takeOwn("code", sessionId)
  const rows = yield* OperatorAccountRows
  const factors = yield* OperatorFactorRows
  const host = yield* ActorHost
  const nonce = [yield* host.nonce, yield* host.nonce].join("")
  const made = yield* host.run({
    name: "confirm an operator's second factor",
    locks: { key: accountLock(accountId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      yield* requireOff(accountId)
      if (!(yield* confirmsApplication(factors, accountId, code))) return null
      yield* rows.change(accountId, { factorSinceMs: nowMs })
      const ended = { reason: "factor-on", endedAtMs: nowMs } as const
      yield* rows.endSessions({ accountId, exceptTokenHash: sessionId }, ended)
      return { accountId, codes: yield* writeCodes(factors, accountId, nonce) }
    }),
  })
  if (made === null) return yield* invalidCode()
  yield* operatorPolicy.forgetOwn("code", sessionId)
  return made.codes
})
