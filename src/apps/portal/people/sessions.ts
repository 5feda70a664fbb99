/** Sessions: sign-in and sign-out, and the person of a token. */

import { Effect } from "effect"
import type { Environment } from "../../../model/caller.ts"
import { Refused, TurnedAway } from "../../../model/values/errors.ts"
import { newUuid } from "../../../model/ids.ts"
import {
  PORTAL_COMMANDS_MAX,
  SESSIONS_MAX,
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
  SESSION_NOTED_MS,
  USER_AGENT_LENGTH_MAX,
} from "../../../model/values/limits.ts"
import type { SignInRequest } from "../../../model/requests/portal.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import { AccessRows } from "../../../http/access/rows.ts"
import { ActorHost, Transaction } from "../../../engine/services/host.ts"
import { takeAttempt } from "../../../engine/services/rate-limits/attempts.ts"
import { requireEnvironment } from "../caller.ts"
import type { PortalCaller } from "../caller.ts"
import { FormerRows, lastOrganizationOf } from "./former-members.ts"
import type { EndedAccount } from "./former-members.ts"
import { portalPolicy } from "./sign-in-policy.ts"
import { Passwords } from "./passwords.ts"
import { notFound } from "../refusals.ts"
import { challengeOf } from "./sign-in-challenge.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { service } from "../../../engine/services/service.ts"
import type { SessionEnd } from "./ended-sessions.ts"
import { PortalRows } from "../rows.ts"
import type { Account, Session } from "../rows.ts"
import { hashOfToken, newToken } from "../../../http/access/opaque-tokens.ts"

/** What the HTTP layer knows of every caller. */
export interface Visitor {
  /** The network address of the connection. */
  readonly address: string
  readonly userAgent: string
  /** The token of an earlier session, which ends when another begins. */
  readonly token: string | null
  /** The device cookie of a browser in which the owner has signed in; see `sign-in-policy.ts`. */
  readonly device: string | null
}

/** A new session. */
export interface StartedSession {
  /** For the cookie; it cannot be read again. */
  readonly token: string
  readonly organizationId: string
  readonly session: Session
  /** For the cookie that identifies the browser at the next sign-in. */
  readonly device: string
}

export class PortalSessions extends service<PortalSessions>()("PortalSessions", () => ({
  signIn,
  callerOf,
  endOf,
  signOut,
  list,
  end,
  endOthers,
  organizations,
  chooseOrganization,
  chooseEnvironment,
})) {}

/** Takes the same steps and the same time whether the account exists or not. */
const signIn = Effect.fnUntraced(function* ({ email, password }: SignInRequest, visitor: Visitor) {
  const rows = yield* PortalRows
  const passwords = yield* Passwords
  const account = yield* rows.accountOf(email)
  const ended = yield* (yield* FormerRows).account(email)
  yield* portalPolicy.takePassword(email, account, visitor)
  const isRight = yield* passwords.verify(account?.passwordHash ?? ended?.passwordHash ?? null, password)
  if (account === null && ended !== null && isRight) return yield* endedWith(ended)
  if (account === null || !isRight) return yield* new TurnedAway({ code: "INVALID_CREDENTIALS" })
  const host = yield* ActorHost
  const token = yield* newToken
  const begun = yield* host.run({
    name: "sign in",
    locks: { key: accountLock(account.accountId) },
    body: Routine.fn(function* () {
      // Under the lock: the password may have been changed during the comparison.
      const current = yield* rows.account(account.accountId)
      if (current?.passwordHash !== account.passwordHash) {
        return yield* new TurnedAway({ code: "INVALID_CREDENTIALS" })
      }
      const place = yield* placeOf(current)
      if (place === null) return yield* new TurnedAway({ code: "ORG_INACTIVE" })
      return (yield* challengeOf(current, token)) ?? (yield* beginSession(place, visitor, token))
    }),
  })
  yield* portalPolicy.forgetPasswords(email, visitor)
  return begun
})

const endedWith = Routine.fn(function* (ended: EndedAccount) {
  const detail = `you are no longer a member of ${yield* lastOrganizationOf(ended)}`
  return yield* new Refused({ code: "MEMBERSHIP_ENDED", detail })
})

/** The account in the first of its organizations that is active; null without one. */
export const placeOf = Routine.fn(function* (account: Account) {
  const access = yield* AccessRows
  for (const { organizationId, role } of yield* placesOf(account)) {
    const organization = yield* access.organization(organizationId)
    if (organization?.isActive === true) return { ...account, organizationId, role }
  }
  return null
})

