/** The contract of NameLookup: addresses, a definite none, or "try again". */

import { Effect } from "effect"
import ipaddr from "ipaddr.js"
import { describe, expect, test } from "vitest"
import { NameLookup } from "../../src/engine/services/outbound/name-lookup.ts"
import type { Resolution } from "../../src/engine/services/outbound/name-lookup.ts"

export interface NameLookupHarness {
  readonly run: <A, E>(effect: Effect.Effect<A, E, NameLookup>) => Promise<A>
  /** Names that behave as their keys say. */
  readonly names: {
    readonly public: string
    readonly private: string
    readonly unknown: string
    readonly unavailable: string
  }
}

export function nameLookupContract(name: string, make: () => NameLookupHarness): void {
  const resolve = (h: NameLookupHarness, host: string): Promise<Resolution> =>
    h.run(Effect.flatMap(NameLookup, (names) => names.resolve(host)))

  describe(`name lookup: ${name}`, () => {
    test.each(["public", "private"] as const)(
      "a known %s name has addresses, which are not judged here",
      async (kind) => {
        const h = make()
        const resolution = await resolve(h, h.names[kind])
        expect(resolution.type).toBe("addresses")
        const addresses = resolution.type === "addresses" ? resolution.addresses : []
        expect(addresses.length).toBeGreaterThan(0)
        expect(addresses.filter((address) => !ipaddr.isValid(address))).toEqual([])
      },
    )

    test("G19: a name that does not exist is a definite answer", async () => {
      const h = make()
      expect(await resolve(h, h.names.unknown)).toMatchObject({ type: "none" })
    })

    test("G19: a look-up that cannot be made now asks to try again", async () => {
      const h = make()
      expect(await resolve(h, h.names.unavailable)).toEqual({ type: "unavailable" })
    })
  })
}
