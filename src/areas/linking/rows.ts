/**
 * Linking rows: users by their numbers, clients, allowed redirect URIs, codes and tokens, and counters of limits.
 * Secret values are not stored, only their hashes. Numbers are sealed, and looked up by a keyed digest.
 */

import { Context, Effect } from "effect"
import {
  KEEP_CODES_MS,
  KEEP_TOKENS_MS,
  KEEP_UNUSED_CLIENTS_MS,
  TERMINAL_CODE_MS,
} from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Purge, PurgeOrder } from "../../engine/services/retention/retention.ts"
import {
  boolean,
  choice,
  epochMs,
  integer,
  json,
  sealed,
  serial,
  text,
} from "../../engine/services/tables/columns.ts"
import { atMost, below, notNull, oneOf } from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository } from "../../engine/services/service.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { SealedTables, Tables } from "../../engine/services/tables/tables.ts"

/** One number is one user, from the moment it is enabled; its links are kept while it is disabled. */
export const linkedUsers = table("linked_users", {
  one: "a linked user",
  many: "linked users",
  columns: {
    userId: text(),
    /** The organization whose test user this is; null in production. */
    organizationId: text().nullable().default(null),
    number: serial().hidden(),
    /** Keyed; see `LinkingKeys`. */
    phoneDigest: text(),
    /** E.164; null after it was blanked. */
    phone: sealed(text().nullable(), "sealed_phone"),
    isEnabled: boolean(),
    enabledAtMs: epochMs(),
    disabledAtMs: epochMs().nullable(),
    /** When the number was first verified. */
    linkedAtMs: epochMs().nullable(),
  },
  key: ["userId"],
  indexes: [
    { name: "linked_users_phone_digest_key", by: ["phoneDigest"] },
    {
      name: "linked_users_organization",
      by: ["organizationId", "number"],
      where: { organizationId: notNull },
    },
    { name: "linked_users_disabled", by: ["disabledAtMs"], where: { phone: notNull } },
  ],
})

export type LinkedUser = RowOf<typeof linkedUsers>

export class LinkedUserRows extends repository<LinkedUserRows>()(
  "LinkedUserRows",
  Effect.map(SealedTables, (tables) => {
    const users = tables.of(linkedUsers)
    return {
      /** Inserts or replaces. */
      put: users.upsert,
      /** Keeps the first instant. */
      noteLinked: (userId: string, linkedAtMs: EpochMs) =>
        users.update({ userId, linkedAtMs: null }, { linkedAtMs }),
      user: (userId: string) => users.get({ userId }),
      userOf: (phoneDigest: string) => users.first({ phoneDigest }),
      /** Those of production, sorted by when they were enabled. */
      users: users.list({ organizationId: null }, { order: ["number"] }),
      /** An organization's test users, sorted by when they were added. */
      testUsersOf: (organizationId: string) => users.list({ organizationId }, { order: ["number"] }),
      delete: (userId: string) => users.delete({ userId }),
      /** Blanks the number of users that have been disabled for this long; the digest stays. */
      blankDisabled: Routine.fn(function* ({ beforeMs, limit }: PurgeOrder) {
        const old = yield* users.list(
          { isEnabled: false, phone: notNull, disabledAtMs: atMost(beforeMs) },
          { order: ["disabledAtMs"], limit, lock: "skip locked" },
        )
        yield* users.update({ userId: oneOf(...old.map(({ userId }) => userId)) }, { phone: null })
        return old.length
      }),
    }
  }),
) {}

export const oauthClients = table("oauth_clients", {
  one: "a client",
  many: "clients",
  columns: {
    clientId: text(),
    clientName: text(),
    redirectUris: json<readonly string[]>(),
    createdAtMs: epochMs(),
    firstTokenAtMs: epochMs().nullable(),
    /** Until when its metadata document counts as read; null for a registered client. */
    documentEndsAtMs: epochMs().nullable(),
  },
  key: ["clientId"],
  retention: { from: "createdAtMs", keepMs: KEEP_UNUSED_CLIENTS_MS, where: { firstTokenAtMs: null } },
  indexes: [{ name: "oauth_clients_unused", by: ["createdAtMs"], where: { firstTokenAtMs: null } }],
})

