/** The contract of what operations write: operator tokens and the catalog, rows and the services over them. */

import { Effect, Either } from "effect"
import { describe, expect, test } from "vitest"
import type { Environment } from "../../src/model/caller.ts"
import type { Retailer, Stall, Zone } from "../../src/model/nouns/catalog-nouns.ts"
import { bookedSite } from "../../src/model/site.ts"
import { OperatorRows, OperatorTokens } from "../../src/http/access/operator-tokens.ts"
import type { OperatorToken } from "../../src/http/access/operator-tokens.ts"
import { CatalogAdmin } from "../../src/areas/catalog/catalog-admin.ts"
import { CatalogRows } from "../../src/areas/catalog/rows.ts"
import type { NounRows } from "../../src/areas/catalog/noun-rows.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"

export type ManagementPorts = ActorHost | CatalogAdmin | CatalogRows | OperatorRows | OperatorTokens

/** The ports over a store that holds no row of these tests. */
export interface ManagementHarness {
  readonly run: <A, E>(effect: Effect.Effect<A, E, ManagementPorts>) => Promise<A>
}

const T = Date.parse("2026-06-01T15:00:00Z")
const token: OperatorToken = {
  tokenId: "token_2",
  environment: "sandbox",
  label: "night shift",
  hash: "1".repeat(64),
  lastFour: "aZ09",
  createdAtMs: T,
  revokedAtMs: null,
  role: null,
  siteIds: null,
}
const site = bookedSite({ siteId: "00000000-0000-4000-8000-00000000000b", name: "Süd", timezone: null })
const zone: Zone = {
  zoneId: "test_zone",
  siteId: site.siteId,
  name: "Curb",
  latitude: 30.25,
  longitude: -97.75,
  hasRunner: true,
}
const stall: Stall = { stallId: "test_stall", zoneId: "test_zone", label: null, isActive: true }
const retailer: Retailer = {
  retailerId: "test_retailer",
  name: "Grocer",
  logoUrl: null,
  supportPhone: "+15125550111",
  pickupRequirements: null,
}

