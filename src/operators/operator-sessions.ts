/**
 * Sessions of operators in a browser: an operator token of the host's environment opens a session, which ends at its
 * time limit, with the token, or on sign-out. The session's value is only sent as a cookie; its hash is stored.
 */

import { hash } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import type { Environment } from "../model/caller.ts"
import { TurnedAway } from "../model/errors.ts"
import { OPERATOR_SESSION_MS, SIGN_INS_PER_ADDRESS_MAX, SIGN_IN_WINDOW_MS } from "../model/limits.ts"
import { OperatorRows, goodToken } from "../areas/access/operator-tokens.ts"
import { ActorHost, Transaction } from "../services/host.ts"
import type { Purge } from "../services/retention/retention.ts"
import { networkOf } from "../services/rate-limits/network.ts"
import { takeAttempt } from "../services/rate-limits/attempts.ts"
import type { TooManyAttempts, AttemptCounter } from "../services/rate-limits/attempts.ts"
import { epochMs, text } from "../services/tables/columns.ts"
import { table } from "../services/tables/table.ts"
import type { RowOf } from "../services/tables/table.ts"
import { hashOfToken, isSame, newToken } from "../areas/access/opaque-tokens.ts"

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
  retention: { from: "endsAtMs", keepMs: 0 },
  indexes: [{ name: "operator_sessions_end", by: ["endsAtMs"] }],
})

export type OperatorSession = RowOf<typeof operatorSessions>

export class OperatorSessionRows extends Context.Tag("OperatorSessionRows")<
  OperatorSessionRows,
  {
    readonly insert: (session: OperatorSession) => Effect.Effect<void, never, Transaction>
    readonly byHash: (tokenHash: string) => Effect.Effect<OperatorSession | null>
    readonly remove: (tokenHash: string) => Effect.Effect<void, never, Transaction>
    /** Sessions that have ended, the earliest end first. */
    readonly purge: Purge
  }
>() {}

/** The signed-in operator. */
export interface SignedIn {
  readonly environment: Environment
  readonly operatorTokenId: string
  /** The label of the operator token, for people. */
  readonly label: string
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

export class OperatorSessions extends Context.Tag("OperatorSessions")<
  OperatorSessions,
  {
    /** Returns the session's value. */
    readonly signIn: (request: OperatorSignIn) => Effect.Effect<string, TooManyAttempts | TurnedAway>
    /**
     * Fails with `SIGN_IN_REQUIRED` when the value belongs to no session, to an ended one, or to one of the other
     * environment.
     */
    readonly holder: (environment: Environment, value: string | null) => Effect.Effect<SignedIn, TurnedAway>
    readonly signOut: (value: string) => Effect.Effect<void>
  }
>() {}

type Needs = ActorHost | AttemptCounter | OperatorRows | OperatorSessionRows

export const layerOperatorSessions: Layer.Layer<OperatorSessions, never, Needs> = Layer.effect(
  OperatorSessions,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return {
      signIn: (request) => Effect.provide(signIn(request), context),
      holder: (environment, value) => Effect.provide(holder(environment, value), context),
      signOut: (value) => Effect.provide(signOut(value), context),
    }
  }),
)

const signIn = Effect.fnUntraced(function* ({ environment, value, address }: OperatorSignIn) {
  yield* takeAttempt({
    kind: "operator sign-in/address",
    of: networkOf(address),
    windowMs: SIGN_IN_WINDOW_MS,
    max: SIGN_INS_PER_ADDRESS_MAX,
  })
  const host = yield* ActorHost
  const rows = yield* OperatorSessionRows
  const session = yield* newToken
  const token = yield* goodToken(value, environment)
  if (token === null) return yield* new TurnedAway({ code: "INVALID_OPERATOR_TOKEN" })
  yield* host.run({
    name: "sign an operator in",
    locks: {},
    body: Effect.fnUntraced(function* () {
      const { nowMs } = yield* Transaction
      yield* rows.insert({
        tokenHash: hashOfToken(session),
        operatorTokenId: token.tokenId,
        createdAtMs: nowMs,
        endsAtMs: nowMs + OPERATOR_SESSION_MS,
      })
    }),
  })
  return session
})

const holder = Effect.fnUntraced(function* (environment: Environment, value: string | null) {
  const rows = yield* OperatorSessionRows
  const operators = yield* OperatorRows
  const nowMs = yield* Clock.currentTimeMillis
  const session = value === null ? null : yield* rows.byHash(hashOfToken(value))
  const token = session === null ? null : yield* operators.token(session.operatorTokenId)
  const isOpen = session !== null && nowMs < session.endsAtMs
  // The revocation of a token also ends its sessions.
  if (value === null || !isOpen || token?.environment !== environment || token.revokedAtMs !== null)
    return yield* new TurnedAway({ code: "SIGN_IN_REQUIRED" })
  const formKey = hash("sha256", `${value}\ninspector form`, "base64url")
  return { environment, operatorTokenId: token.tokenId, label: token.label, formKey } satisfies SignedIn
})

const signOut = Effect.fnUntraced(function* (value: string) {
  const host = yield* ActorHost
  const rows = yield* OperatorSessionRows
  yield* host.run({ name: "sign an operator out", locks: {}, body: () => rows.remove(hashOfToken(value)) })
})

/** Compares in constant time. */
export function isFormKey({ formKey }: SignedIn, sent: string): boolean {
  return isSame(formKey, sent)
}