/** All memberships of an account, the one in which it began first. */
const placesOf = Routine.fn(function* (account: Pick<Account, "accountId" | "organizationId" | "role">) {
  const others = yield* (yield* PortalRows).memberships(account.accountId)
  return [account, ...others].map(({ organizationId, role }) => ({ organizationId, role }))
})

/** Sign-ins and password changes of one account run one at a time. */
export function accountLock(accountId: string): string {
  return `portal/account/${accountId}`
}

/** Inside a transaction: always makes a new token, against session fixation. */
export const beginSession = Routine.fn(function* (
  account: Pick<Account, "accountId" | "organizationId" | "passwordHash">,
  visitor: Visitor,
  token: string,
) {
  const rows = yield* PortalRows
  const { nowMs } = yield* Transaction
  if (visitor.token !== null) {
    const before = yield* rows.session(hashOfToken(visitor.token))
    if (before !== null) yield* rows.deleteSession(before.session.sessionId)
  }
  const known = yield* rows.sessions(account.accountId)
  for (const one of known.slice(SESSIONS_MAX - 1)) yield* endSession(one, "too-many")
  const tokenHash = hashOfToken(token)
  const session: Session = {
    sessionId: newUuid(tokenHash, "portal session"),
    tokenHash,
    accountId: account.accountId,
    organizationId: account.organizationId,
    environment: "sandbox",
    userAgent: [...visitor.userAgent].slice(0, USER_AGENT_LENGTH_MAX).join(""),
    createdAtMs: nowMs,
    seenAtMs: nowMs,
    endsAtMs: nowMs + SESSION_LIFETIME_MS,
  }
  yield* rows.insertSession(session)
  const device = yield* portalPolicy.deviceTokenOf(account)
  return { token, organizationId: account.organizationId, session, device }
})

/**
 * The holder of the token; fails with `SIGN_IN_REQUIRED` without a live session. A command takes one of the person's
 * budget. To watch, as an open stream does, is no use of the session.
 */
const callerOf = Routine.fn(function* (token: string | null, asks: "command" | "read" | "watch") {
  const rows = yield* PortalRows
  const access = yield* AccessRows
  const found = token === null ? null : yield* rows.session(hashOfToken(token))
  const nowMs = yield* Routine.nowMs
  if (found === null || hasEnded(found.session, nowMs)) {
    return yield* new TurnedAway({ code: "SIGN_IN_REQUIRED" })
  }
  const account = yield* memberHere(found.account, found.session)
  if (account === null) return yield* new TurnedAway({ code: "SIGN_IN_REQUIRED" })
  const organization = yield* access.organization(account.organizationId)
  if (organization?.isActive !== true) return yield* new TurnedAway({ code: "ORG_INACTIVE" })
  if (asks === "command") {
    const { accountId } = account
    yield* takeAttempt({ kind: "command", of: accountId, windowMs: MINUTE_MS, max: PORTAL_COMMANDS_MAX })
  }
  if (asks !== "watch" && nowMs - found.session.seenAtMs >= SESSION_NOTED_MS) {
    const host = yield* ActorHost
    yield* host.run({
      name: "note a session's use",
      locks: {},
      body: () => rows.changeSession(found.session.sessionId, { seenAtMs: nowMs }),
    })
  }
  return { account, session: found.session, organization } satisfies PortalCaller
})

/** The account in the organization of the session; null when it is not a member there any more. */
const memberHere = Routine.fn(function* (account: Account, { organizationId }: Session) {
  if (organizationId === null || organizationId === account.organizationId) return memberOf(account)
  const rows = yield* PortalRows
  const memberships = yield* rows.memberships(account.accountId)
  const here = memberships.find((one) => one.organizationId === organizationId)
  return here === undefined ? null : { ...memberOf(account), organizationId, role: here.role }
})

function endByTime({ endsAtMs, seenAtMs }: Session, nowMs: number): SessionEnd | null {
  if (nowMs >= endsAtMs) return "over"
  return nowMs - seenAtMs >= SESSION_IDLE_MS ? "unused" : null
}

function hasEnded(session: Session, nowMs: number): boolean {
  return endByTime(session, nowMs) !== null
}

/** Why a session ended; null for one that is live, that its person ended, and that is not known. */
const endOf = Routine.fn(function* (token: string) {
  const rows = yield* PortalRows
  const found = yield* rows.session(hashOfToken(token))
  if (found === null) return (yield* rows.sessionEnd(hashOfToken(token)))?.reason ?? null
  const { session } = found
  const nowMs = yield* Routine.nowMs
  const byTime = endByTime(session, nowMs)
  if (byTime !== null) return byTime
  const account = yield* memberHere(found.account, session)
  if (account === null) return "removed"
  const organization = yield* (yield* AccessRows).organization(account.organizationId)
  return organization?.isActive === true ? null : "organization-inactive"
})