export type Client = RowOf<typeof oauthClients>

/** The URIs that a client may register, compared exactly. */
const allowedRedirects = table("allowed_redirects", {
  one: "a redirect URI",
  many: "redirect URIs",
  columns: { redirectUri: text(), number: serial().hidden(), allowedAtMs: epochMs() },
  key: ["redirectUri"],
})

/** Has a row while the connector is paused. */
export const connectorPause = table("connector_pause", {
  one: "the connector's switch",
  many: "the connector's switch",
  columns: { id: choice<"connector">(), pausedAtMs: epochMs() },
  key: ["id"],
})

interface DocumentBounds {
  readonly max: number
  readonly idleBeforeMs: EpochMs
}

export class ClientRows extends repository<ClientRows>()(
  "ClientRows",
  Effect.map(Tables, (tables) => {
    const clients = tables.of(oauthClients)
    const redirects = tables.of(allowedRedirects)
    const pause = tables.of(connectorPause)
    return {
      insert: clients.insert,
      client: (clientId: string) => clients.get({ clientId }),
      /**
       * Inserts a client with a metadata document, or replaces what its document said. Of those without a token no more than `max` are
       * kept: the one that was read first goes, unless somebody may be linking with it. False when there is no room.
       */
      putDocument: Routine.fn(function* (client: Client, { max, idleBeforeMs }: DocumentBounds) {
        if (!(yield* clients.insertIfAbsent(client))) {
          const { clientId, clientName, redirectUris, createdAtMs, documentEndsAtMs } = client
          yield* clients.update({ clientId }, { clientName, redirectUris, createdAtMs, documentEndsAtMs })
          return true
        }
        const unused = { firstTokenAtMs: null, documentEndsAtMs: notNull }
        const { length } = yield* clients.list(unused, { order: ["createdAtMs"], limit: max + 1 })
        if (length <= max) return true
        const idle = { ...unused, createdAtMs: below(idleBeforeMs) }
        return (yield* clients.deleteFirst(idle, { order: ["createdAtMs"], limit: length - max })) > 0
      }),
      /** Keeps the first instant. */
      noteToken: (clientId: string, firstTokenAtMs: EpochMs) =>
        clients.update({ clientId, firstTokenAtMs: null }, { firstTokenAtMs }),
      /** Deletes clients that never received a token, by the time of their registration. */
      purgeUnused: purgeOf(oauthClients, clients),
      /** A repeat changes nothing and keeps the first instant. */
      allow: redirects.insertOrIgnore,
      /** Sorted by when they were allowed. */
      redirects: redirects.list({}, { order: ["number"] }),
      /** Since when the connector is paused; null when it is not. */
      pausedAtMs: Routine.map(pause.get({ id: "connector" }), (row) => row?.pausedAtMs ?? null),
      setPaused: (pausedAtMs: EpochMs | null) =>
        pausedAtMs === null
          ? pause.delete({ id: "connector" })
          : pause.upsert({ id: "connector", pausedAtMs }),
    }
  }),
) {}

/** Authorization codes. */
export const oauthCodes = table("oauth_codes", {
  one: "an authorization code",
  many: "authorization codes",
  columns: {
    /** SHA-256 of the code, lower-case hex. */
    codeHash: text(),
    /** Id of the authorization request, which succeeds at most once. */
    requestId: text(),
    clientId: text(),
    userId: text(),
    redirectUri: text(),
    codeChallenge: text(),
    resource: text(),
    /** Failed exchanges. */
    failures: integer(),
    /** The family of its tokens; null until it was exchanged. */
    familyId: text().nullable(),
    createdAtMs: epochMs(),
  },
  key: ["codeHash"],
  retention: { from: "createdAtMs", keepMs: KEEP_CODES_MS },
  indexes: [
    { name: "oauth_codes_request_id_key", by: ["requestId"] },
    { name: "oauth_codes_created", by: ["createdAtMs"] },
  ],
})

export type AuthorizationCode = RowOf<typeof oauthCodes>

