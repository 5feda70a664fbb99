/**
 * Operator tokens: the runner application and operations authenticate with them at the operations API. A token belongs
 * to one environment. Its value is only returned by its creation. API keys are separate: neither is accepted in place
 * of the other.
 */

import { Effect } from "effect"
import type { Environment, Operator, OperatorRole } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { newUuid } from "../../model/ids.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { choice, epochMs, json, serial, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository, service } from "../../engine/services/service.ts"
import { bearerIn, hashOf, isHashOf, newBearer } from "./bearer.ts"
import type { BearerKind } from "./bearer.ts"
import { Tables } from "../../engine/services/tables/tables.ts"

/** Stored tokens. A token's value is not stored. */
export const operatorTokens = table("operator_tokens", {
  one: "an operator token",
  many: "operator tokens",
  columns: {
    tokenId: text(),
    number: serial().hidden(),
    environment: choice<Environment>(),
    /** The holder, for people. */
    label: text(),
    /** SHA-256 of the value, lower-case hex. */
    hash: text(),
    lastFour: text(),
    createdAtMs: epochMs(),
    revokedAtMs: epochMs().nullable(),
    /** Null for older tokens: `admin`. */
    role: choice<OperatorRole>().nullable(),
    /** Null: all sites of the environment. */
    siteIds: json<readonly string[]>().nullable(),
  },
  key: ["tokenId"],
  indexes: [
    { name: "operator_tokens_hash_key", by: ["hash"] },
    { name: "operator_tokens_environment", by: ["environment", "number"] },
  ],
})

export type OperatorToken = RowOf<typeof operatorTokens>

export class OperatorRows extends repository<OperatorRows>()(
  "OperatorRows",
  Effect.map(Tables, (tables) => {
    const rows = tables.of(operatorTokens)
    return {
      /** Including revoked ones; null when there is none. Read at every request. */
      byHash: (hash: string) => rows.first({ hash }),
      token: (tokenId: string) => rows.get({ tokenId }),
      /** Oldest first, including revoked ones. */
      tokens: (environment: Environment) => rows.list({ environment }, { order: ["number"] }),
      insert: rows.insert,
      change: (tokenId: string, change: Pick<OperatorToken, "revokedAtMs">) =>
        rows.update({ tokenId }, change),
    }
  }),
) {}

/** Without a role an administrator's, without sites of all. */
export type NewOperatorToken = Partial<Pick<OperatorToken, "role" | "siteIds">> &
  Pick<OperatorToken, "environment" | "label">

/** A token as operators read it. */
export type OperatorTokenRecord = Omit<OperatorToken, "hash">

export interface MadeOperatorToken {
  readonly token: OperatorTokenRecord
  /** The whole token; it cannot be read again. */
  readonly value: string
}

export class OperatorTokens extends service<OperatorTokens>()("OperatorTokens", () => ({
  make,
  list,
  revoke,
  judge,
})) {}

const KIND: BearerKind = { prefix: "ot", purpose: "operator token" }

const make = Routine.fn(function* (request: NewOperatorToken) {
  const host = yield* ActorHost
  const rows = yield* OperatorRows
  const nonces = [yield* host.nonce, yield* host.nonce].join("")
  const value = newBearer(KIND, request.environment, nonces)
  const token = yield* host.run({
    name: "make an operator token",
    locks: { key: lockOf(request.environment) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const made: OperatorToken = {
        tokenId: newUuid(nonces, "operator token"),
        environment: request.environment,
        label: request.label,
        hash: hashOf(value),
        lastFour: value.slice(-4),
        createdAtMs: nowMs,
        revokedAtMs: null,
        role: request.role ?? "admin",
        siteIds: request.siteIds ?? null,
      }
      yield* rows.insert(made)
      return made
    }),
  })
  return { token: recordOf(token), value } satisfies MadeOperatorToken
})

/** Oldest first, including revoked ones. */
const list = Routine.fn(function* (environment: Environment) {
  return (yield* (yield* OperatorRows).tokens(environment)).map(recordOf)
})

/** The token is unknown from now on. A repeat changes nothing and keeps the first instant. */
const revoke = Routine.fn(function* (environment: Environment, tokenId: string) {
  const host = yield* ActorHost
  const rows = yield* OperatorRows
  return yield* host.run({
    name: "revoke an operator token",
    locks: { key: lockOf(environment) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const token = yield* rows.token(tokenId)
      if (token === null || token.environment !== environment)
        return yield* new Refused({ code: "NOT_FOUND", detail: "operator token" })
      const revokedAtMs = token.revokedAtMs ?? nowMs
      yield* rows.change(tokenId, { revokedAtMs })
      return recordOf({ ...token, revokedAtMs })
    }),
  })
})

interface OperatorArrival {
  readonly authorization: string | undefined
  readonly environment: Environment
}

/**
 * The operator of an `Authorization` header, or null when the token is absent, unknown, revoked, or of the other
 * environment.
 */
const judge = Routine.fn(function* ({ authorization, environment }: OperatorArrival) {
  const value = bearerIn(authorization)
  const token = value === null ? null : yield* goodToken(value, environment)
  return token === null ? null : callerOf(token)
})

/** The operator who holds a token. */
export function callerOf({ environment, tokenId, role, siteIds }: OperatorToken): Operator {
  return { type: "operator", by: "ops", environment, tokenId, role: role ?? "admin", siteIds }
}

/**
 * The token of a value that is valid in the environment; null when it is unknown, revoked, or of the other one.
 * Compares in constant time.
 */
export const goodToken = Routine.fn(function* (value: string, environment: Environment) {
  const rows = yield* OperatorRows
  const token = yield* rows.byHash(hashOf(value))
  if (token === null || !isHashOf(value, token.hash)) return null
  return token.environment === environment && token.revokedAtMs === null ? token : null
})

/** Commands on the tokens of an environment run one at a time. */
function lockOf(environment: Environment): string {
  return `operators/${environment}`
}

function recordOf({ hash: _, ...record }: OperatorToken): OperatorTokenRecord {
  return record
}