const signOut = Routine.fn(function* ({ session }: PortalCaller) {
  const rows = yield* PortalRows
  const host = yield* ActorHost
  yield* host.run({ name: "sign out", locks: {}, body: () => rows.deleteSession(session.sessionId) })
})

const list = Routine.fn(function* ({ account }: PortalCaller) {
  const rows = yield* PortalRows
  const nowMs = yield* Routine.nowMs
  return (yield* rows.sessions(account.accountId)).filter((session) => !hasEnded(session, nowMs))
})

/** Only sessions of the caller's own account. */
const end = Routine.fn(function* ({ account }: PortalCaller, sessionId: string) {
  const host = yield* ActorHost
  const own = yield* (yield* PortalRows).sessions(account.accountId)
  const ended = own.find((session) => session.sessionId === sessionId)
  if (ended === undefined) return yield* notFound()
  yield* host.run({ name: "end a session", locks: {}, body: () => endSession(ended, "ended-elsewhere") })
})

const endOthers = Routine.fn(function* ({ account, session }: PortalCaller) {
  const host = yield* ActorHost
  yield* host.run({
    name: "end other sessions",
    locks: { key: accountLock(account.accountId) },
    body: () => endSessions(account.accountId, session.sessionId, "ended-elsewhere"),
  })
})

/** The fields of an account that others may read. */
export function memberOf({ passwordHash: _, ...member }: Account): Omit<Account, "passwordHash"> {
  return member
}

/** Inside a transaction: ends every session of an account except one. */
export const endSessions = Routine.fn(function* (
  accountId: string,
  exceptId: string | null,
  reason: SessionEnd,
) {
  const rows = yield* PortalRows
  for (const session of yield* rows.sessions(accountId)) {
    if (session.sessionId !== exceptId) yield* endSession(session, reason)
  }
})

/** Inside a transaction. The row of a session that has ended is deleted as well: a clock that is set back must not revive it. */
const endSession = Routine.fn(function* (session: Session, because: SessionEnd) {
  const rows = yield* PortalRows
  const { nowMs } = yield* Transaction
  const reason = endByTime(session, nowMs) ?? because
  yield* rows.noteSessionEnd({ tokenHash: session.tokenHash, reason, endedAtMs: nowMs })
  yield* rows.deleteSession(session.sessionId)
})

/** Inside a transaction: ends an account's sessions that act in an organization. */
export const endSessionsIn = Routine.fn(function* (
  accountId: string,
  organizationId: string,
  reason: SessionEnd,
) {
  const rows = yield* PortalRows
  const account = yield* rows.account(accountId)
  for (const session of yield* rows.sessions(accountId)) {
    const actsIn = session.organizationId ?? account?.organizationId
    if (actsIn === organizationId) yield* endSession(session, reason)
  }
})

/** The development-mode switch, only of this session. */
const chooseEnvironment = Effect.fnUntraced(function* (caller: PortalCaller, environment: Environment) {
  yield* requireEnvironment(caller, environment)
  const rows = yield* PortalRows
  const host = yield* ActorHost
  yield* host.run({
    name: "choose an environment",
    locks: {},
    body: () => Routine.as(rows.changeSession(caller.session.sessionId, { environment }), { environment }),
  })
})

/** The caller's organizations that are active, the one in which the account began first. */
const organizations = Routine.fn(function* ({ account: { accountId } }: PortalCaller) {
  const access = yield* AccessRows
  const account = yield* (yield* PortalRows).account(accountId)
  const places = account === null ? [] : yield* placesOf(account)
  const found = yield* Routine.forEach(places, ({ organizationId, role }) =>
    Routine.map(access.organization(organizationId), (organization) =>
      organization?.isActive === true ? [{ organizationId, name: organization.name, role }] : [],
    ),
  )
  return found.flat()
})

/**
 * Only of this session, which begins in the sandbox there. The same answer for unknown and for others' organizations.
 */
const chooseOrganization = Routine.fn(function* (caller: PortalCaller, organizationId: string) {
  const own = yield* organizations(caller)
  if (own.every((one) => one.organizationId !== organizationId)) return yield* notFound()
  const rows = yield* PortalRows
  const host = yield* ActorHost
  const change = { organizationId, environment: "sandbox" } as const
  yield* host.run({
    name: "choose an organization",
    locks: {},
    // The result is for the audit log.
    body: () => Routine.as(rows.changeSession(caller.session.sessionId, change), { organizationId }),
  })
})
