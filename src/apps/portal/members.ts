/**
 * Members: who belongs to an organization, is invited, or leaves. Owners manage them; the last owner cannot be removed.
 */

import { Effect } from "effect"
import { Refused, TurnedAway } from "../../model/values/errors.ts"
import { newUuid } from "../../model/ids.ts"
import {
  INVITATIONS_PER_ORGANIZATION_MAX,
  INVITATION_MS,
  MAILS_PER_ACCOUNT_MAX,
  MAIL_WINDOW_MS,
  MEMBERS_MAX,
} from "../../model/values/limits.ts"
import type { AcceptInvitationRequest, InviteRequest } from "../../model/requests/portal.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { AccessRows } from "../../http/access/rows.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { writeMail } from "../../areas/messages/outbox.ts"
import { emailLock } from "./people/accounts.ts"
import { takeAttempt } from "../../engine/services/rate-limits/attempts.ts"
import { requireOwner } from "./caller.ts"
import type { PortalCaller } from "./caller.ts"
import { Passwords, requireStrong } from "./people/passwords.ts"
import { invalidCode, notFound } from "./refusals.ts"
import { PortalRows } from "./rows.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import type { Account, Challenge, Role } from "./rows.ts"
import { FormerRows, noteEnded, noteLeft } from "./people/former-members.ts"
import { SecondFactorRows } from "./people/second-factor-rows.ts"
import { beginSession, endSessionsIn, memberOf } from "./people/sessions.ts"
import type { Visitor } from "./people/sessions.ts"
import { portalPolicy } from "./people/sign-in-policy.ts"
import { PortalAddress, linkTo } from "./portal-address.ts"
import { invitationText, invitationToAccountText, removedText, roleChangedText } from "./texts.ts"
import { hashOfToken, newToken } from "../../http/access/opaque-tokens.ts"

/** What an invitation says before it is accepted. */
export interface InvitationPreview {
  readonly organizationName: string
  readonly email: string
  readonly role: Role
  /** Null when that person has left. */
  readonly invitedBy: string | null
  readonly endsAtMs: EpochMs
}

export class PortalMembers extends service<PortalMembers>()("PortalMembers", () => ({
  list,
  changeRole,
  remove,
  invite,
  invitations: openInvitations,
  withdraw,
  preview,
  join,
  accept,
})) {}

const list = Routine.fn(function* ({ organization }: PortalCaller) {
  const rows = yield* PortalRows
  return (yield* rows.accounts(organization.organizationId)).map(memberOf)
})

/** A new role requires a new sign-in: sessions in the organization end when their rights change. */
const changeRole = Routine.fn(function* (
  caller: PortalCaller,
  { accountId, role }: { readonly accountId: string; readonly role: Role },
) {
  const nonce = yield* (yield* ActorHost).nonce
  return yield* amongMembers(caller, (members) =>
    Routine.gen(function* () {
      const member = yield* memberIn(members, accountId)
      if (member.role === role) return memberOf(member)
      yield* requireAnotherOwner(members, member)
      yield* setRole(member, role)
      yield* endSessionsIn(accountId, member.organizationId, "role-changed")
      const text = roleChangedText({ ...changeOf(caller, accountId), role })
      yield* writeMail({ ...text, to: member.email, organizationId: member.organizationId }, nonce)
      return memberOf({ ...member, role })
    }),
  )
})

/** May remove the caller. */
const remove = Routine.fn(function* (caller: PortalCaller, accountId: string) {
  const nonce = yield* (yield* ActorHost).nonce
  yield* amongMembers(
    caller,
    (members) =>
      Routine.gen(function* () {
        const member = yield* memberIn(members, accountId)
        yield* requireAnotherOwner(members, member)
        const isLast = yield* leave(member)
        const text = removedText({ ...changeOf(caller, accountId), isLast })
        yield* writeMail({ ...text, to: member.email, organizationId: member.organizationId }, nonce)
      }),
    caller.account.accountId === accountId ? "anyone" : "owner",
  )
})

/** What the mail to a member says of a change: where, and by whom. */
function changeOf({ account, organization }: PortalCaller, accountId: string) {
  return { organization: organization.name, by: account.accountId === accountId ? null : account.name }
}

/** Inside the transaction. */
const setRole = Routine.fn(function* ({ accountId, organizationId }: Account, role: Role) {
  const rows = yield* PortalRows
  const account = yield* rows.account(accountId)
  yield* account?.organizationId === organizationId
    ? rows.changeAccount(accountId, { role })
    : rows.changeMembership({ accountId, organizationId }, { role })
})

/**
 * Inside the transaction: ends a membership and the person's sessions in the organization. An account without another one is deleted; else
 * its next one takes the place of the one in which it began. True when the account is deleted.
 */
