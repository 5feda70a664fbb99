/**
 * API keys: made, listed and revoked. A key's value is told once, when it is made. Who may ask is decided by whoever
 * offers these commands; partners are not among them.
 */

import { createHash, hash, timingSafeEqual } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import type { Environment, Permission } from "../../model/caller.ts"
import { Refused } from "../../model/errors.ts"
import { newUuid } from "../../model/ids.ts"
import type { EpochMs } from "../../model/time.ts"
import { ActorHost, Transaction } from "../host.ts"
import { AccessRows } from "./rows.ts"
import type { ApiKey } from "./rows.ts"

export interface NewApiKey {
  readonly organizationId: string
  readonly environment: Environment
  readonly permissions: readonly Permission[]
  readonly expiresAtMs: EpochMs | null
}

/** A key as operations see it. */
export type ApiKeyRecord = Omit<ApiKey, "hash">

export interface MadeApiKey {
  readonly key: ApiKeyRecord
  /** The whole key; never to be had again. */
  readonly value: string
}

export class ApiKeys extends Context.Tag("ApiKeys")<
  ApiKeys,
  {
    readonly make: (request: NewApiKey) => Effect.Effect<MadeApiKey, Refused>
    /** Oldest first, revoked ones included. */
    readonly list: (organizationId: string) => Effect.Effect<readonly ApiKeyRecord[]>
    /** From now on the key is unknown. Again is fine, and keeps the first instant. */
    readonly revoke: (keyId: string) => Effect.Effect<ApiKeyRecord, Refused>
  }
>() {}

type Needs = AccessRows | ActorHost

export const layerApiKeys: Layer.Layer<ApiKeys, never, Needs> = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return {
      make: (request) => Effect.provide(make(request), context),
      list: (organizationId) => Effect.provide(list(organizationId), context),
      revoke: (keyId) => Effect.provide(revoke(keyId), context),
    }
  }),
)

/** What is kept of a key's value. */
export function hashOfKey(value: string): string {
  return hash("sha256", value, "hex")
}

/** Compares in constant time. */
export function isKey(value: string, key: Pick<ApiKey, "hash">): boolean {
  const given = createHash("sha256").update(value).digest()
  const kept = Buffer.from(key.hash, "hex")
  return given.length === kept.length && timingSafeEqual(given, kept)
}

const make = Effect.fnUntraced(function* (request: NewApiKey) {
  const host = yield* ActorHost
  const nonces = [yield* host.nonce, yield* host.nonce].join("")
  const value = keyValue(request.environment, nonces)
  const key = yield* host.transact(
    { key: lockOf(request.organizationId) },
    Effect.gen(function* () {
      const rows = yield* AccessRows
      const { nowMs } = yield* Transaction
      if ((yield* rows.organization(request.organizationId)) === null)
        return yield* new Refused({ code: "NOT_FOUND" })
      const made: ApiKey = {
        ...request,
        keyId: newUuid(nonces, "api key"),
        hash: hashOfKey(value),
        lastFour: value.slice(-4),
        createdAtMs: nowMs,
        revokedAtMs: null,
      }
      yield* rows.insertKey(made)
      return made
    }),
  )
  return { key: recordOf(key), value }
})

const list = Effect.fnUntraced(function* (organizationId: string) {
  const rows = yield* AccessRows
  return (yield* rows.keys(organizationId)).map(recordOf)
})

const revoke = Effect.fnUntraced(function* (keyId: string) {
  const rows = yield* AccessRows
  const host = yield* ActorHost
  const known = yield* rows.key(keyId)
  if (known === null) return yield* new Refused({ code: "NOT_FOUND" })
  return yield* host.transact(
    { key: lockOf(known.organizationId) },
    Effect.gen(function* () {
      const { nowMs } = yield* Transaction
      const current = (yield* rows.key(keyId)) ?? known
      const revokedAtMs = current.revokedAtMs ?? nowMs
      yield* rows.changeKey(keyId, { revokedAtMs })
      return recordOf({ ...current, revokedAtMs })
    }),
  )
})

/** Keys and organizations change one command at a time. */
export function lockOf(organizationId: string): string {
  return `access/${organizationId}`
}

const PREFIX_BY_ENVIRONMENT: Readonly<Record<Environment, string>> = {
  production: "ck_prod_",
  sandbox: "ck_sbx_",
}
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const DIGITS = 40

/** A prefix for the eye and 40 base62 digits, from 256 fresh bits. The prefix is never read back. */
function keyValue(environment: Environment, nonces: string): string {
  let rest = BigInt(`0x${hash("sha256", `${nonces}\napi key value`, "hex")}`)
  let digits = ""
  for (let place = 0; place < DIGITS; place += 1) {
    digits += BASE62[Number(rest % 62n)] ?? ""
    rest /= 62n
  }
  return `${PREFIX_BY_ENVIRONMENT[environment]}${digits}`
}

function recordOf({ hash: _, ...record }: ApiKey): ApiKeyRecord {
  return record
}
