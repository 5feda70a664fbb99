/**
 * Portal rows: people's accounts and sessions, what waits for a code or a link, the organization's profile and its requests
 * for production access. Values that open something are nowhere: only their hashes are kept.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { ROLES } from "../../model/portal.ts"
import type { RequestedSite } from "../../model/site.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Transaction } from "../host.ts"
import type { Purge, PurgeOrder } from "../retention/retention.ts"

export type Role = (typeof ROLES)[number]

/** A person; a member of exactly one organization. */
export interface Account {
  readonly accountId: string
  readonly organizationId: string
  readonly role: Role
  /** In lower case; no two accounts share one. */
  readonly email: string
  readonly name: string
  /** Argon2id in the PHC string format. */
  readonly passwordHash: string
  readonly createdAtMs: EpochMs
}

export interface Session {
  /** For lists; the token is what opens. */
  readonly sessionId: string
  /** SHA-256 of the token, lower-case hex. */
  readonly tokenHash: string
  readonly accountId: string
  /** What the development-mode switch of this session says. */
  readonly environment: Environment
  /** What the browser called itself, shortened. */
  readonly userAgent: string
  readonly createdAtMs: EpochMs
  readonly seenAtMs: EpochMs
  /** It ends then at the latest, however busy. */
  readonly endsAtMs: EpochMs
}

export type ChallengeKind = "invitation" | "reset" | "sign-up"

/** What a sign-up has said of itself; of no other kind. */
export interface ChallengeDetails {
  readonly name?: string
  readonly organizationName?: string
  readonly passwordHash?: string
}

/** Something that is done once its code or link comes back. */
export interface Challenge {
  readonly challengeId: string
  readonly kind: ChallengeKind
  /** SHA-256 of the token, lower-case hex. */
  readonly tokenHash: string
  readonly email: string
  /** SHA-256 over token and code: without the token, which is nowhere, a code cannot be tried out. Null for none. */
  readonly codeHash: string | null
  readonly triesLeft: number
  /** Of invitations. */
  readonly organizationId: string | null
  readonly role: Role | null
  readonly details: ChallengeDetails
  readonly createdAtMs: EpochMs
  readonly endsAtMs: EpochMs
}

export class PortalRows extends Context.Tag("PortalRows")<
  PortalRows,
  {
    readonly insertAccount: (account: Account) => Effect.Effect<void, never, Transaction>
    readonly changeAccount: (
      accountId: string,
      change: Partial<Pick<Account, "role" | "passwordHash">>,
    ) => Effect.Effect<void, never, Transaction>
    /** With its sessions. */
    readonly deleteAccount: (accountId: string) => Effect.Effect<void, never, Transaction>
    readonly account: (accountId: string) => Effect.Effect<Account | null>
    readonly accountOf: (email: string) => Effect.Effect<Account | null>
    /** Of one organization, oldest first. */
    readonly accounts: (organizationId: string) => Effect.Effect<readonly Account[]>

    readonly insertSession: (session: Session) => Effect.Effect<void, never, Transaction>
    readonly changeSession: (
      sessionId: string,
      change: Partial<Pick<Session, "environment" | "seenAtMs">>,
    ) => Effect.Effect<void, never, Transaction>
    readonly deleteSession: (sessionId: string) => Effect.Effect<void, never, Transaction>
    /** Asked at every request. */
    readonly session: (
      tokenHash: string,
    ) => Effect.Effect<{ readonly session: Session; readonly account: Account } | null>
    /** Of one account, the one in use last first. */
    readonly sessions: (accountId: string) => Effect.Effect<readonly Session[]>

    readonly insertChallenge: (challenge: Challenge) => Effect.Effect<void, never, Transaction>
    readonly changeChallenge: (
      challengeId: string,
      change: Pick<Challenge, "triesLeft">,
    ) => Effect.Effect<void, never, Transaction>
    readonly deleteChallenge: (challengeId: string) => Effect.Effect<void, never, Transaction>
    /** Every one of a kind to one address, whoever began it. */
    readonly deleteChallenges: (kind: ChallengeKind, email: string) => Effect.Effect<void, never, Transaction>
    readonly challenge: (tokenHash: string) => Effect.Effect<Challenge | null>
    /** Of one organization, oldest first. */
    readonly invitations: (organizationId: string) => Effect.Effect<readonly Challenge[]>
    /** Sessions that have ended, or were unused since another instant. */
    readonly purgeSessions: (
      order: PurgeOrder & { readonly unusedSinceMs: EpochMs },
    ) => Effect.Effect<number, never, Transaction>
    /** Challenges that have ended. */
    readonly purgeChallenges: Purge
  }
>() {}

/** One bucket's window. */
export interface AttemptWindow {
  readonly bucket: string
  readonly startsAtMs: EpochMs
}

/** Counts attempts. Counting is no part of a command's transaction: a refused attempt was one too. */
export class AttemptCounter extends Context.Tag("AttemptCounter")<
  AttemptCounter,
  {
    /** Counts one more and gives the count, this one included. */
    readonly count: (window: AttemptWindow) => Effect.Effect<number>
    readonly forget: (bucket: string) => Effect.Effect<void>
    /** Windows by their beginning. */
    readonly purge: Purge
  }
>() {}

export interface Profile {
  readonly organizationId: string
  /** Where notices about webhooks and access go. */
  readonly contactEmail: string
  readonly updatedAtMs: EpochMs
}

export type AccessStatus = "approved" | "declined" | "pending"

/** A request for production access. */
export interface AccessRequest {
  readonly requestId: string
  readonly organizationId: string
  /** The account that asked. */
  readonly requestedBy: string
  readonly requestedAtMs: EpochMs
  readonly dueAtMs: EpochMs
  readonly status: AccessStatus
  readonly decidedAtMs: EpochMs | null
  /** The operator, as operations call them. */
  readonly decidedBy: string | null
  readonly reason: string | null
  /** What approval makes. */
  readonly sites: readonly RequestedSite[]
}

export class ProfileRows extends Context.Tag("ProfileRows")<
  ProfileRows,
  {
    readonly putProfile: (profile: Profile) => Effect.Effect<void, never, Transaction>
    readonly profile: (organizationId: string) => Effect.Effect<Profile | null>
    readonly insertRequest: (request: AccessRequest) => Effect.Effect<void, never, Transaction>
    readonly changeRequest: (
      requestId: string,
      change: Pick<AccessRequest, "decidedAtMs" | "decidedBy" | "reason" | "status">,
    ) => Effect.Effect<void, never, Transaction>
    readonly request: (requestId: string) => Effect.Effect<AccessRequest | null>
    /** Of one organization, newest first. */
    readonly requests: (organizationId: string) => Effect.Effect<readonly AccessRequest[]>
    /** Of all organizations, the longest waiting first. */
    readonly pending: Effect.Effect<readonly AccessRequest[]>
  }
>() {}
