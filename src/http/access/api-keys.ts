/**
 * API keys: created, listed and revoked. A key's value is only returned by its creation. The callers of these commands
 * check who may use them; partners may not.
 */

import type { Environment, Permission } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { newUuid } from "../../model/ids.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { hashOf, newBearer } from "./bearer.ts"
import type { BearerKind } from "./bearer.ts"
import { AccessRows } from "./rows.ts"
import type { ApiKey } from "./rows.ts"
import { notFound } from "../../engine/services/refusals.ts"

export interface NewApiKey {
  readonly organizationId: string
  readonly environment: Environment
  readonly permissions: readonly Permission[]
  readonly expiresAtMs: EpochMs | null
  readonly label?: string | null
  /** The account of the portal that makes it. */
  readonly createdBy?: string | null
}

/** A key that replaces another one, with its permissions and label. */
export interface RolledApiKey {
  readonly environment: Environment
  readonly keyId: string
  /** How long the old key stays valid, unless it expires before. */
  readonly overlapMs: number
  readonly createdBy: string | null
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

export class ApiKeys extends service<ApiKeys>()("ApiKeys", () => ({
  make,
  list,
  label: changeLabel,
  roll,
  revoke,
})) {}

const KIND: BearerKind = { prefix: "ck", purpose: "api key" }

const make = Routine.fn(function* (request: NewApiKey) {
  const host = yield* ActorHost
  const nonces = [yield* host.nonce, yield* host.nonce].join("")
  const value = newBearer(KIND, request.environment, nonces)
  const key = yield* host.run({
    name: "make an API key",
    locks: { key: lockOf(request.organizationId) },
    body: Routine.fn(function* () {
      const rows = yield* AccessRows
      const { nowMs } = yield* Transaction
      if ((yield* rows.organization(request.organizationId)) === null)
        return yield* unknownOrganization(request.organizationId)
      if (request.expiresAtMs !== null && request.expiresAtMs <= nowMs) {
        const problems = [{ field: "expires_at", message: "must be in the future" }]
        return yield* new Refused({ code: "VALIDATION_ERROR", problems })
      }
      const made = keyOf({ label: null, createdBy: null, ...request }, { nonces, value, nowMs })
      yield* rows.insertKey(made)
      return made
    }),
  })
  return { key: recordOf(key), value } satisfies MadeApiKey
})

interface Fresh {
  readonly nonces: string
  readonly value: string
  readonly nowMs: EpochMs
}

function keyOf(request: Required<NewApiKey>, { nonces, value, nowMs }: Fresh): ApiKey {
  return {
    ...request,
    keyId: newUuid(nonces, "api key"),
    hash: hashOf(value),
    lastFour: value.slice(-4),
    createdAtMs: nowMs,
    revokedAtMs: null,
  }
}

/** Oldest first, including revoked ones. */
const list = Routine.fn(function* ({ organizationId, environment }: KeyScope) {
  const rows = yield* AccessRows
  if ((yield* rows.organization(organizationId)) === null) return yield* unknownOrganization(organizationId)
  const keys = yield* rows.keys(organizationId)
  return keys.filter((key) => key.environment === environment).map(recordOf)
})

const known = Routine.fn(function* (environment: Environment, keyId: string) {
  const rows = yield* AccessRows
  const key = yield* rows.key(keyId)
  return key?.environment === environment ? key : yield* notFound("API key", keyId)
})

const changeLabel = Routine.fn(function* (
  environment: Environment,
  { keyId, label }: Pick<ApiKey, "keyId" | "label">,
) {
  const rows = yield* AccessRows
  const host = yield* ActorHost
  const found = yield* known(environment, keyId)
  return yield* host.run({
    name: "label an API key",
    locks: { key: lockOf(found.organizationId) },
    body: Routine.fn(function* () {
      const current = (yield* rows.key(keyId)) ?? found
      yield* rows.changeKey(keyId, { label })
      return recordOf({ ...current, label })
    }),
  })
})

/** The new key expires when the old one would have. Refused when the old one is not valid any more. */
const roll = Routine.fn(function* ({ environment, keyId, overlapMs, createdBy }: RolledApiKey) {
  const rows = yield* AccessRows
  const host = yield* ActorHost
  const found = yield* known(environment, keyId)
  const nonces = [yield* host.nonce, yield* host.nonce].join("")
  const value = newBearer(KIND, environment, nonces)
  const { key, old } = yield* host.run({
    name: "roll an API key",
    locks: { key: lockOf(found.organizationId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const current = (yield* rows.key(keyId)) ?? found
      if (!isValid(current, nowMs)) {
        return yield* new Refused({ code: "INVALID_STATE", detail: "the key is revoked or has expired" })
      }
      const made = keyOf({ ...scopeOf(current), createdBy }, { nonces, value, nowMs })
      const expiresAtMs = Math.min(current.expiresAtMs ?? Number.POSITIVE_INFINITY, nowMs + overlapMs)
      yield* rows.insertKey(made)
      yield* rows.changeKey(keyId, { expiresAtMs })
      return { key: made, old: { ...current, expiresAtMs } }
    }),
  })
  return { key: recordOf(key), value, old: recordOf(old) }
})

/** What a key that replaces it keeps. */
function scopeOf(key: ApiKey): Omit<Required<NewApiKey>, "createdBy"> {
  const { organizationId, environment, permissions, expiresAtMs, label } = key
  return { organizationId, environment, permissions, expiresAtMs, label }
}

/** True when requests with the key are admitted. */
export function isValid(key: Pick<ApiKey, "expiresAtMs" | "revokedAtMs">, nowMs: EpochMs): boolean {
  return key.revokedAtMs === null && (key.expiresAtMs === null || nowMs < key.expiresAtMs)
}

/** The key is unknown from now on. A repeat changes nothing and keeps the first instant. */
const revoke = Routine.fn(function* (environment: Environment, keyId: string) {
  const rows = yield* AccessRows
  const host = yield* ActorHost
  const found = yield* known(environment, keyId)
  return yield* host.run({
    name: "revoke an API key",
    locks: { key: lockOf(found.organizationId) },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const current = (yield* rows.key(keyId)) ?? found
      const revokedAtMs = current.revokedAtMs ?? nowMs
      yield* rows.changeKey(keyId, { revokedAtMs })
      return recordOf({ ...current, revokedAtMs })
    }),
  })
})

export function unknownOrganization(organizationId: string): Refused {
  return notFound("organization", organizationId)
}

/** Commands on the keys and organizations run one at a time. */
export function lockOf(organizationId: string): string {
  return `access/${organizationId}`
}

function recordOf({ hash: _, ...record }: ApiKey): ApiKeyRecord {
  return record
}
