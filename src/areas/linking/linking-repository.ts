/**
 * Linking's rows over their declared tables. The counters of limits are in the stores, because they need a single
 * statement.
 */

import { Effect, Layer } from "effect"
import { atMost, notNull, oneOf } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { SealedTables, Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import {
  ClientRows,
  LinkedUserRows,
  SmsCodeRows,
  allowedRedirects,
  connectorPause,
  linkedUsers,
  oauthClients,
  oauthCodes,
  oauthTokens,
  smsCodes,
} from "./rows.ts"
import type { GrantRows } from "./rows.ts"

export const layerLinkedUserRows: Layer.Layer<LinkedUserRows, never, SealedTables> = Layer.effect(
  LinkedUserRows,
  Effect.map(SealedTables, (tables): LinkedUserRows["Type"] => {
    const users = tables.of(linkedUsers)
    return {
      put: users.upsert,
      noteLinked: (userId, linkedAtMs) => users.update({ userId, linkedAtMs: null }, { linkedAtMs }),
      user: (userId) => users.get({ userId }),
      userOf: (phoneDigest) => users.first({ phoneDigest }),
      users: users.list({}, { order: ["number"] }),
      blankDisabled: Routine.fn(function* ({ beforeMs, limit }) {
        const old = yield* users.list(
          { isEnabled: false, phone: notNull, disabledAtMs: atMost(beforeMs) },
          { order: ["disabledAtMs"], limit, lock: "skip locked" },
        )
        yield* users.update({ userId: oneOf(...old.map(({ userId }) => userId)) }, { phone: null })
        return old.length
      }),
    }
  }),
)

export const layerClientRows: Layer.Layer<ClientRows, never, Tables> = Layer.effect(
  ClientRows,
  Effect.map(Tables, (tables): ClientRows["Type"] => {
    const clients = tables.of(oauthClients)
    const redirects = tables.of(allowedRedirects)
    const pause = tables.of(connectorPause)
    return {
      insert: clients.insert,
      client: (clientId) => clients.get({ clientId }),
      noteToken: (clientId, firstTokenAtMs) =>
        clients.update({ clientId, firstTokenAtMs: null }, { firstTokenAtMs }),
      purgeUnused: purgeOf(oauthClients, clients),
      allow: redirects.insertOrIgnore,
      redirects: redirects.list({}, { order: ["number"] }),
      pausedAtMs: Routine.map(pause.get({ id: "connector" }), (row) => row?.pausedAtMs ?? null),
      setPaused: (pausedAtMs) =>
        pausedAtMs === null
          ? pause.delete({ id: "connector" })
          : pause.upsert({ id: "connector", pausedAtMs }),
    }
  }),
)

type Held = Pick<GrantRows["Type"], "token" | "tokenAtSwitch">

/** `held`: the query that reads a token with its user. */
export function grantRowsOver(tables: Tables["Type"], held: Held): GrantRows["Type"] {
  const codes = tables.of(oauthCodes)
  const tokens = tables.of(oauthTokens)
  return {
    ...held,
    insertCode: codes.insert,
    changeCode: (codeHash, change) => codes.update({ codeHash }, change),
    code: (codeHash) => codes.get({ codeHash }),
    codeOfRequest: (requestId) => codes.first({ requestId }),
    purgeCodes: purgeOf(oauthCodes, codes),
    insertToken: tokens.insert,
    revokeToken: (tokenHash, revokedAtMs) => tokens.update({ tokenHash, revokedAtMs: null }, { revokedAtMs }),
    revokeFamily: (familyId, revokedAtMs) => tokens.update({ familyId, revokedAtMs: null }, { revokedAtMs }),
    purgeTokens: purgeOf(oauthTokens, tokens),
  }
}

/** Reads one table after the other; `./store` uses a join. */
export function plainlyHeld(tables: SealedTables["Type"]): Held {
  const users = tables.of(linkedUsers)
  const tokens = tables.of(oauthTokens)
  const pause = tables.of(connectorPause)
  const token: Held["token"] = Routine.fn(function* (tokenHash) {
    const found = yield* tokens.get({ tokenHash })
    const user = found === null ? null : yield* users.get({ userId: found.userId })
    return found === null || user === null ? null : { token: found, isUserEnabled: user.isEnabled }
  })
  return {
    token,
    tokenAtSwitch: Routine.fn(function* (tokenHash) {
      const switched = yield* pause.get({ id: "connector" })
      return { pausedAtMs: switched?.pausedAtMs ?? null, found: yield* token(tokenHash) }
    }),
  }
}

export const layerSmsCodeRows: Layer.Layer<SmsCodeRows, never, SealedTables> = Layer.effect(
  SmsCodeRows,
  Effect.map(SealedTables, (tables): SmsCodeRows["Type"] => {
    const codes = tables.of(smsCodes)
    return {
      put: codes.upsert,
      code: (phoneDigest) => codes.get({ phoneDigest }),
      delete: (phoneDigest) => codes.delete({ phoneDigest }),
      purge: purgeOf(smsCodes, codes),
    }
  }),
)
