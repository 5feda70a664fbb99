/**
 * Linking rows: users by their numbers, clients, allowed redirect URIs, codes and tokens, and what was counted for limits.
 * Values that open something are nowhere: only their hashes are kept. Numbers are sealed, and looked up by a keyed digest.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { EpochMs } from "../../model/time.ts"
import type { Transaction } from "../host.ts"
import type { Purge } from "../retention/retention.ts"

/** One number is one user, from the moment it is enabled; what is linked to it outlives a pause of being enabled. */
export interface LinkedUser {
  readonly userId: string
  /** Keyed; see `LinkingKeys`. */
  readonly phoneDigest: string
  /** E.164; null once it was blanked. */
  readonly phone: string | null
  readonly isEnabled: boolean
  readonly enabledAtMs: EpochMs
  readonly disabledAtMs: EpochMs | null
  /** When the number was first proved. */
  readonly linkedAtMs: EpochMs | null
}

export class LinkedUserRows extends Context.Tag("LinkedUserRows")<
  LinkedUserRows,
  {
    /** Puts or replaces. */
    readonly put: (user: LinkedUser) => Effect.Effect<void, never, Transaction>
    /** Keeps the first instant. */
    readonly noteLinked: (userId: string, atMs: EpochMs) => Effect.Effect<void, never, Transaction>
    readonly user: (userId: string) => Effect.Effect<LinkedUser | null>
    readonly userOf: (phoneDigest: string) => Effect.Effect<LinkedUser | null>
    /** The one enabled first comes first. */
    readonly users: Effect.Effect<readonly LinkedUser[]>
    /** Takes the number out of users that have been disabled for so long; the digest stays. */
    readonly blankDisabled: Purge
  }
>() {}

export interface Client {
  readonly clientId: string
  readonly clientName: string
  readonly redirectUris: readonly string[]
  readonly createdAtMs: EpochMs
  readonly firstTokenAtMs: EpochMs | null
}

export interface AllowedRedirect {
  readonly redirectUri: string
  readonly allowedAtMs: EpochMs
}

export class ClientRows extends Context.Tag("ClientRows")<
  ClientRows,
  {
    readonly insert: (client: Client) => Effect.Effect<void, never, Transaction>
    readonly client: (clientId: string) => Effect.Effect<Client | null>
    /** Keeps the first instant. */
    readonly noteToken: (clientId: string, atMs: EpochMs) => Effect.Effect<void, never, Transaction>
    /** Deletes clients by their registration that have never had a token. */
    readonly purgeUnused: Purge
    /** Again is fine, and keeps the first instant. */
    readonly allow: (redirect: AllowedRedirect) => Effect.Effect<void, never, Transaction>
    /** In order of being allowed. */
    readonly redirects: Effect.Effect<readonly AllowedRedirect[]>
    /** Since when the connector is paused; null while it runs. */
    readonly pausedAtMs: Effect.Effect<EpochMs | null>
    readonly setPaused: (atMs: EpochMs | null) => Effect.Effect<void, never, Transaction>
  }
>() {}

/** An authorization code. */
export interface AuthorizationCode {
  /** SHA-256 of the code, lower-case hex. */
  readonly codeHash: string
  /** Of the authorization request, which succeeds once. */
  readonly requestId: string
  readonly clientId: string
  readonly userId: string
  readonly redirectUri: string
  readonly codeChallenge: string
  readonly resource: string
  /** Exchanges that failed. */
  readonly failures: number
  /** Of the tokens that it was exchanged for; null as long as it was not. */
  readonly familyId: string | null
  readonly createdAtMs: EpochMs
}

/** An access or refresh token. What was refreshed from one code is a family. */
export interface Token {
  /** SHA-256 of the token, lower-case hex. */
  readonly tokenHash: string
  readonly kind: "access" | "refresh"
  readonly familyId: string
  readonly clientId: string
  readonly userId: string
  readonly resource: string
  readonly createdAtMs: EpochMs
  readonly endsAtMs: EpochMs
  /** When it was rotated or revoked. */
  readonly revokedAtMs: EpochMs | null
}

/** A token, and whether its user's number is enabled. */
export interface HeldToken {
  readonly token: Token
  readonly isUserEnabled: boolean
}

export class GrantRows extends Context.Tag("GrantRows")<
  GrantRows,
  {
    readonly insertCode: (code: AuthorizationCode) => Effect.Effect<void, never, Transaction>
    readonly changeCode: (
      codeHash: string,
      change: Partial<Pick<AuthorizationCode, "failures" | "familyId">>,
    ) => Effect.Effect<void, never, Transaction>
    readonly code: (codeHash: string) => Effect.Effect<AuthorizationCode | null>
    readonly codeOfRequest: (requestId: string) => Effect.Effect<AuthorizationCode | null>
    /** Codes by their creation. */
    readonly purgeCodes: Purge

    readonly insertToken: (token: Token) => Effect.Effect<void, never, Transaction>
    /** Keeps the first instant. */
    readonly revokeToken: (tokenHash: string, atMs: EpochMs) => Effect.Effect<void, never, Transaction>
    /** Every token of it, old and new; keeps first instants. */
    readonly revokeFamily: (familyId: string, atMs: EpochMs) => Effect.Effect<void, never, Transaction>
    /** With whether its user is enabled. */
    readonly token: (tokenHash: string) => Effect.Effect<HeldToken | null>
    /** The same beside the connector's switch, as of one moment. Asked at every call of the connector. */
    readonly tokenAtSwitch: (
      tokenHash: string,
    ) => Effect.Effect<{ readonly pausedAtMs: EpochMs | null; readonly found: HeldToken | null }>
    /** Tokens by their end. */
    readonly purgeTokens: Purge
  }
>() {}

/** So many in any span of this length, whenever it begins. */
export interface Allowance {
  readonly bucket: string
  readonly max: number
  readonly windowMs: number
  readonly nowMs: EpochMs
}

export interface Taken {
  readonly isTaken: boolean
  /** When the oldest one that counts stops counting; null when none does. */
  readonly freeAtMs: EpochMs | null
}

/** Counts what limits are about. Inside a transaction it is part of it, alone it stands for itself. */
export class LinkingLimitRows extends Context.Tag("LinkingLimitRows")<
  LinkingLimitRows,
  {
    /** Takes one, unless the span before now is full: then it takes nothing. */
    readonly take: (allowance: Allowance) => Effect.Effect<Taken>
    /** Whether there is one to take; takes nothing. */
    readonly look: (allowance: Allowance) => Effect.Effect<Taken>
    /** Buckets in which nothing counts any more. */
    readonly purge: Purge
  }
>() {}

/** A code that the built-in verification has made. One a number: the newest. */
export interface SmsCode {
  readonly phoneDigest: string
  readonly code: string
  readonly createdAtMs: EpochMs
}

export class SmsCodeRows extends Context.Tag("SmsCodeRows")<
  SmsCodeRows,
  {
    /** Puts or replaces. */
    readonly put: (code: SmsCode) => Effect.Effect<void, never, Transaction>
    readonly code: (phoneDigest: string) => Effect.Effect<SmsCode | null>
    readonly delete: (phoneDigest: string) => Effect.Effect<void, never, Transaction>
    readonly purge: Purge
  }
>() {}
