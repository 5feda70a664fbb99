/** When a full fleet is expected to have a free place again. The pace is that of assignment (src/DECISIONS.md §31). */

import { COURIER_HOLD_MS, EARLIEST_PLACE_VEHICLES_MAX, LOADING_MS } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Places } from "../../model/vehicle-pool.ts"
import { batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { upToMinute } from "./geography.ts"
import { endsOfRuns } from "./queue.ts"
import { VehicleRows } from "./rows.ts"

interface FullFleet extends Places {
  readonly store: Place
  readonly nowMs: EpochMs
}

/**
 * The first full minute after now at which more places are free than are needed elsewhere: each run that ends makes one
 * free. Where only holds take the places, the time after which a new hold ends. Null without an online vehicle. Cost: two reads for
 * each of at most `EARLIEST_PLACE_VEHICLES_MAX` vehicles; of a larger fleet the others are left out, so it may be free earlier.
 */
export const earliestPlace = Routine.fn(function* (fleetId: string, fleet: FullFleet) {
  const { free, owed, store, nowMs } = fleet
  const vehicles = yield* VehicleRows
  const known = yield* vehicles.ofFleet(fleetId, EARLIEST_PLACE_VEHICLES_MAX)
  const online = known.filter(({ isOnline }) => isOnline)
  if (online.length === 0) return null
  const ends = yield* batch(
    online.map((vehicle) => endsOfRuns({ vehicle, store, nowMs, loadingMs: LOADING_MS })),
  )
  const sorted = ends.flat().toSorted((one, other) => one - other)
  const endMs = sorted[Math.max(0, owed - free)] ?? nowMs + COURIER_HOLD_MS
  return upToMinute(Math.max(endMs, nowMs + 1))
})
