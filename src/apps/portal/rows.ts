/**
 * Portal rows: people's accounts and sessions, pending codes and links, the organization's profile and its requests for
 * production access. Secret values are not stored, only their hashes.
 */

import { Context, Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { OnboardingCourse, ROLES } from "../../model/requests/portal.ts"
import type { RequestedSite } from "../../model/site.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Purge, PurgeOrder } from "../../engine/services/retention/retention.ts"
import { choice, epochMs, integer, json, serial, text } from "../../engine/services/tables/columns.ts"
import { descending, notNull, oneOf } from "../../engine/services/tables/conditions.ts"
import type { Where } from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import type { ListOptions, Writing } from "../../engine/services/tables/tables.ts"
import type { EndedSession } from "./people/ended-sessions.ts"
import type { Routine } from "../../engine/services/routine.ts"
import { repository } from "../../engine/services/service.ts"

export type Role = (typeof ROLES)[number]

/** People, with the organization in which they began; `portalMemberships` has further ones. */
export const portalAccounts = table("portal_accounts", {
  one: "an account",
  many: "accounts",
  columns: {
    accountId: text(),
    number: serial().hidden(),
    organizationId: text(),
    role: choice<Role>(),
    /** In lower case; no two accounts share one. */
    email: text(),
    name: text(),
    /** Argon2id in the PHC string format. */
    passwordHash: text(),
    createdAtMs: epochMs(),
  },
  key: ["accountId"],
  indexes: [
    { name: "portal_accounts_email_key", by: ["email"] },
    { name: "portal_accounts_organization", by: ["organizationId", "number"] },
  ],
})

export type Account = RowOf<typeof portalAccounts>

/** Members whose account began in another organization. */
export const portalMemberships = table("portal_memberships", {
  one: "a membership",
  many: "memberships",
  columns: {
    accountId: text(),
    organizationId: text(),
    number: serial().hidden(),
    role: choice<Role>(),
    createdAtMs: epochMs(),
  },
  key: ["accountId", "organizationId"],
  indexes: [{ name: "portal_memberships_organization", by: ["organizationId", "number"] }],
})

export type Membership = RowOf<typeof portalMemberships>

export const portalSessions = table("portal_sessions", {
  one: "a session",
  many: "sessions",
  columns: {
    /** For lists; only the token grants access. */
    sessionId: text(),
    /** SHA-256 of the token, lower-case hex. */
    tokenHash: text(),
    accountId: text(),
    /** The organization in which it acts; null for older sessions: the account's own. */
    organizationId: text().nullable(),
    /** The environment that the session's switch selects. */
    environment: choice<Environment>(),
    /** The browser's user agent, shortened. */
    userAgent: text(),
    createdAtMs: epochMs(),
    seenAtMs: epochMs(),
    /** The session ends then at the latest, even if it is in use. */
    endsAtMs: epochMs(),
  },
  key: ["sessionId"],
  indexes: [
    { name: "portal_sessions_token_hash_key", by: ["tokenHash"] },
    { name: "portal_sessions_account", by: ["accountId", "seenAtMs"] },
    { name: "portal_sessions_end", by: ["endsAtMs"] },
  ],
})

export type Session = RowOf<typeof portalSessions>

export type ChallengeKind = "invitation" | "reset" | "second-factor" | "sign-up"

/**
 * The data of a sign-up, the account that sent an invitation, and the password of a sign-in that waits for its second
 * factor; absent otherwise.
 */
export interface ChallengeDetails {
  readonly invitedBy?: string
  readonly name?: string
  readonly organizationName?: string
  readonly passwordHash?: string
}

/** What happens when its code or link comes back. */
export const portalChallenges = table("portal_challenges", {
  one: "a challenge",
  many: "challenges",
  columns: {
    challengeId: text(),
    number: serial().hidden(),
    kind: choice<ChallengeKind>(),
    /** SHA-256 of the token, lower-case hex. */
    tokenHash: text(),
    email: text(),
    /**
     * SHA-256 over token and code: without the token, which is not stored, codes cannot be guessed. Null without a
     * code.
     */
    codeHash: text().nullable(),
    triesLeft: integer(),
    /** Only for invitations. */
    organizationId: text().nullable(),
    role: choice<Role>().nullable(),
    details: json<ChallengeDetails>(),
    createdAtMs: epochMs(),
    endsAtMs: epochMs(),
  },
  key: ["challengeId"],
  retention: { from: "endsAtMs", keepMs: 0 },
  indexes: [
    { name: "portal_challenges_token_hash_key", by: ["tokenHash"] },
    { name: "portal_challenges_email", by: ["kind", "email"] },
    {
      name: "portal_challenges_organization",
      by: ["organizationId", "number"],
      where: { organizationId: notNull },
    },
    { name: "portal_challenges_end", by: ["endsAtMs"] },
  ],
})

export type Challenge = RowOf<typeof portalChallenges>

export class PortalRows extends Context.Tag("PortalRows")<
  PortalRows,
  {
    readonly insertAccount: (account: Account) => Routine<void, never, Transaction>
    readonly changeAccount: (
      accountId: string,
      change: Partial<Pick<Account, "organizationId" | "passwordHash" | "role">>,
    ) => Routine<void, never, Transaction>
    /** Deletes it with its sessions and memberships. */
    readonly deleteAccount: (accountId: string) => Routine<void, never, Transaction>
    readonly account: (accountId: string) => Routine<Account | null>
    readonly accountOf: (email: string) => Routine<Account | null>
    /**
     * The members of one organization, with its id and their role in it: first those who began there, then the others,
     * each oldest first.
     */
    readonly accounts: (organizationId: string) => Routine<readonly Account[]>
    readonly insertMembership: (membership: Membership) => Routine<void, never, Transaction>
    readonly changeMembership: (
      of: Pick<Membership, "accountId" | "organizationId">,
      change: Pick<Membership, "role">,
    ) => Routine<void, never, Transaction>
    readonly deleteMembership: (
      of: Pick<Membership, "accountId" | "organizationId">,
    ) => Routine<void, never, Transaction>
    /** Of one account, oldest first, without the organization in which it began. */
    readonly memberships: (accountId: string) => Routine<readonly Membership[]>

    readonly insertSession: (session: Session) => Routine<void, never, Transaction>
    readonly changeSession: (
      sessionId: string,
      change: Partial<Pick<Session, "environment" | "organizationId" | "seenAtMs">>,
    ) => Routine<void, never, Transaction>
    readonly deleteSession: (sessionId: string) => Routine<void, never, Transaction>
    readonly noteSessionEnd: (ended: EndedSession) => Routine<void, never, Transaction>
    /** Null for a session that never was, that is not deleted, or that its person ended here. */
    readonly sessionEnd: (tokenHash: string) => Routine<EndedSession | null>
    /** Read at every request. */
    readonly session: (
      tokenHash: string,
    ) => Routine<{ readonly session: Session; readonly account: Account } | null>
    /** Of one account, most recently used first. */
    readonly sessions: (accountId: string) => Routine<readonly Session[]>

    readonly insertChallenge: (challenge: Challenge) => Routine<void, never, Transaction>
    readonly changeChallenge: (
      challengeId: string,
      change: Pick<Challenge, "triesLeft">,
    ) => Routine<void, never, Transaction>
    readonly deleteChallenge: (challengeId: string) => Routine<void, never, Transaction>
    /** All of one kind to one address, of all callers. */
    readonly deleteChallenges: (kind: ChallengeKind, email: string) => Routine<void, never, Transaction>
    readonly challenge: (tokenHash: string) => Routine<Challenge | null>
    /** Of one organization, oldest first. */
    readonly invitations: (organizationId: string) => Routine<readonly Challenge[]>
    /** Sessions that have ended, or that were unused since another instant. */
    readonly purgeSessions: (
      order: PurgeOrder & { readonly unusedSinceMs: EpochMs },
    ) => Routine<number, never, Transaction>
    /** Reasons of ends, of operators' sessions too. */
    readonly purgeSessionEnds: Purge
    /** Challenges that have ended. */
    readonly purgeChallenges: Purge
  }
>() {}

export const portalProfiles = table("portal_profiles", {
  one: "a profile",
  many: "profiles",
  columns: {
    organizationId: text(),
    /** The address for notices about webhooks and access. */
    contactEmail: text(),
    updatedAtMs: epochMs(),
  },
  key: ["organizationId"],
})

export type AccessStatus = "approved" | "declined" | "pending"

/** The columns of everything that an organization asks operations for. */
export const requestColumns = {
  requestId: text(),
  number: serial().hidden(),
  organizationId: text(),
  /** The account that made the request. */
  requestedBy: text(),
  requestedAtMs: epochMs(),
  dueAtMs: epochMs(),
  status: choice<AccessStatus>(),
  decidedAtMs: epochMs().nullable(),
  /** The operator, by the name that operations use. */
  decidedBy: text().nullable(),
  reason: text().nullable(),
  /** The sites that the approval creates. */
  sites: json<readonly RequestedSite[]>(),
  /** The created sites, in the order of `sites`; empty until then. */
  siteIds: json<readonly string[]>().default([]),
}

/** Requests for production access. */
export const accessRequests = table("access_requests", {
  one: "a request for access",
  many: "requests for access",
  columns: {
    ...requestColumns,
    /** Whose seven steps were done. */
    course: choice<OnboardingCourse>().default("deliveries"),
  },
  key: ["requestId"],
  indexes: [
    { name: "access_requests_organization", by: ["organizationId", "number"] },
    { name: "access_requests_due", by: ["status", "dueAtMs"] },
  ],
})

export type AccessRequest = RowOf<typeof accessRequests>

/** What a decision changes. */
export type DecidedFields = Pick<AccessRequest, "decidedAtMs" | "decidedBy" | "reason" | "siteIds" | "status">

export class ProfileRows extends repository<ProfileRows>()(
  "ProfileRows",
  Effect.map(Tables, (tables) => {
    const profiles = tables.of(portalProfiles)
    return {
      putProfile: profiles.upsert,
      profile: (organizationId: string) => profiles.get({ organizationId }),
      ...requestRows(tables.of(accessRequests)),
    }
  }),
) {}

interface RequestTable<Request, New> {
  readonly insert: (row: New) => Writing
  readonly update: (key: Pick<AccessRequest, "requestId">, change: DecidedFields) => Writing
  readonly get: (key: Pick<AccessRequest, "requestId">) => Routine<Request | null>
  readonly list: (
    where: Where<Pick<typeof requestColumns, "organizationId" | "status">>,
    options: ListOptions<typeof requestColumns>,
  ) => Routine<readonly Request[]>
}

/** The repository of requests of one table. */
export function requestRows<Request, New>(rows: RequestTable<Request, New>) {
  return {
    insertRequest: rows.insert,
    changeRequest: (requestId: string, change: DecidedFields) => rows.update({ requestId }, change),
    request: (requestId: string) => rows.get({ requestId }),
    /** Of one organization, newest first. */
    requests: (organizationId: string) => rows.list({ organizationId }, { order: [descending("number")] }),
    /** Of all organizations, those waiting longest first. */
    pending: (limit: number) => rows.list({ status: "pending" }, { order: ["dueAtMs", "number"], limit }),
    /** Of all organizations, the latest decision first. */
    decided: (limit: number) =>
      rows.list(
        { status: oneOf("approved", "declined") },
        { order: [descending("decidedAtMs"), descending("number")], limit },
      ),
  }
}