const leave = Routine.fn(function* (member: Account) {
  const { accountId, organizationId } = member
  yield* noteLeft(member)
  const rows = yield* PortalRows
  const account = yield* rows.account(accountId)
  const [next] = yield* rows.memberships(accountId)
  yield* endSessionsIn(accountId, organizationId, "removed")
  if (account?.organizationId !== organizationId) {
    yield* rows.deleteMembership({ accountId, organizationId })
    return false
  }
  if (next === undefined) {
    yield* noteEnded(member)
    yield* rows.deleteAccount(accountId)
    yield* (yield* SecondFactorRows).remove(accountId)
    return true
  }
  yield* rows.deleteMembership(next)
  yield* rows.changeAccount(accountId, { organizationId: next.organizationId, role: next.role })
  return false
})

/**
 * Runs commands of owners on members under the lock of memberships. The members are read again under it, and the
 * caller's role is checked again, because two owners may demote each other.
 */
function amongMembers<A, E, R>(
  { account, organization }: PortalCaller,
  body: (members: readonly Account[]) => Routine<A, E, R>,
  who: "anyone" | "owner" = "owner",
) {
  return Routine.gen(function* () {
    const rows = yield* PortalRows
    const host = yield* ActorHost
    const whole = Routine.gen(function* () {
      const members = yield* rows.accounts(organization.organizationId)
      const self = members.find((member) => member.accountId === account.accountId)
      if (self === undefined) return yield* new TurnedAway({ code: "SIGN_IN_REQUIRED" })
      if (who === "owner" && self.role !== "owner") return yield* new TurnedAway({ code: "OWNER_REQUIRED" })
      return yield* body(members)
    })
    return yield* host.run({
      name: "change members",
      locks: { key: MEMBERSHIPS },
      body: () => whole,
    })
  })
}

/**
 * The lock of every command on memberships. A person may be a member of several organizations, so one lock for each
 * organization would not keep two of them from changing the same person at once.
 */
const MEMBERSHIPS = "memberships"

function memberIn(members: readonly Account[], accountId: string): Routine<Account, Refused> {
  const member = members.find((one) => one.accountId === accountId)
  return member === undefined ? Routine.fail(notFound()) : Routine.succeed(member)
}

function requireAnotherOwner(members: readonly Account[], leaving: Account): Routine<void, Refused> {
  if (leaving.role !== "owner") return Routine.void
  const others = members.filter((one) => one.role === "owner" && one.accountId !== leaving.accountId)
  return others.length > 0
    ? Routine.void
    : Routine.fail(new Refused({ code: "INVALID_STATE", detail: "an organization keeps one owner" }))
}

/** The answer is the same whether the address has an account elsewhere or not: only a mail to the address says so. */
const invite = Effect.fnUntraced(function* (caller: PortalCaller, { email, role }: InviteRequest) {
  yield* requireOwner(caller)
  yield* takeAttempt({
    kind: "mail/organization",
    of: caller.organization.organizationId,
    windowMs: MAIL_WINDOW_MS,
    max: INVITATIONS_PER_ORGANIZATION_MAX,
  })
  yield* takeAttempt({
    kind: "mail/invitation",
    of: email,
    windowMs: MAIL_WINDOW_MS,
    max: MAILS_PER_ACCOUNT_MAX,
  })
  const { organizationId, name } = caller.organization
  const host = yield* ActorHost
  const rows = yield* PortalRows
  const [token, nonce] = [yield* newToken, yield* host.nonce]
  const address = yield* PortalAddress
  return yield* amongMembers(caller, (members) =>
    Routine.gen(function* () {
      const { nowMs } = yield* Transaction
      if (members.some((member) => member.email === email)) {
        return yield* new Refused({ code: "INVALID_STATE", detail: "this address is a member's" })
      }
      const open = (yield* rows.invitations(organizationId)).filter((one) => nowMs < one.endsAtMs)
      const earlier = open.filter((one) => one.email === email)
      for (const { challengeId } of earlier) yield* rows.deleteChallenge(challengeId)
      if (members.length + open.length - earlier.length >= MEMBERS_MAX) {
        return yield* new TurnedAway({ code: "LIMIT_REACHED" })
      }
      const invitation: Challenge = {
        challengeId: newUuid(nonce, "invitation"),
        kind: "invitation",
        tokenHash: hashOfToken(token),
        email,
        codeHash: null,
        triesLeft: 1,
        organizationId,
        role,
        details: { invitedBy: caller.account.accountId },
        createdAtMs: nowMs,
        endsAtMs: nowMs + INVITATION_MS,
      }
      yield* rows.insertChallenge(invitation)
      const isTaken = (yield* rows.accountOf(email)) !== null
      const said = { organization: name, role, link: linkTo(address, "invitation", token) }
      const text = isTaken ? invitationToAccountText(said) : invitationText(said)
      yield* writeMail({ ...text, to: email, organizationId }, nonce)
      return invitation
    }),
  )
})

