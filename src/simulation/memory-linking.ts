/** Linking's rows in memory. */

import { Effect, Layer } from "effect"
import {
  ClientRows,
  GrantRows,
  LinkedUserRows,
  LinkingLimitRows,
  SmsCodeRows,
} from "../services/linking/rows.ts"
import type {
  AllowedRedirect,
  Allowance,
  AuthorizationCode,
  Client,
  HeldToken,
  LinkedUser,
  SmsCode,
  Taken,
  Token,
} from "../services/linking/rows.ts"
import type { PurgeOrder } from "../services/retention/retention.ts"
import type { MemoryStore, MemoryTable } from "./memory-store.ts"

export function layerMemoryLinkingRows(
  store: MemoryStore,
): Layer.Layer<ClientRows | GrantRows | LinkedUserRows | LinkingLimitRows | SmsCodeRows> {
  return Layer.mergeAll(
    Layer.succeed(LinkedUserRows, usersIn(store)),
    Layer.succeed(ClientRows, clientsIn(store)),
    Layer.succeed(GrantRows, grantsIn(store)),
    Layer.succeed(LinkingLimitRows, limitsIn(store)),
    Layer.succeed(SmsCodeRows, smsCodesIn(store)),
  )
}

function usersIn(store: MemoryStore): LinkedUserRows["Type"] {
  const users = store.table<LinkedUser>("linked-users")
  return {
    put: (user) => Effect.sync(() => users.put(user.userId, user)),
    noteLinked: (userId, atMs) =>
      Effect.sync(() => {
        const user = users.get(userId)
        if (user !== null) users.put(userId, { ...user, linkedAtMs: user.linkedAtMs ?? atMs })
      }),
    user: (userId) => Effect.sync(() => users.get(userId)),
    userOf: (phoneDigest) =>
      Effect.sync(() => users.all().find((user) => user.phoneDigest === phoneDigest) ?? null),
    users: Effect.sync(() => users.all()),
    blankDisabled: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const old = users
          .all()
          .filter(
            ({ isEnabled, phone, disabledAtMs }) =>
              !isEnabled && phone !== null && disabledAtMs !== null && disabledAtMs <= beforeMs,
          )
          .slice(0, limit)
        for (const user of old) users.put(user.userId, { ...user, phone: null })
        return old.length
      }),
  }
}

function clientsIn(store: MemoryStore): ClientRows["Type"] {
  const clients = store.table<Client>("oauth-clients")
  const redirects = store.table<AllowedRedirect>("allowed-redirects")
  const pause = store.table<{ readonly pausedAtMs: number }>("connector-pause")
  return {
    insert: (client) => Effect.sync(() => clients.put(client.clientId, client)),
    client: (clientId) => Effect.sync(() => clients.get(clientId)),
    noteToken: (clientId, atMs) =>
      Effect.sync(() => {
        const client = clients.get(clientId)
        if (client !== null && client.firstTokenAtMs === null) {
          clients.put(clientId, { ...client, firstTokenAtMs: atMs })
        }
      }),
    purgeUnused: purging(
      clients,
      ({ firstTokenAtMs, createdAtMs }, beforeMs) => firstTokenAtMs === null && createdAtMs <= beforeMs,
    ),
    allow: (redirect) =>
      Effect.sync(() => {
        if (redirects.get(redirect.redirectUri) === null) redirects.put(redirect.redirectUri, redirect)
      }),
    redirects: Effect.sync(() => redirects.all()),
    pausedAtMs: Effect.sync(() => pause.get("connector")?.pausedAtMs ?? null),
    setPaused: (pausedAtMs) =>
      Effect.sync(() => {
        if (pausedAtMs === null) pause.delete("connector")
        else pause.put("connector", { pausedAtMs })
      }),
  }
}

