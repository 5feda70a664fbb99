/** The contract of Policies over PolicyRows: the contract's defaults, under what operations changed. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ENVIRONMENTS } from "../../src/model/caller.ts"
import type { Environment } from "../../src/model/caller.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Policies, PolicyRows } from "../../src/engine/services/policies.ts"
import type { EnvironmentPolicy, PolicyChanges } from "../../src/engine/services/policies.ts"
import type { RowsHarness } from "./reservation-rows.ts"

/** Milliseconds, written out as the contract's table has them. */
const DEFAULTS = {
  window: { aheadMsMax: 86_400_000, widthMsMin: 300_000, widthMsMax: 7_200_000 },
  reservation: {
    windowGraceMs: 900_000,
    botWaitMs: 600_000,
    stagingLeadMs: 300_000,
    openLinkAttemptsMax: 3,
    openLinkBackoffMs: [5_000, 15_000],
  },
  announcesHandoffs: true,
  photoLinkLifetimeMs: 86_400_000,
  keepLoadPhotosMs: 7_776_000_000,
}

const CHANGES = {
  aheadMsMax: 1_000,
  widthMsMin: 2_000,
  widthMsMax: 3_000,
  windowGraceMs: 4_000,
  botWaitMs: 5_000,
  stagingLeadMs: 6_000,
  photoLinkLifetimeMs: 7_000,
  keepLoadPhotosMs: 8_000,
  announcesHandoffs: false,
} satisfies PolicyChanges

export function policiesContract(name: string, make: () => RowsHarness<Policies | PolicyRows>): void {
  type Harness = RowsHarness<Policies | PolicyRows>
  const of = (h: Harness, environment: Environment): Promise<EnvironmentPolicy> =>
    h.run(Effect.flatMap(Policies, (policies) => policies.of(environment)))
  const put = (h: Harness, environment: Environment, changes: PolicyChanges): Promise<void> =>
    h.run(
      Effect.gen(function* () {
        const host = yield* ActorHost
        const rows = yield* PolicyRows
        yield* host.run({ name: "a test", locks: {}, body: () => rows.put(environment, changes) })
      }),
    )

  describe(`policies: ${name}`, () => {
    test.each(ENVIRONMENTS)("untuned, %s has the contract's defaults", async (environment) => {
      expect(await of(make(), environment)).toMatchObject(DEFAULTS)
    })

    test("O4: the lease of an open link outlives the attempt's own 5 seconds", async () => {
      const { reservation } = await of(make(), "production")
      expect(reservation.openLinkLeaseMs).toBeGreaterThan(5_000)
    })

    test("every change takes the place of its default, in its own environment alone", async () => {
      const h = make()
      await put(h, "sandbox", CHANGES)
      expect(await of(h, "sandbox")).toEqual({
        window: { aheadMsMax: 1_000, widthMsMin: 2_000, widthMsMax: 3_000 },
        reservation: {
          ...(await of(h, "production")).reservation,
          windowGraceMs: 4_000,
          botWaitMs: 5_000,
          stagingLeadMs: 6_000,
        },
        announcesHandoffs: false,
        photoLinkLifetimeMs: 7_000,
        keepLoadPhotosMs: 8_000,
      })
      expect(await of(h, "production")).toMatchObject(DEFAULTS)
    })

    test("what is not changed keeps its default, and later changes replace the earlier", async () => {
      const h = make()
      await put(h, "production", CHANGES)
      await put(h, "production", { widthMsMin: 60_000 })
      expect(await of(h, "production")).toMatchObject({
        ...DEFAULTS,
        window: { ...DEFAULTS.window, widthMsMin: 60_000 },
      })
      const kept = await h.run(Effect.flatMap(PolicyRows, (rows) => rows.changes("production")))
      expect(kept).toEqual({ widthMsMin: 60_000 })
    })
  })
}
