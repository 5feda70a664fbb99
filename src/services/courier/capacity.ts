/** Capacity: the fleet as facts for a decision. Counted at the instant, so that a hold that ran out needs no lock. */

import { Effect } from "effect"
import type { Place } from "../../model/place.ts"
import { emptyPool } from "../direct-delivery/assignment.ts"
import type { Pool } from "../direct-delivery/assignment.ts"
import { Transaction } from "../host.ts"
import { DeliveryRows, VehicleRows } from "../direct-delivery/rows.ts"
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
  const rows = yield* DeliveryRows
  const vehicles = yield* VehicleRows
  const { nowMs } = yield* Transaction
  // Holds before runs: an errand that is booked in between counts twice rather than not at all.
  const holds = yield* rows.holds(fleetId, { atMs: nowMs, without })
  return yield* vehicles.pool(fleetId, { store, holds: holds - released })
})

/** The counts alone, for a decision that chooses no vehicle. */
export function placesIn({ free, owed }: Pool): Pick<Pool, "free" | "owed"> {
  return { free, owed }
}
