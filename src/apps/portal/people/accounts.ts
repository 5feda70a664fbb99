/**
 * Accounts: sign-up, and forgotten or changed passwords. Neither an answer nor its duration reveals whether an e-mail
 * address has an account; only a mail to the address does.
 */

import { Effect } from "effect"
import { TurnedAway } from "../../../model/values/errors.ts"
import { newUuid } from "../../../model/ids.ts"
import {
  MAILS_PER_ACCOUNT_MAX,
  MAILS_PER_ADDRESS_MAX,
  MAIL_WINDOW_MS,
  RESET_CODE_MS,
  SIGN_UP_CODE_MS,
  SIGN_UP_CODE_TRIES_MAX,
} from "../../../model/values/limits.ts"
import type {
  ChangePasswordRequest,
  ResetPasswordRequest,
  SignUpRequest,
  VerifySignUpRequest,
} from "../../../model/requests/portal.ts"
import type { Purpose } from "../../../model/message.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { AccessRows } from "../../../http/access/rows.ts"
import { isSame } from "../../../engine/services/constant-time.ts"
import { ActorHost, Transaction } from "../../../engine/services/host.ts"
import { writeMail } from "../../../areas/messages/outbox.ts"
import { networkOf } from "../../../engine/services/rate-limits/network.ts"
import { takeAttempt } from "../../../engine/services/rate-limits/attempts.ts"
import type { PortalCaller } from "../caller.ts"
import { FormerRows, lastOrganizationOf } from "./former-members.ts"
import { portalPolicy } from "./sign-in-policy.ts"
import { Passwords, requireStrong } from "./passwords.ts"
import { invalidCode } from "../refusals.ts"
import { PortalRows } from "../rows.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { service } from "../../../engine/services/service.ts"
import type { Account, Challenge } from "../rows.ts"
import { accountLock, beginSession, endSessions } from "./sessions.ts"
import type { Visitor } from "./sessions.ts"
import { PortalAddress, linkTo } from "../portal-address.ts"
import {
  passwordChangedText,
  resetEndedText,
  resetText,
  resetUnknownText,
  signUpAgainText,
  signUpText,
} from "../texts.ts"
import { hashOfCode, hashOfToken, newCode, newToken } from "../../../http/access/opaque-tokens.ts"

/** Sent back with the code from the mail: one is useless without the other. */
export interface PendingSignUp {
  readonly token: string
  readonly endsAtMs: EpochMs
}

export class PortalAccounts extends service<PortalAccounts>()("PortalAccounts", () => ({
  signUp,
  verifySignUp,
  askReset,
  reset,
  changePassword,
})) {}

const signUp = Effect.fnUntraced(function* (request: SignUpRequest, visitor: Visitor) {
  const { email, password, name, organization_name: organizationName } = request
  yield* requireStrong(password, [email, name, organizationName])
  yield* takeMail("sign-up", email, visitor)
  const passwordHash = yield* (yield* Passwords).hash(password)
  const [token, code, host] = [yield* newToken, yield* newCode, yield* ActorHost]
  const nonce = yield* host.nonce
  return yield* host.run({
    name: "sign up",
    locks: { key: emailLock(email) },
    body: Routine.fn(function* () {
      const rows = yield* PortalRows
      const { nowMs } = yield* Transaction
      const isTaken = (yield* rows.accountOf(email)) !== null
      const challenge: Challenge = {
        challengeId: newUuid(nonce, "sign-up"),
        kind: "sign-up",
        tokenHash: hashOfToken(token),
        email,
        // A code cannot complete the sign-up of an address that has an account.
        codeHash: isTaken ? null : hashOfCode(token, code),
        triesLeft: SIGN_UP_CODE_TRIES_MAX,
        organizationId: null,
        role: null,
        details: { name, organizationName, passwordHash },
        createdAtMs: nowMs,
        endsAtMs: nowMs + SIGN_UP_CODE_MS,
      }
      yield* rows.insertChallenge(challenge)
      const text = isTaken ? signUpAgainText() : signUpText(code)
      yield* writeMail({ ...text, to: email, organizationId: null }, nonce)
      return { token, endsAtMs: challenge.endsAtMs } satisfies PendingSignUp
    }),
  })
})

