/** Capacity: the fleet as facts for a decision. Counted at the instant, so that a hold that ran out needs no lock. */

import { Clock, Effect } from "effect"
import type { Place } from "../../model/place.ts"
import { emptyPool } from "../direct-delivery/assignment.ts"
import type { Places, Pool } from "../../model/vehicle-pool.ts"
import { Transaction } from "../host.ts"
import { VehicleRows } from "../direct-delivery/rows.ts"
import { CourierSettings } from "./settings.ts"

/**
 * None where the store is unknown. `without` is the errand that asks: its own hold takes nothing from it, nor do the `released` ones that it lets go.
 */
export const capacityFor = Effect.fnUntraced(function* (
  store: Place | null,
  without: string | null,
  released = 0,
) {
  if (store === null) return emptyPool(0)
  const { fleetId } = yield* CourierSettings
  const vehicles = yield* VehicleRows
  const { nowMs } = yield* Transaction
  return yield* vehicles.pool(fleetId, { store, atMs: nowMs, without, released })
})

/** Reads for `capacityFor` of one hold, sent with the locks of its transaction. */
export const capacityAhead = Effect.fnUntraced(function* (store: Place | null, without: string) {
  if (store === null) return
  const { fleetId } = yield* CourierSettings
  const vehicles = yield* VehicleRows
  const atMs = yield* Clock.currentTimeMillis
  yield* vehicles.pool(fleetId, { store, atMs, without, released: 0 })
})

/** The counts alone, for a decision that chooses no vehicle. */
export function placesIn({ free, owed }: Pool): Places {
  return { free, owed }
}
