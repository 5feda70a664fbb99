/** Organizations, API keys and request counts in memory. */

import { Effect, Layer } from "effect"
import { RateCounter } from "../services/access/rate-limits.ts"
import { AccessRows } from "../services/access/rows.ts"
import type { ApiKey, Organization } from "../services/access/rows.ts"
import type { MemoryStore } from "./memory-store.ts"

export function layerMemoryAccessRows(store: MemoryStore): Layer.Layer<AccessRows> {
  const organizations = store.table<Organization>("organizations")
  const keys = store.table<ApiKey>("api-keys")
  const keyByHash = store.table<string>("api-key-hashes")
  return Layer.succeed(AccessRows, {
    holder: (hash) =>
      Effect.sync(() => {
        const key = keys.get(keyByHash.get(hash) ?? "")
        const organization = key === null ? null : organizations.get(key.organizationId)
        return key === null || organization === null ? null : { key, organization }
      }),
    organization: (id) => Effect.sync(() => organizations.get(id)),
    organizations: Effect.sync(() =>
      organizations.all().toSorted((a, b) => (a.organizationId < b.organizationId ? -1 : 1)),
    ),
    insertOrganization: (organization) =>
      Effect.sync(() => organizations.put(organization.organizationId, organization)),
    changeOrganization: (id, change) =>
      Effect.sync(() => {
        const organization = organizations.get(id)
        if (organization !== null) organizations.put(id, { ...organization, ...change })
      }),
    key: (id) => Effect.sync(() => keys.get(id)),
    keys: (organizationId) =>
      Effect.sync(() => keys.all().filter((key) => key.organizationId === organizationId)),
    insertKey: (key) =>
      Effect.sync(() => {
        keys.put(key.keyId, key)
        keyByHash.put(key.hash, key.keyId)
      }),
    changeKey: (id, change) =>
      Effect.sync(() => {
        const key = keys.get(id)
        if (key !== null) keys.put(id, { ...key, ...change })
      }),
  })
}

/** One count a bucket: that of its latest window. */
export const layerMemoryRateCounter: Layer.Layer<RateCounter> = Layer.sync(RateCounter, () => {
  const latest = new Map<string, { readonly startsAtMs: number; readonly count: number }>()
  const counted = (bucket: string, startsAtMs: number): number => {
    const known = latest.get(bucket)
    return known?.startsAtMs === startsAtMs ? known.count : 0
  }
  return {
    count: ({ bucket, startsAtMs }) =>
      Effect.sync(() => {
        const count = counted(bucket, startsAtMs) + 1
        latest.set(bucket, { startsAtMs, count })
        return count
      }),
    counted: ({ bucket, startsAtMs }) => Effect.sync(() => counted(bucket, startsAtMs)),
    purge: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const old = [...latest].filter(([, { startsAtMs }]) => startsAtMs <= beforeMs).slice(0, limit)
        for (const [bucket] of old) latest.delete(bucket)
        return old.length
      }),
  }
})