/** Access and refresh tokens. Tokens that descend from one code are a family. */
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
  retention: { from: "endsAtMs", keepMs: KEEP_TOKENS_MS },
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
    readonly insertCode: (code: AuthorizationCode) => Routine<void, never, Transaction>
    readonly changeCode: (
      codeHash: string,
      change: Partial<Pick<AuthorizationCode, "failures" | "familyId">>,
    ) => Routine<void, never, Transaction>
    readonly code: (codeHash: string) => Routine<AuthorizationCode | null>
    readonly codeOfRequest: (requestId: string) => Routine<AuthorizationCode | null>
    /** By the time of their creation. */
    readonly purgeCodes: Purge

    readonly insertToken: (token: Token) => Routine<void, never, Transaction>
    /** Keeps the first instant. */
    readonly revokeToken: (tokenHash: string, atMs: EpochMs) => Routine<void, never, Transaction>
    /** All its tokens, old and new; keeps first instants. */
    readonly revokeFamily: (familyId: string, atMs: EpochMs) => Routine<void, never, Transaction>
    /** With whether its user is enabled. */
    readonly token: (tokenHash: string) => Routine<HeldToken | null>
    /** The same, with the connector's switch, as of one moment. Read at every call of the connector. */
    readonly tokenAtSwitch: (
      tokenHash: string,
    ) => Routine<{ readonly pausedAtMs: EpochMs | null; readonly found: HeldToken | null }>
    /** Tokens by their end. */
    readonly purgeTokens: Purge
  }
>() {}

/** A maximum number in any period of this length, wherever it begins. */
export interface Allowance {
  readonly bucket: string
  readonly max: number
  readonly windowMs: number
  readonly nowMs: EpochMs
}

export interface Taken {
  readonly isTaken: boolean
  /** When the oldest counted one stops counting; null when there is none. */
  readonly freeAtMs: EpochMs | null
}

/** Counters of limits. Inside a transaction a count is part of it, otherwise it is written at once. */
export class LinkingLimitRows extends Context.Tag("LinkingLimitRows")<
  LinkingLimitRows,
  {
    /** Takes one, unless the preceding period is full: then it takes nothing. */
    readonly take: (allowance: Allowance) => Routine<Taken>
    /** Whether one could be taken; takes nothing. */
    readonly look: (allowance: Allowance) => Routine<Taken>
    /** Deletes buckets in which nothing counts any more. */
    readonly purge: Purge
  }
>() {}

/** Authorization codes that terminals fetch. */
export const terminalCodes = table("terminal_codes", {
  one: "a code for a terminal",
  many: "codes for terminals",
  columns: {
    /** SHA-256 of the terminal's secret. */
    handle: text(),
    code: sealed(text(), "sealed_code"),
    createdAtMs: epochMs(),
  },
  key: ["handle"],
  retention: { from: "createdAtMs", keepMs: TERMINAL_CODE_MS },
  indexes: [{ name: "terminal_codes_created", by: ["createdAtMs"] }],
})

export class TerminalCodeRows extends repository<TerminalCodeRows>()(
  "TerminalCodeRows",
  Effect.map(SealedTables, (tables) => {
    const codes = tables.of(terminalCodes)
    return {
      /** Keeps the first one of a handle. */
      keep: codes.insertOrIgnore,
      code: (handle: string) => codes.get({ handle }),
      delete: (handle: string) => codes.delete({ handle }),
      purge: purgeOf(terminalCodes, codes),
    }
  }),
) {}

/** Codes of the built-in verification: for each number only the newest. */
export const smsCodes = table("sms_codes", {
  one: "a code",
  many: "codes",
  columns: { phoneDigest: text(), code: sealed(text(), "sealed_code"), createdAtMs: epochMs() },
  key: ["phoneDigest"],
  retention: { from: "createdAtMs", keepMs: KEEP_CODES_MS },
  indexes: [{ name: "sms_codes_created", by: ["createdAtMs"] }],
})

export type SmsCode = RowOf<typeof smsCodes>

export class SmsCodeRows extends repository<SmsCodeRows>()(
  "SmsCodeRows",
  Effect.map(SealedTables, (tables) => {
    const codes = tables.of(smsCodes)
    return {
      /** Inserts or replaces. */
      put: codes.upsert,
      code: (phoneDigest: string) => codes.get({ phoneDigest }),
      delete: (phoneDigest: string) => codes.delete({ phoneDigest }),
      purge: purgeOf(smsCodes, codes),
    }
  }),
) {}