function grantsIn(store: MemoryStore): GrantRows["Type"] {
  const codes = store.table<AuthorizationCode>("oauth-codes")
  const tokens = store.table<Token>("oauth-tokens")
  const users = store.table<LinkedUser>("linked-users")
  const pause = store.table<{ readonly pausedAtMs: number }>("connector-pause")
  const held = (tokenHash: string): HeldToken | null => {
    const token = tokens.get(tokenHash)
    const user = token === null ? null : users.get(token.userId)
    return token === null || user === null ? null : { token, isUserEnabled: user.isEnabled }
  }
  const revoke = (token: Token, revokedAtMs: number): void => {
    if (token.revokedAtMs === null) tokens.put(token.tokenHash, { ...token, revokedAtMs })
  }
  return {
    insertCode: (code) => Effect.sync(() => codes.put(code.codeHash, code)),
    changeCode: (codeHash, change) =>
      Effect.sync(() => {
        const code = codes.get(codeHash)
        if (code !== null) codes.put(codeHash, { ...code, ...change })
      }),
    code: (codeHash) => Effect.sync(() => codes.get(codeHash)),
    codeOfRequest: (requestId) =>
      Effect.sync(() => codes.all().find((code) => code.requestId === requestId) ?? null),
    purgeCodes: purging(codes, ({ createdAtMs }, beforeMs) => createdAtMs <= beforeMs),
    insertToken: (token) => Effect.sync(() => tokens.put(token.tokenHash, token)),
    revokeToken: (tokenHash, atMs) =>
      Effect.sync(() => {
        const token = tokens.get(tokenHash)
        if (token !== null) revoke(token, atMs)
      }),
    revokeFamily: (familyId, atMs) =>
      Effect.sync(() => {
        for (const token of tokens.all()) if (token.familyId === familyId) revoke(token, atMs)
      }),
    token: (tokenHash) => Effect.sync(() => held(tokenHash)),
    tokenAtSwitch: (tokenHash) =>
      Effect.sync(() => ({
        pausedAtMs: pause.get("connector")?.pausedAtMs ?? null,
        found: held(tokenHash),
      })),
    purgeTokens: purging(tokens, ({ endsAtMs }, beforeMs) => endsAtMs <= beforeMs),
  }
}

function limitsIn(store: MemoryStore): LinkingLimitRows["Type"] {
  const taken = store.table<{ readonly atMs: readonly number[]; readonly endsAtMs: number }>("linking-limits")
  const liveIn = ({ bucket, nowMs, windowMs }: Allowance): readonly number[] =>
    (taken.get(bucket)?.atMs ?? []).filter((atMs) => atMs > nowMs - windowMs)
  const answer = (live: readonly number[], { max, windowMs }: Allowance): Taken => ({
    isTaken: live.length < max,
    freeAtMs: live.length === 0 ? null : Math.min(...live) + windowMs,
  })
  return {
    take: (allowance) =>
      Effect.sync(() => {
        const { bucket, max, nowMs, windowMs } = allowance
        const live = liveIn(allowance)
        const now = live.length < max ? [...live, nowMs] : live
        const endsAtMs = Math.max(taken.get(bucket)?.endsAtMs ?? 0, nowMs + windowMs)
        taken.put(bucket, { atMs: now, endsAtMs })
        return { ...answer(now, allowance), isTaken: live.length < max }
      }),
    look: (allowance) => Effect.sync(() => answer(liveIn(allowance), allowance)),
    purge: purging(taken, ({ endsAtMs }, beforeMs) => endsAtMs <= beforeMs),
  }
}

function smsCodesIn(store: MemoryStore): SmsCodeRows["Type"] {
  const codes = store.table<SmsCode>("sms-codes")
  return {
    put: (code) => Effect.sync(() => codes.put(code.phoneDigest, code)),
    code: (phoneDigest) => Effect.sync(() => codes.get(phoneDigest)),
    delete: (phoneDigest) => Effect.sync(() => codes.delete(phoneDigest)),
    purge: purging(codes, ({ createdAtMs }, beforeMs) => createdAtMs <= beforeMs),
  }
}

/** Deletes what is old, and says how much that was. */
function purging<Row>(table: MemoryTable<Row>, isOld: (row: Row, beforeMs: number) => boolean) {
  return ({ beforeMs, limit }: PurgeOrder) =>
    Effect.sync(() => {
      const old = [...table.keys()]
        .filter((key) => {
          const row = table.get(key)
          return row !== null && isOld(row, beforeMs)
        })
        .slice(0, limit)
      for (const key of old) table.delete(key)
      return old.length
    })
}
