/** The contract of Policies: each environment's tunable limits, with the contract's defaults. */

import { Effect } from "effect"
import type { Layer } from "effect"
import { describe, expect, test } from "vitest"
import { ENVIRONMENTS } from "../../src/model/caller.ts"
import { Policies } from "../../src/services/policies.ts"

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
}

export function policiesContract(name: string, make: () => Layer.Layer<Policies>): void {
  describe(`policies: ${name}`, () => {
    test.each(ENVIRONMENTS)("untuned, %s has the contract's defaults", (environment) => {
      const policy = Effect.runSync(
        Effect.provide(
          Effect.flatMap(Policies, (policies) => policies.of(environment)),
          make(),
        ),
      )
      expect(policy).toMatchObject(DEFAULTS)
    })

    test("O4: the lease of an open link outlives the attempt's own 5 seconds", () => {
      const { reservation } = Effect.runSync(
        Effect.provide(
          Effect.flatMap(Policies, (policies) => policies.of("production")),
          make(),
        ),
      )
      expect(reservation.openLinkLeaseMs).toBeGreaterThan(5_000)
    })
  })
}
