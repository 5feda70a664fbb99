/**
 * Linking rows: users by their numbers, clients, allowed redirect URIs, codes and tokens, and what was counted for limits.
 * Values that open something are nowhere: only their hashes are kept. Numbers are sealed, and looked up by a keyed digest.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { EpochMs } from "../../model/time.ts"
import type { Transaction } from "../host.ts"
import type { Purge } from "../retention/retention.ts"
import { boolean, choice, epochMs, integer, json, sealed, serial, text } from "../tables/columns.ts"
import { notNull } from "../tables/conditions.ts"
import { table } from "../tables/table.ts"
import type { RowOf } from "../tables/table.ts"

/** One number is one user, from the moment it is enabled; what is linked to it outlives a pause of being enabled. */
export const linkedUsers = table("linked_users", {
  one: "a linked user",
  many: "linked users",
  columns: {
    userId: text(),
    number: serial().hidden(),
    /** Keyed; see `LinkingKeys`. */
    phoneDigest: text(),
    /** E.164; null once it was blanked. */
    phone: sealed(text().nullable(), "sealed_phone"),
    isEnabled: boolean(),
    enabledAtMs: epochMs(),
    disabledAtMs: epochMs().nullable(),
    /** When the number was first proved. */
    linkedAtMs: epochMs().nullable(),
  },
  key: ["userId"],
  indexes: [
    { name: "linked_users_phone_digest_key", by: ["phoneDigest"] },
    { name: "linked_users_disabled", by: ["disabledAtMs"], where: { phone: notNull } },
  ],
})

export type LinkedUser = RowOf<typeof linkedUsers>

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

export const oauthClients = table("oauth_clients", {
  one: "a client",
  many: "clients",
  columns: {
    clientId: text(),
    clientName: text(),
    redirectUris: json<readonly string[]>(),
    createdAtMs: epochMs(),
    firstTokenAtMs: epochMs().nullable(),
  },
  key: ["clientId"],
  indexes: [{ name: "oauth_clients_unused", by: ["createdAtMs"], where: { firstTokenAtMs: null } }],
})

export type Client = RowOf<typeof oauthClients>

/** Those that a client may register, to the letter. */
export const allowedRedirects = table("allowed_redirects", {
  one: "a redirect URI",
  many: "redirect URIs",
  columns: { redirectUri: text(), number: serial().hidden(), allowedAtMs: epochMs() },
  key: ["redirectUri"],
})

export type AllowedRedirect = RowOf<typeof allowedRedirects>

/** A row while the connector is paused. */
export const connectorPause = table("connector_pause", {
  one: "the connector's switch",
  many: "the connector's switch",
  columns: { id: choice<"connector">(), pausedAtMs: epochMs() },
  key: ["id"],
})

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

/** Authorization codes. */
export const oauthCodes = table("oauth_codes", {
  one: "an authorization code",
  many: "authorization codes",
  columns: {
    /** SHA-256 of the code, lower-case hex. */
    codeHash: text(),
    /** Of the authorization request, which succeeds once. */
    requestId: text(),
    clientId: text(),
    userId: text(),
    redirectUri: text(),
    codeChallenge: text(),
    resource: text(),
    /** Exchanges that failed. */
    failures: integer(),
    /** Of the tokens that it was exchanged for; null as long as it was not. */
    familyId: text().nullable(),
    createdAtMs: epochMs(),
  },
  key: ["codeHash"],
  indexes: [
    { name: "oauth_codes_request_id_key", by: ["requestId"] },
    { name: "oauth_codes_created", by: ["createdAtMs"] },
  ],
})

export type AuthorizationCode = RowOf<typeof oauthCodes>

/** Access and refresh tokens. What was refreshed from one code is a family. */
export const oauthTokens = table("oauth_tokens", {
  one: "a token",
  many: "tokens",
  columns: {
    /** SHA-256 of the token, lower-case hex. */
    tokenHash: text(),
    kind: choice<"access" | "refresh">(),
    familyId: text(),
    clientId: text(),
    userId: text(),
    resource: text(),
    createdAtMs: epochMs(),
    endsAtMs: epochMs(),
    /** When it was rotated or revoked. */
    revokedAtMs: epochMs().nullable(),
  },
  key: ["tokenHash"],
  indexes: [
    { name: "oauth_tokens_family", by: ["familyId"] },
    { name: "oauth_tokens_end", by: ["endsAtMs"] },
  ],
})

export type Token = RowOf<typeof oauthTokens>

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

/** Codes that the built-in verification has made. One a number: the newest. */
export const smsCodes = table("sms_codes", {
  one: "a code",
  many: "codes",
  columns: { phoneDigest: text(), code: sealed(text(), "sealed_code"), createdAtMs: epochMs() },
  key: ["phoneDigest"],
  indexes: [{ name: "sms_codes_created", by: ["createdAtMs"] }],
})

export type SmsCode = RowOf<typeof smsCodes>

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
