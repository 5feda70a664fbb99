/** Vehicles and their fixes over their declared tables. */

import { atLeast, descending } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import type { TableAccessOf, Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { isRepeatOf, vehicleFixes, vehicles } from "./rows.ts"
import type { VehicleRows } from "./rows.ts"

/** `pool`: how the fleet is read as decisions see it. */
export function vehicleRowsOver(
  tables: Tables["Type"],
  pool: VehicleRows["Type"]["pool"],
): VehicleRows["Type"] {
  const rows = tables.of(vehicles)
  return {
    pool,
    ...fixesOver(tables.of(vehicleFixes)),
    insert: rows.insert,
    change: (vehicleId, change) => rows.update({ vehicleId }, change),
    byId: (vehicleId) => rows.get({ vehicleId }),
    ofFleet: (fleetId, limit, only) =>
      rows.list({ fleetId, ...only }, { order: ["vehicleId"], ...(limit === undefined ? {} : { limit }) }),
    synthetic: (environment, limit) =>
      rows.list({ environment, isSynthetic: true }, { order: ["vehicleId"], limit }),
  }
}

/** The last fix first. */
export const LATEST_FIX = [descending("recordedAtMs"), descending("sequence"), descending("id")] as const

function fixesOver(
  fixes: TableAccessOf<typeof vehicleFixes>,
): Pick<VehicleRows["Type"], "firstFixSince" | "hasFix" | "insertFix" | "lastFix" | "purgeFixes" | "trail"> {
  return {
    insertFix: fixes.insert,
    purgeFixes: purgeOf(vehicleFixes, fixes),
    hasFix: (fix) =>
      Routine.map(
        fixes.list({ vehicleId: fix.vehicleId, recordedAtMs: fix.recordedAtMs }, { order: "any" }),
        (known) => known.some((one) => isRepeatOf(fix, one)),
      ),
    lastFix: (of) =>
      fixes.first(
        "vehicleId" in of ? { vehicleId: of.vehicleId } : { deliveryId: of.deliveryId },
        LATEST_FIX,
      ),
    trail: ({ deliveryId, sinceMs, limit }) =>
      Routine.map(
        fixes.list({ deliveryId, recordedAtMs: atLeast(sinceMs) }, { order: LATEST_FIX, limit }),
        (latest) => latest.toReversed(),
      ),
    firstFixSince: (vehicleId, sinceMs) =>
      fixes.first({ vehicleId, recordedAtMs: atLeast(sinceMs) }, ["recordedAtMs", "id"]),
  }
}
