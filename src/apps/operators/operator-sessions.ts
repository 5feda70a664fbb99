/**
 * Sessions of operators in a browser, on the host of one environment: of an account, or of an operator token. A session
 * ends at its time limit, on sign-out, and with its account or token. Its value is only sent as a cookie; its hash is
 * stored.
 */

import { sha256Base64Url } from "#digest"
import { Effect } from "effect"
import type { Environment, Operator } from "../../model/caller.ts"
import { TurnedAway } from "../../model/values/errors.ts"
import { OPERATOR_SESSION_MS, SESSION_END_KNOWN_MS } from "../../model/values/limits.ts"
import { OperatorRows, callerOf, goodToken } from "../../http/access/operator-tokens.ts"
import { isSame } from "../../engine/services/constant-time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { epochMs, text } from "../../engine/services/tables/columns.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository, service } from "../../engine/services/service.ts"
import { OperatorAccountRows } from "./rows.ts"
import { operatorPolicy } from "./sign-in.ts"
import { hashOfToken, newToken } from "../../http/access/opaque-tokens.ts"

export const operatorSessions = table("operator_sessions", {
  one: "an operator's session",
  many: "operators' sessions",
  columns: {
    /** SHA-256 of the session's value. */
    tokenHash: text(),
    operatorTokenId: text(),
    createdAtMs: epochMs(),
    endsAtMs: epochMs(),
  },
  key: ["tokenHash"],
  retention: { from: "endsAtMs", keepMs: SESSION_END_KNOWN_MS },
  indexes: [{ name: "operator_sessions_end", by: ["endsAtMs"] }],
})

export type OperatorSession = RowOf<typeof operatorSessions>

export class OperatorSessionRows extends repository<OperatorSessionRows>()(
  "OperatorSessionRows",
  Effect.map(Tables, (tables) => {
    const sessions = tables.of(operatorSessions)
    return {
      insert: sessions.insert,
      byHash: (tokenHash: string) => sessions.get({ tokenHash }),
      remove: (tokenHash: string) => sessions.delete({ tokenHash }),
      /** Sessions that have ended, the earliest end first. */
      purge: purgeOf(operatorSessions, sessions),
    }
  }),
) {}

/** The signed-in operator. */
export interface SignedIn {
  readonly environment: Environment
  /** The caller of the operations API. */
  readonly operator: Operator
  /** Id of the account or the token. */
  readonly operatorId: string
  /** The name of the account, or the label of the token, for people. */
  readonly label: string
  /** True for an account without a second factor: it may do nothing before that is on. */
  readonly needsFactor: boolean
  /** Sent with every form and command of its pages: another site cannot know it. */
  readonly formKey: string
}

export interface OperatorSignIn {
  readonly environment: Environment
  /** The operator token, as it was typed. */
  readonly value: string
  /** The network address of the connection. */
  readonly address: string
}

export interface TokenSession {
  readonly session: string
  readonly tokenId: string
}

export class OperatorSessions extends service<OperatorSessions>()("OperatorSessions", () => ({
  signIn,
  holder,
  endOf,
  signOut,
})) {}

/**
 * With an operator token. Returns the session's value, and whose it is. Only wrong tokens count: a token cannot be
 * guessed, and guesses from its holder's network must not lock the holder out.
 */
const signIn = Routine.fn(function* ({ environment, value, address }: OperatorSignIn) {
  const host = yield* ActorHost
  const rows = yield* OperatorSessionRows
  const session = yield* newToken
  const token = yield* goodToken(value, environment)
  if (token === null) {
    yield* operatorPolicy.takeNetwork({ address })
    return yield* new TurnedAway({ code: "INVALID_OPERATOR_TOKEN" })
  }
  return yield* host.run({
    name: "sign an operator in",
    locks: {},
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      yield* rows.insert({
        tokenHash: hashOfToken(session),
        operatorTokenId: token.tokenId,
        createdAtMs: nowMs,
        endsAtMs: nowMs + OPERATOR_SESSION_MS,
      })
      return { session, tokenId: token.tokenId } satisfies TokenSession
    }),
  })
})

/**
 * Fails with `SIGN_IN_REQUIRED` when the value belongs to no session, to an ended one, or to one of the other
 * environment.
 */
const holder = Routine.fn(function* (environment: Environment, value: string | null) {
  const found = value === null ? null : yield* heldBy(hashOfToken(value))
  if (value === null || found?.operator.environment !== environment)
    return yield* new TurnedAway({ code: "SIGN_IN_REQUIRED" })
  const formKey = sha256Base64Url(`${value}\ninspector form`)
  return { ...found, environment, formKey } satisfies SignedIn
})

const heldBy = Routine.fn(function* (tokenHash: string) {
  return (yield* heldByAccount(tokenHash)) ?? (yield* heldByToken(tokenHash))
})

const heldByAccount = Routine.fn(function* (tokenHash: string) {
  const rows = yield* OperatorAccountRows
  const session = yield* rows.session(tokenHash)
  if (session === null || (yield* Routine.nowMs) >= session.endsAtMs) return null
  const account = yield* rows.account(session.accountId)
  if (account === null || account.deactivatedAtMs !== null) return null
  const { accountId, name, role, siteIds, factorSinceMs } = account
  const { environment } = session
  const operator: Operator = { type: "operator", by: "ops", environment, accountId, role, siteIds }
  const needsFactor = factorSinceMs === null
  return { operator, operatorId: accountId, label: name, needsFactor }
})

const heldByToken = Routine.fn(function* (tokenHash: string) {
  const session = yield* (yield* OperatorSessionRows).byHash(tokenHash)
  if (session === null || (yield* Routine.nowMs) >= session.endsAtMs) return null
  const token = yield* (yield* OperatorRows).token(session.operatorTokenId)
  // The revocation of a token also ends its sessions.
  if (token === null || token.revokedAtMs !== null) return null
  return { operator: callerOf(token), operatorId: token.tokenId, label: token.label, needsFactor: false }
})

/** Why a session ended; null for one that is live, that its operator ended, and that is not known. */
const endOf = Routine.fn(function* (environment: Environment, value: string) {
  const rows = yield* OperatorAccountRows
  const tokenHash = hashOfToken(value)
  const nowMs = yield* Routine.nowMs
  const ofAccount = yield* rows.session(tokenHash)
  if (ofAccount !== null)
    return ofAccount.environment === environment && nowMs >= ofAccount.endsAtMs ? "over" : null
  const ofToken = yield* (yield* OperatorSessionRows).byHash(tokenHash)
  if (ofToken === null) return (yield* rows.sessionEnd(tokenHash))?.reason ?? null
  const token = yield* (yield* OperatorRows).token(ofToken.operatorTokenId)
  if (token?.environment !== environment) return null
  if (token.revokedAtMs !== null) return "token-revoked"
  return nowMs >= ofToken.endsAtMs ? "over" : null
})

const signOut = Routine.fn(function* (value: string) {
  const host = yield* ActorHost
  const rows = yield* OperatorSessionRows
  const accounts = yield* OperatorAccountRows
  const tokenHash = hashOfToken(value)
  yield* host.run({
    name: "sign an operator out",
    locks: {},
    body: () => Routine.zipRight(rows.remove(tokenHash), accounts.removeSession(tokenHash)),
  })
})

/** Compares in constant time. */
export function isFormKey({ formKey }: SignedIn, sent: string): boolean {
  return isSame(formKey, sent)
}
