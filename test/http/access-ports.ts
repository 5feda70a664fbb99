/** The contract of AccessRows and RateCounter: what any layer of them must do. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"
import { RateCounter } from "../../src/http/access/rate-limits.ts"
import type { KeyedRequest } from "../../src/http/access/rate-limits.ts"
import { AccessRows } from "../../src/http/access/rows.ts"
import type { ApiKey, Organization } from "../../src/http/access/rows.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { requestCountTask } from "../../src/apps/composition/retention-tasks.ts"
import { windowCounterContract } from "../conformance/window-counter.ts"

/** The ports over a store in which nothing has happened yet. */
export interface AccessHarness {
  readonly run: <A, E>(effect: Effect.Effect<A, E, AccessRows | ActorHost | RateCounter>) => Promise<A>
}

const T = Date.parse("2026-06-01T15:00:00Z")

const organization: Organization = {
  organizationId: "org_b",
  name: "Wheels & Söhne",
  isActive: true,
  isFleetPartner: false,
  isSandboxPartner: false,
  environments: ["sandbox", "production"],
  createdAtMs: T,
  updatedAtMs: T,
}
const key: ApiKey = {
  keyId: "key_1",
  organizationId: "org_b",
  environment: "sandbox",
  permissions: ["webhooks:manage", "reservations:read"],
  label: "Küche",
  createdBy: "acc_1",
  hash: "1".repeat(64),
  lastFour: "aZ09",
  createdAtMs: T,
  expiresAtMs: T + 1,
  revokedAtMs: null,
}

type Write = (rows: AccessRows["Type"]) => Effect.Effect<void, never, Transaction>