export function managementContract(name: string, make: () => ManagementHarness): void {
  const inside = (...writes: Effect.Effect<void, never, Transaction>[]) =>
    Effect.flatMap(ActorHost, (host) =>
      host.run({
        name: "a test",
        locks: {},
        body: () => Routine.from(Effect.all(writes, { discard: true })),
      }),
    )

  describe(`operator rows: ${name}`, () => {
    test("a token comes back as it was put, by id and by hash; what was never put is null", async () => {
      const found = await make().run(
        Effect.gen(function* () {
          const rows = yield* OperatorRows
          yield* inside(rows.insert(token))
          return [
            yield* rows.token("token_2"),
            yield* rows.byHash(token.hash),
            yield* rows.token("token_1"),
            yield* rows.byHash("0".repeat(64)),
          ]
        }),
      )
      expect(found).toEqual([token, token, null, null])
    })

    test("tokens of one environment, oldest first, revoked ones too", async () => {
      const earlier = { ...token, tokenId: "token_9", hash: "2".repeat(64) }
      const other = { ...token, tokenId: "token_5", hash: "3".repeat(64), environment: "production" } as const
      const listed = await make().run(
        Effect.gen(function* () {
          const rows = yield* OperatorRows
          yield* inside(rows.insert(earlier), rows.insert(other), rows.insert(token))
          yield* inside(
            rows.change("token_2", { revokedAtMs: T + 5 }),
            rows.change("token_unknown", { revokedAtMs: T }),
          )
          return yield* rows.tokens("sandbox")
        }),
      )
      expect(listed).toEqual([earlier, { ...token, revokedAtMs: T + 5 }])
    })

    test("a token is good in its environment until it is revoked", async () => {
      const judged = await make().run(
        Effect.gen(function* () {
          const tokens = yield* OperatorTokens
          const { token: made, value } = yield* tokens.make({ environment: "sandbox", label: "here" })
          const authorization = `Bearer ${value}`
          const before = yield* tokens.judge({ authorization, environment: "sandbox" })
          const elsewhere = yield* tokens.judge({ authorization, environment: "production" })
          yield* tokens.revoke("sandbox", made.tokenId)
          return [before, elsewhere, yield* tokens.judge({ authorization, environment: "sandbox" })]
        }),
      )
      expect(judged).toEqual([
        {
          type: "operator",
          by: "ops",
          environment: "sandbox",
          tokenId: expect.any(String),
          role: "admin",
          siteIds: null,
        },
        null,
        null,
      ])
    })
  })

  describe(`catalog rows: ${name}`, () => {
    const kinds: readonly (readonly [
      string,
      (rows: CatalogRows["Type"]) => NounRows<object>,
      { readonly row: object; readonly id: string; readonly change: object },
    ])[] = [
      [
        "a site",
        (rows) => rows.sites as NounRows<object>,
        { row: site, id: site.siteId, change: { timezone: "UTC" } },
      ],
      [
        "a zone",
        (rows) => rows.zones as NounRows<object>,
        { row: zone, id: zone.zoneId, change: { latitude: null, longitude: null, hasRunner: false } },
      ],
      [
        "a stall",
        (rows) => rows.stalls as NounRows<object>,
        { row: stall, id: stall.stallId, change: { label: "A1", isActive: false } },
      ],
      [
        "a retailer",
        (rows) => rows.retailers as NounRows<object>,
        { row: retailer, id: retailer.retailerId, change: { name: "Baker", supportPhone: null } },
      ],
    ]

    test.each(kinds)(
      "%s comes back as it was put, in its environment alone, and changes there",
      async (_, of, { row, id, change }) => {
        const found = await make().run(
          Effect.gen(function* () {
            const table = of(yield* CatalogRows)
            const before = yield* table.get("sandbox", id)
            yield* inside(table.insert("sandbox", row), table.insert("production", row))
            yield* inside(table.change("sandbox", id, change), table.change("sandbox", "unknown", change))
            const listed = (yield* table.all("sandbox")).filter((one) => Object.values(one).includes(id))
            return [before, yield* table.get("sandbox", id), yield* table.get("production", id), listed]
          }),
        )
        const changed = { ...row, ...change }
        expect(found).toEqual([null, changed, row, [changed]])
      },
    )

    test("rows come by id, in the order of characters", async () => {
      const ids = ["test_b", "test_B", "test_a-2", "test_a.1", "test_10", "test_9"]
      const listed = await make().run(
        Effect.gen(function* () {
          const { stalls, offers } = yield* CatalogRows
          yield* inside(
            ...ids.map((stallId) => stalls.insert("sandbox", { ...stall, stallId })),
            ...ids.map((zoneId) => offers.put("sandbox", { zoneId, retailerId: "test_retailer" })),
          )
          return [
            (yield* stalls.all("sandbox")).map((one) => one.stallId),
            (yield* offers.all("sandbox")).map((one) => one.zoneId),
          ].map((all) => all.filter((id) => ids.includes(id)))
        }),
      )
      const sorted = ids.toSorted((a, b) => (a < b ? -1 : 1))
      expect(listed).toEqual([sorted, sorted])
    })

    test("offers and grants are put once, and taken without a trace", async () => {
      const offer = { zoneId: "test_zone", retailerId: "test_retailer" }
      const grant = { organizationId: "org_test", ...offer }
      const seen = await make().run(
        Effect.gen(function* () {
          const { offers, grants } = yield* CatalogRows
          const ours = Effect.map(
            Effect.all([offers.all("sandbox"), grants.all("sandbox"), offers.all("production")]),
            (all) => all.map((links) => links.filter((link) => link.zoneId === "test_zone")),
          )
          yield* inside(
            offers.put("sandbox", offer),
            offers.put("sandbox", offer),
            grants.put("sandbox", grant),
          )
          const put = yield* ours
          yield* inside(grants.remove("sandbox", { ...grant, organizationId: "org_other" }))
          yield* inside(offers.remove("sandbox", offer), offers.remove("sandbox", offer))
          const left = yield* ours
          yield* inside(grants.remove("sandbox", grant))
          return [put, left, yield* ours]
        }),
      )
      expect(seen).toEqual([
        [[offer], [grant], []],
        [[], [grant], []],
        [[], [], []],
      ])
    })

    test("of two who add the same id at once, one is told that it exists", async () => {
      const codes = await make().run(
        Effect.gen(function* () {
          const { retailers } = yield* CatalogAdmin
          const add = (environment: Environment) =>
            Effect.either(retailers.add(environment, { retailerId: "test_retailer", name: "Grocer" }))
          const both = yield* Effect.all([add("sandbox"), add("sandbox"), add("production")], {
            concurrency: "unbounded",
          })
          return both.map((one) => (Either.isLeft(one) ? one.left.code : one.right.name))
        }),
      )
      expect(codes.slice(0, 2).toSorted()).toEqual(["ALREADY_EXISTS", "Grocer"])
      expect(codes[2]).toBe("Grocer")
    })
  })
}