/** Creates the organization and its owner, and signs the owner in. */
const verifySignUp = Routine.fn(function* (request: VerifySignUpRequest, visitor: Visitor) {
  const { sign_up_token: signUpToken, code } = request
  yield* portalPolicy.takeNetwork(visitor)
  const rows = yield* PortalRows
  const found = yield* rows.challenge(hashOfToken(signUpToken))
  if (found?.kind !== "sign-up") return yield* invalidCode()
  const host = yield* ActorHost
  const [token, nonce] = [yield* newToken, yield* host.nonce]
  // A wrong code is committed, because the attempt must count.
  const begun = yield* host.run({
    name: "verify a sign-up",
    locks: { key: emailLock(found.email) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const challenge = yield* rows.challenge(found.tokenHash)
      if (challenge === null || nowMs >= challenge.endsAtMs || challenge.triesLeft <= 0) return null
      const isRight =
        challenge.codeHash !== null && isSame(challenge.codeHash, hashOfCode(signUpToken, code.trim()))
      const { challengeId, triesLeft } = challenge
      yield* rows.changeChallenge(challengeId, { triesLeft: triesLeft - 1 })
      if (!isRight || (yield* rows.accountOf(challenge.email)) !== null) return null
      yield* rows.deleteChallenges("sign-up", challenge.email)
      const account = yield* foundOrganization(challenge, nonce)
      return yield* beginSession(account, visitor, token)
    }),
  })
  return begun ?? (yield* invalidCode())
})

/** Inside the transaction: creates an organization of the sandbox, and its first owner. */
const foundOrganization = Routine.fn(function* ({ email, details }: Challenge, nonce: string) {
  const access = yield* AccessRows
  const rows = yield* PortalRows
  const { nowMs } = yield* Transaction
  const organizationId = newUuid(nonce, "organization")
  yield* access.insertOrganization({
    organizationId,
    name: details.organizationName ?? "",
    isActive: true,
    isFleetPartner: false,
    isSandboxPartner: false,
    environments: ["sandbox"],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  })
  const account: Account = {
    accountId: newUuid(nonce, "account"),
    organizationId,
    role: "owner",
    email,
    name: details.name ?? "",
    passwordHash: details.passwordHash ?? "",
    createdAtMs: nowMs,
  }
  yield* rows.insertAccount(account)
  yield* (yield* FormerRows).forgetAccount(email)
  return account
})

const askReset = Routine.fn(function* (email: string, visitor: Visitor) {
  yield* takeResetMail(email, visitor)
  const host = yield* ActorHost
  const [token, nonce] = [yield* newToken, yield* host.nonce]
  yield* host.run({
    name: "request a password reset",
    locks: { key: emailLock(email) },
    body: Routine.fn(function* () {
      const rows = yield* PortalRows
      const { nowMs } = yield* Transaction
      const account = yield* rows.accountOf(email)
      const ended = yield* (yield* FormerRows).account(email)
      // The row is also written for unknown addresses, so that both take the same time. It grants nothing.
      yield* rows.insertChallenge({
        challengeId: newUuid(nonce, "reset"),
        kind: "reset",
        tokenHash: hashOfToken(token),
        email,
        codeHash: null,
        triesLeft: 1,
        organizationId: null,
        role: null,
        details: {},
        createdAtMs: nowMs,
        endsAtMs: nowMs + RESET_CODE_MS,
      })
      const text =
        account !== null
          ? resetText(linkTo(yield* PortalAddress, "new-password", token))
          : ended === null
            ? resetUnknownText()
            : resetEndedText(yield* lastOrganizationOf(ended))
      yield* writeMail({ ...text, to: email, organizationId: account?.organizationId ?? null }, nonce)
    }),
  })
})

/**
 * Signs out every session of the account. Returns a device token, because the mail proved that the browser's user is
 * the owner.
 */
