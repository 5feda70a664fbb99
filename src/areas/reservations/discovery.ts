/**
 * Discovery: what an organization may book, as a tree of sites, zones and retailers.
 * Source: reservations contract, discovery tree.
 */

import { Context, Effect, Layer } from "effect"
import type { Partner } from "../../model/caller.ts"
import type { Refused } from "../../model/values/errors.ts"
import { Catalog } from "../catalog/catalog.ts"
import type { DiscoveredSite } from "../catalog/catalog.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { Routine } from "../../engine/services/routine.ts"

export class Discovery extends Context.Tag("Discovery")<
  Discovery,
  {
    /** Only granted ones; each level sorted by name. */
    readonly sites: (caller: Partner) => Routine<readonly DiscoveredSite[], Refused>
  }
>() {}

export const layerDiscovery: Layer.Layer<Discovery, never, Catalog> = Layer.effect(
  Discovery,
  Effect.gen(function* () {
    const catalog = yield* Catalog
    return {
      sites: (caller) =>
        Routine.zipRight(requirePermission(caller, "retailers:read"), catalog.discover(caller)),
    }
  }),
)
