/**
 * Discovery: what an organization may book, as a tree of sites, zones and retailers.
 * Source: reservations contract, discovery tree.
 */

import type { Partner } from "../../model/caller.ts"
import { Catalog } from "../catalog/catalog.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export class Discovery extends service<Discovery>()("Discovery", () => ({ sites })) {}

/** Only granted ones; each level sorted by name. */
const sites = Routine.fn(function* (caller: Partner) {
  yield* requirePermission(caller, "retailers:read")
  const catalog = yield* Catalog
  return yield* catalog.discover(caller)
})
