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
import { Runs } from "./runs.ts"

interface FullFleet extends Places {
  readonly store: Place
  readonly nowMs: EpochMs
}

/**
 * The first full minute after now at which more places are free than are needed elsewhere: each run of an online vehicle that ends makes
 * one free. Where that is not enough, it is after the holds, which end by themselves. Null without an online vehicle, and while runs
 * of vehicles that are not online take the places: operations have to reassign them. Cost: two reads for each of at most
 * `EARLIEST_PLACE_VEHICLES_MAX` vehicles; of a larger fleet the others are left out, so it may be free earlier.
 */
export const earliestPlace = Routine.fn(function* (fleetId: string, fleet: FullFleet) {
  const { free, owed, store, nowMs } = fleet
  const vehicles = yield* VehicleRows
  const online = yield* vehicles.ofFleet(fleetId, EARLIEST_PLACE_VEHICLES_MAX, { isOnline: true })
  if (online.length === 0) return null
  const ends = yield* batch(
    online.map((vehicle) => endsOfRuns({ vehicle, store, nowMs, loadingMs: LOADING_MS })),
  )
  const sorted = ends.flat().toSorted((one, other) => one - other)
  const endMs = sorted[Math.max(0, owed - free)] ?? (yield* afterHolds(fleetId, { free, sorted, nowMs }))
  return endMs === null ? null : upToMinute(Math.max(endMs, nowMs + 1))
})

/** When no hold takes a place any more; only runs of vehicles that are not online do. */
const afterHolds = Routine.fn(function* (
  fleetId: string,
  {
    free,
    sorted,
    nowMs,
  }: { readonly free: number; readonly sorted: readonly EpochMs[]; readonly nowMs: EpochMs },
) {
  const vehicles = yield* VehicleRows
  const runs = yield* Runs
  const offline = yield* vehicles.ofFleet(fleetId, EARLIEST_PLACE_VEHICLES_MAX, { isOnline: false })
  const open = yield* batch(offline.map(({ vehicleId }) => runs.ofVehicle(fleetId, vehicleId)))
  const owed = open.reduce((sum, { length }) => sum + length, 0)
  const heldUntilMs = nowMs + COURIER_HOLD_MS
  if (owed < free) return heldUntilMs
  const endMs = sorted[owed - free]
  return endMs === undefined ? null : Math.max(heldUntilMs, endMs)
})