const reset = Effect.fnUntraced(function* ({ token, password }: ResetPasswordRequest, visitor: Visitor) {
  yield* portalPolicy.takeNetwork(visitor)
  const rows = yield* PortalRows
  const found = yield* rows.challenge(hashOfToken(token))
  const nowMs = yield* Routine.nowMs
  const account = found === null ? null : yield* rows.accountOf(found.email)
  if (found?.kind !== "reset" || nowMs >= found.endsAtMs || account === null) return yield* invalidCode()
  yield* requireStrong(password, [account.email, account.name])
  const passwordHash = yield* (yield* Passwords).hash(password)
  const host = yield* ActorHost
  const nonce = yield* host.nonce
  yield* host.run({
    name: "reset a password",
    locks: { key: accountLock(account.accountId) },
    body: Routine.fn(function* () {
      // Under the lock, so that of two concurrent uses of one link the second finds it used.
      if ((yield* rows.challenge(found.tokenHash)) === null) return yield* invalidCode()
      yield* setPassword(account, passwordHash, nonce)
      yield* endSessions(account.accountId, null, "password-changed")
      // For the audit log.
      return { accountId: account.accountId, organizationId: account.organizationId }
    }),
  })
  yield* portalPolicy.forgetPasswords(account.email, visitor)
  return yield* portalPolicy.deviceTokenOf({ ...account, passwordHash })
})

/** Signs out every session, and starts a new one for this browser. */
const changePassword = Effect.fnUntraced(function* (
  { account: { accountId, email, name, organizationId }, session: { sessionId } }: PortalCaller,
  request: ChangePasswordRequest,
  visitor: Visitor,
) {
  const { current_password: current, password } = request
  yield* portalPolicy.takeOwn("password", sessionId)
  const rows = yield* PortalRows
  const passwords = yield* Passwords
  const account = yield* rows.account(accountId)
  const isRight = yield* passwords.verify(account?.passwordHash ?? null, current)
  if (account === null || !isRight) return yield* new TurnedAway({ code: "INVALID_CREDENTIALS" })
  yield* requireStrong(password, [email, name])
  const passwordHash = yield* passwords.hash(password)
  const host = yield* ActorHost
  const [token, nonce] = [yield* newToken, yield* host.nonce]
  const begun = yield* host.run({
    name: "change a password",
    locks: { key: accountLock(accountId) },
    body: Routine.fn(function* () {
      const now = yield* rows.account(accountId)
      if (now?.passwordHash !== account.passwordHash) {
        return yield* new TurnedAway({ code: "INVALID_CREDENTIALS" })
      }
      yield* setPassword(account, passwordHash, nonce)
      yield* endSessions(accountId, null, "password-changed")
      return yield* beginSession({ ...account, organizationId, passwordHash }, visitor, token)
    }),
  })
  yield* portalPolicy.forgetOwn("password", sessionId)
  return begun
})

/** Inside the transaction: invalidates all reset links, and informs the owner. */
const setPassword = Routine.fn(function* (account: Account, passwordHash: string, nonce: string) {
  const rows = yield* PortalRows
  const { accountId, email, organizationId } = account
  yield* rows.changeAccount(accountId, { passwordHash })
  yield* rows.deleteChallenges("reset", email)
  const text = passwordChangedText()
  yield* writeMail({ ...text, to: email, organizationId }, nonce)
})

/**
 * Counts mails to an address that can be caused without signing in, with an account or not. Each purpose has its own
 * count, so that sign-ups of strangers with an address do not use up the resets of its owner.
 */
const takeMail = Routine.fn(function* (purpose: Purpose, email: string, { address }: Visitor) {
  const windowMs = MAIL_WINDOW_MS
  const network = networkOf(address)
  yield* takeAttempt({ kind: "mail/address", of: network, windowMs, max: MAILS_PER_ADDRESS_MAX })
  yield* takeAttempt({ kind: `mail/${purpose}`, of: email, windowMs, max: MAILS_PER_ACCOUNT_MAX })
})

/** The owner's browsers count apart: links that strangers asked for end before their window does. */
const takeResetMail = Routine.fn(function* (email: string, visitor: Visitor) {
  const account = yield* (yield* PortalRows).accountOf(email)
  if (!(yield* portalPolicy.isOwnDevice(account, visitor)))
    return yield* takeMail("password-reset", email, visitor)
  const own = { kind: "mail/own-device", of: email, windowMs: MAIL_WINDOW_MS, max: MAILS_PER_ACCOUNT_MAX }
  return yield* takeAttempt(own)
})

/** Creations of an account for one address run one at a time. */
export function emailLock(email: string): string {
  return `portal/email/${email}`
}