export function accessPortsContract(name: string, make: () => AccessHarness): void {
  const write = (h: AccessHarness, ...writes: Write[]): Promise<void> =>
    h.run(
      Effect.gen(function* () {
        const host = yield* ActorHost
        const rows = yield* AccessRows
        for (const one of writes)
          yield* host.run({ name: "a test", locks: {}, body: () => Routine.from(one(rows)) })
      }),
    )
  const ask = <A>(h: AccessHarness, question: (rows: AccessRows["Type"]) => Effect.Effect<A>): Promise<A> =>
    h.run(Effect.flatMap(AccessRows, question))

  describe(`access rows: ${name}`, () => {
    test("an organization and its key come back as they were put, and together by the key's hash", async () => {
      const h = make()
      await write(
        h,
        (rows) => rows.insertOrganization(organization),
        (rows) => rows.insertKey(key),
      )
      expect(await ask(h, (rows) => rows.organization("org_b"))).toEqual(organization)
      expect(await ask(h, (rows) => rows.key("key_1"))).toEqual(key)
      expect(await ask(h, (rows) => rows.holder(key.hash))).toEqual({ key, organization, clock: null })
    })

    test("what was never put is null", async () => {
      const h = make()
      expect(await ask(h, (rows) => rows.organization("org_b"))).toBeNull()
      expect(await ask(h, (rows) => rows.key("key_1"))).toBeNull()
      expect(await ask(h, (rows) => rows.holder(key.hash))).toBeNull()
      expect(await ask(h, (rows) => rows.keys("org_b"))).toEqual([])
      expect(await ask(h, (rows) => rows.organizations)).toEqual([])
    })

    test("organizations by id; an organization's keys oldest first, of both environments, revoked ones too", async () => {
      const h = make()
      const other = { ...key, keyId: "key_0", hash: "2".repeat(64), environment: "production" } as const
      const stranger = { ...key, keyId: "key_2", hash: "3".repeat(64), organizationId: "org_a" }
      await write(
        h,
        (rows) => rows.insertOrganization(organization),
        (rows) => rows.insertOrganization({ ...organization, organizationId: "org_a" }),
        (rows) => rows.insertKey(key),
        (rows) => rows.insertKey(stranger),
        (rows) => rows.insertKey(other),
        (rows) => rows.changeKey("key_1", { revokedAtMs: T + 5 }),
      )
      const ids = (await ask(h, (rows) => rows.organizations)).map((one) => one.organizationId)
      expect(ids).toEqual(["org_a", "org_b"])
      const some = await ask(h, (rows) => rows.organizationsOf(["org_b", "org_b", "org_x"]))
      expect([some, await ask(h, (rows) => rows.organizationsOf([]))]).toEqual([[organization], []])
      expect(await ask(h, (rows) => rows.keys("org_b"))).toEqual([{ ...key, revokedAtMs: T + 5 }, other])
    })

    test("the last use of a key replaces the one before, and is read with those of its organization", async () => {
      const h = make()
      const use = { keyId: "key_1", organizationId: "org_b", usedAtMs: T }
      await write(
        h,
        (rows) => rows.putKeyUse(use),
        (rows) => rows.putKeyUse({ ...use, usedAtMs: T + MINUTE_MS }),
        (rows) => rows.putKeyUse({ ...use, keyId: "key_2", organizationId: "org_a" }),
      )
      expect(await ask(h, (rows) => rows.keyUses("org_b"))).toEqual([{ ...use, usedAtMs: T + MINUTE_MS }])
      expect(await ask(h, (rows) => rows.keyUses("org_c"))).toEqual([])
    })

    test("a change is seen with the key at once", async () => {
      const h = make()
      await write(
        h,
        (rows) => rows.insertOrganization(organization),
        (rows) => rows.insertKey(key),
        (rows) => rows.changeOrganization("org_b", { isActive: false, environments: [], updatedAtMs: T + 7 }),
        (rows) => rows.changeKey("key_1", { revokedAtMs: T + 9, label: null, expiresAtMs: T + 8 }),
        (rows) => rows.changeOrganization("org_unknown", { isActive: false }),
      )
      expect(await ask(h, (rows) => rows.holder(key.hash))).toEqual({
        key: { ...key, revokedAtMs: T + 9, label: null, expiresAtMs: T + 8 },
        organization: { ...organization, isActive: false, environments: [], updatedAtMs: T + 7 },
        clock: null,
      })
    })

    test("a transaction that fails leaves none of it", async () => {
      const h = make()
      await h.run(
        Effect.gen(function* () {
          const host = yield* ActorHost
          const rows = yield* AccessRows
          const body = Effect.zipRight(rows.insertOrganization(organization), Effect.fail("changed my mind"))
          yield* Effect.flip(host.run({ name: "a test", locks: {}, body: () => Routine.from(body) }))
        }),
      )
      expect(await ask(h, (rows) => rows.organization("org_b"))).toBeNull()
    })
  })

  windowCounterContract(`rate counter: ${name}`, RateCounter, make)

  describe(`requests with a key: ${name}`, () => {
    const counter = Effect.serviceFunctions(RateCounter)
    const window = { bucket: "production/org_b/requests", startsAtMs: T, lengthMs: MINUTE_MS }

    test("a request with a key is counted where it is to be admitted, and nowhere else", async () => {
      const h = make()
      await write(
        h,
        (rows) => rows.insertOrganization(organization),
        (rows) => rows.insertKey(key),
        (rows) => rows.insertKey({ ...key, keyId: "key_2", hash: "2".repeat(64), revokedAtMs: T }),
        (rows) => rows.insertKey({ ...key, keyId: "key_3", hash: "3".repeat(64), environment: "production" }),
        (rows) => rows.insertOrganization({ ...organization, organizationId: "org_off", isActive: false }),
        (rows) => rows.insertKey({ ...key, keyId: "key_4", hash: "4".repeat(64), organizationId: "org_off" }),
        (rows) =>
          rows.insertOrganization({ ...organization, organizationId: "org_elsewhere", environments: [] }),
        (rows) =>
          rows.insertKey({ ...key, keyId: "key_5", hash: "5".repeat(64), organizationId: "org_elsewhere" }),
      )
      const { countKeyed } = await h.run(RateCounter)
      // Optional, because it saves no round trip in memory: the holder is read first, and then the request is counted.
      if (countKeyed === undefined) return expect(name).toBe("memory")
      const good: KeyedRequest = {
        hash: key.hash,
        environment: "sandbox",
        permissions: ["webhooks:manage"],
        isForFleetPartners: false,
        budget: "requests",
        nowMs: T,
      }
      const count = async (change: Partial<KeyedRequest>): Promise<number | string | null> => {
        const found = await h.run(countKeyed({ ...good, ...change }))
        return found === null ? "unknown" : found.count
      }
      expect(await h.run(countKeyed(good))).toEqual({ holder: { key, organization, clock: null }, count: 1 })
      expect(await count({ nowMs: T + 1 })).toBeNull()
      expect(await count({ environment: "production" })).toBeNull()
      expect(await count({ permissions: ["webhooks:manage", "reservations:write"] })).toBeNull()
      expect(await count({ isForFleetPartners: true })).toBeNull()
      await write(h, (rows) => rows.changeOrganization("org_b", { isSandboxPartner: true }))
      // The sandbox alone is open to it; the request of production is not counted.
      expect(await count({ isForFleetPartners: true, budget: "analytics" })).toBe(1)
      const inProduction = {
        hash: "3".repeat(64),
        environment: "production",
        isForFleetPartners: true,
      } as const
      expect(await count(inProduction)).toBeNull()
      for (const digit of ["2", "3", "4", "5"]) expect(await count({ hash: digit.repeat(64) })).toBeNull()
      expect(await count({ hash: "9".repeat(64) })).toBe("unknown")
      expect(await count({ permissions: [] })).toBe(2)
      expect(await count({ budget: "bot-reports" })).toBe(1)
      expect(await count({ hash: "3".repeat(64), environment: "production" })).toBe(1)
      const own = { ...window, bucket: "sandbox/org_b/requests" }
      expect(await h.run(counter.counted(own))).toBe(2)
      await h.run(counter.count({ ...own, startsAtMs: T + MINUTE_MS }))
      await h.run(counter.count({ ...own, startsAtMs: T + MINUTE_MS }))
      return expect(await count({})).toBe(3)
    })

    test("G20: counts are purged by the hour, as many as asked for, and younger ones go on counting", async () => {
      const h = make()
      const minutes = [0, 1, 2, 60].map((minute) => ({
        bucket: `production/org_${minute}/requests`,
        startsAtMs: T + minute * MINUTE_MS,
        lengthMs: MINUTE_MS,
      }))
      for (const one of minutes) await h.run(counter.count(one))
      const purgeAt = (nowMs: number, limit: number) =>
        h.run(
          Effect.gen(function* () {
            const host = yield* ActorHost
            const { keepMs, purge } = yield* requestCountTask
            return yield* host.run({
              name: "a test",
              locks: {},
              body: () => Routine.from(purge({ beforeMs: nowMs - keepMs, limit })),
            })
          }),
        )
      expect(await purgeAt(T + HOUR_MS - 1, 500)).toBe(0)
      expect(await purgeAt(T + HOUR_MS + 2 * MINUTE_MS, 2)).toBe(2)
      expect(await purgeAt(T + HOUR_MS + 2 * MINUTE_MS, 2)).toBe(1)
      expect(await purgeAt(T + HOUR_MS + 2 * MINUTE_MS, 2)).toBe(0)
      const left = await Promise.all(minutes.map((one) => h.run(counter.counted(one))))
      expect(left).toEqual([0, 0, 0, 1])
    })
  })
}
