/**
 * Capacity: the places of the fleet as facts for a decision. Holds are counted as of the instant, so expired holds need
 * no lock.
 */

import type { Place } from "../../model/place.ts"
import { emptyPool } from "../dispatch/assignment.ts"
import { poolFor } from "../dispatch/dispatch-policy.ts"
import type { Places, Pool } from "../../model/vehicle-pool.ts"
import { Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { VehicleRows } from "../dispatch/rows.ts"
import { CourierSettings } from "./settings.ts"

/**
 * An empty pool when the store is unknown. `without` is the requesting errand: its own hold does not count, nor do the
 * `released` holds that it ends.
 */
export const capacityFor = Routine.fn(function* (
  store: Place | null,
  without: string | null,
  released: number = 0,
) {
  if (store === null) return emptyPool(0)
  const { fleetId } = yield* CourierSettings
  const { nowMs } = yield* Transaction
  return yield* poolFor(fleetId, { store, atMs: nowMs, without, released })
})

/** Prefetches for `capacityFor` of one hold, sent with the locks of its transaction. */
export const capacityAhead = Routine.fn(function* (store: Place | null, without: string) {
  if (store === null) return
  const { fleetId } = yield* CourierSettings
  const vehicles = yield* VehicleRows
  const atMs = yield* Routine.nowMs
  yield* vehicles.pool(fleetId, { store, atMs, without, released: 0 })
})

/** Only the counts, for a decision that chooses no vehicle. */
export function placesIn({ free, owed }: Pool): Places {
  return { free, owed }
}
