/**
 * API keys: created, listed and revoked. A key's value is only returned by its creation. The callers of these commands
 * check who may use them; partners may not.
 */

import { Context, Effect, Layer } from "effect"
import type { Environment, Permission } from "../../model/caller.ts"
import { Refused } from "../../model/errors.ts"
import { newUuid } from "../../model/ids.ts"
import type { EpochMs } from "../../model/time.ts"
import { ActorHost, Transaction } from "../../services/host.ts"
import { hashOf, newBearer } from "./bearer.ts"
import type { BearerKind } from "./bearer.ts"
import { AccessRows } from "./rows.ts"
import type { ApiKey } from "./rows.ts"

export interface NewApiKey {
  readonly organizationId: string
  readonly environment: Environment
  readonly permissions: readonly Permission[]
  readonly expiresAtMs: EpochMs | null
}

/** An organization in one environment. */
export type KeyScope = Pick<NewApiKey, "environment" | "organizationId">

/** A key as operations read it. */
export type ApiKeyRecord = Omit<ApiKey, "hash">

export interface MadeApiKey {
  readonly key: ApiKeyRecord
  /** The whole key; it cannot be read again. */
  readonly value: string
}

export class ApiKeys extends Context.Tag("ApiKeys")<
  ApiKeys,
  {
    readonly make: (request: NewApiKey) => Effect.Effect<MadeApiKey, Refused>
    /** Oldest first, including revoked ones. */
    readonly list: (holder: KeyScope) => Effect.Effect<readonly ApiKeyRecord[], Refused>
    /** The key is unknown from now on. A repeat changes nothing and keeps the first instant. */
    readonly revoke: (environment: Environment, keyId: string) => Effect.Effect<ApiKeyRecord, Refused>
  }
>() {}

type Needs = AccessRows | ActorHost

export const layerApiKeys: Layer.Layer<ApiKeys, never, Needs> = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return {
      make: (request) => Effect.provide(make(request), context),
      list: (scope) => Effect.provide(list(scope), context),
      revoke: (environment, keyId) => Effect.provide(revoke(environment, keyId), context),
    }
  }),
)

const KIND: BearerKind = { prefix: "ck", purpose: "api key" }

const make = Effect.fnUntraced(function* (request: NewApiKey) {
  const host = yield* ActorHost
  const nonces = [yield* host.nonce, yield* host.nonce].join("")
  const value = newBearer(KIND, request.environment, nonces)
  const key = yield* host.run({
    name: "make an API key",
    locks: { key: lockOf(request.organizationId) },
    body: Effect.fnUntraced(function* () {
      const rows = yield* AccessRows
      const { nowMs } = yield* Transaction
      if ((yield* rows.organization(request.organizationId)) === null)
        return yield* unknownOrganization(request.organizationId)
      if (request.expiresAtMs !== null && request.expiresAtMs <= nowMs) {
        const problems = [{ field: "expires_at", message: "must be in the future" }]
        return yield* new Refused({ code: "VALIDATION_ERROR", problems })
      }
      const made: ApiKey = {
        ...request,
        keyId: newUuid(nonces, "api key"),
        hash: hashOf(value),
        lastFour: value.slice(-4),
        createdAtMs: nowMs,
        revokedAtMs: null,
      }
      yield* rows.insertKey(made)
      return made
    }),
  })
  return { key: recordOf(key), value }
})

const list = Effect.fnUntraced(function* ({ organizationId, environment }: KeyScope) {
  const rows = yield* AccessRows
  if ((yield* rows.organization(organizationId)) === null) return yield* unknownOrganization(organizationId)
  const keys = yield* rows.keys(organizationId)
  return keys.filter((key) => key.environment === environment).map(recordOf)
})

const revoke = Effect.fnUntraced(function* (environment: Environment, keyId: string) {
  const rows = yield* AccessRows
  const host = yield* ActorHost
  const known = yield* rows.key(keyId)
  if (known?.environment !== environment)
    return yield* new Refused({ code: "NOT_FOUND", detail: `API key ${keyId}` })
  return yield* host.run({
    name: "revoke an API key",
    locks: { key: lockOf(known.organizationId) },
    body: Effect.fnUntraced(function* () {
      const { nowMs } = yield* Transaction
      const current = (yield* rows.key(keyId)) ?? known
      const revokedAtMs = current.revokedAtMs ?? nowMs
      yield* rows.changeKey(keyId, { revokedAtMs })
      return recordOf({ ...current, revokedAtMs })
    }),
  })
})

export function unknownOrganization(organizationId: string): Refused {
  return new Refused({ code: "NOT_FOUND", detail: `organization ${organizationId}` })
}

/** Commands on the keys and organizations run one at a time. */
export function lockOf(organizationId: string): string {
  return `access/${organizationId}`
}

function recordOf({ hash: _, ...record }: ApiKey): ApiKeyRecord {
  return record
}