const openInvitations = Routine.fn(function* ({ organization }: PortalCaller) {
  const rows = yield* PortalRows
  const nowMs = yield* Routine.nowMs
  return (yield* rows.invitations(organization.organizationId)).filter((one) => nowMs < one.endsAtMs)
})

const withdraw = Routine.fn(function* (caller: PortalCaller, invitationId: string) {
  const rows = yield* PortalRows
  yield* amongMembers(caller, () =>
    Routine.gen(function* () {
      const known = yield* rows.invitations(caller.organization.organizationId)
      if (known.every((one) => one.challengeId !== invitationId)) return yield* notFound()
      yield* rows.deleteChallenge(invitationId)
    }),
  )
})

/**
 * Changes nothing: the link can still be accepted. Reads the same rows for every token, so that the time of the answer
 * reveals nothing.
 */
const preview = Routine.fn(function* (token: string, visitor: Visitor) {
  yield* portalPolicy.takeNetwork(visitor)
  const rows = yield* PortalRows
  const invitation = yield* rows.challenge(hashOfToken(token))
  const nowMs = yield* Routine.nowMs
  const organization = yield* (yield* AccessRows).organization(invitation?.organizationId ?? NO_ID)
  const inviter = yield* rows.account(invitation?.details.invitedBy ?? NO_ID)
  const isOpen = invitation?.kind === "invitation" && nowMs < invitation.endsAtMs
  if (!isOpen || invitation.role === null || organization?.isActive !== true) return yield* invalidCode()
  const { email, role, endsAtMs } = invitation
  const isMember = inviter?.organizationId === organization.organizationId
  const invitedBy = isMember ? inviter.name : null
  return { organizationName: organization.name, email, role, invitedBy, endsAtMs } satisfies InvitationPreview
})

const NO_ID = "none"

/**
 * For a person who has an account: makes it a member of the inviting organization too. The limit of the person's commands
 * bounds the tokens that are tried.
 */
const join = Routine.fn(function* ({ account: { accountId, email } }: PortalCaller, token: string) {
  const rows = yield* PortalRows
  const host = yield* ActorHost
  const tokenHash = hashOfToken(token)
  return yield* host.run({
    name: "join an organization",
    locks: { key: MEMBERSHIPS },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const invitation = yield* rows.challenge(tokenHash)
      const isOpen = invitation?.kind === "invitation" && nowMs < invitation.endsAtMs
      // The link of another person's mail opens nothing.
      if (!isOpen || invitation.email !== email) return yield* invalidCode()
      const { challengeId, organizationId, role } = invitation
      const organization =
        organizationId === null ? null : yield* (yield* AccessRows).organization(organizationId)
      if (organizationId === null || role === null || organization?.isActive !== true)
        return yield* invalidCode()
      const known = yield* rows.accounts(organizationId)
      if (known.some((member) => member.accountId === accountId)) return yield* invalidCode()
      yield* rows.deleteChallenge(challengeId)
      yield* rows.insertMembership({ accountId, organizationId, role, createdAtMs: nowMs })
      return { organizationId }
    }),
  })
})

const accept = Effect.fnUntraced(function* (
  { token: invitationToken, name, password }: AcceptInvitationRequest,
  visitor: Visitor,
) {
  yield* portalPolicy.takeNetwork(visitor)
  const rows = yield* PortalRows
  const found = yield* rows.challenge(hashOfToken(invitationToken))
  if (found?.kind !== "invitation") return yield* invalidCode()
  yield* requireStrong(password, [found.email, name])
  const passwordHash = yield* (yield* Passwords).hash(password)
  const host = yield* ActorHost
  const [token, nonce] = [yield* newToken, yield* host.nonce]
  return yield* host.run({
    name: "accept an invitation",
    locks: { key: emailLock(found.email) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const invitation = yield* rows.challenge(found.tokenHash)
      const isOpen = invitation !== null && nowMs < invitation.endsAtMs
      if (!isOpen || invitation.organizationId === null || invitation.role === null) {
        return yield* invalidCode()
      }
      if ((yield* rows.accountOf(invitation.email)) !== null) return yield* invalidCode()
      const { challengeId, email, organizationId, role } = invitation
      const organization = yield* (yield* AccessRows).organization(organizationId)
      if (organization?.isActive !== true) return yield* invalidCode()
      const account: Account = {
        accountId: newUuid(nonce, "account"),
        organizationId,
        role,
        email,
        name,
        passwordHash,
        createdAtMs: nowMs,
      }
      yield* rows.deleteChallenge(challengeId)
      yield* rows.insertAccount(account)
      yield* (yield* FormerRows).forgetAccount(email)
      return yield* beginSession(account, visitor, token)
    }),
  })
})
