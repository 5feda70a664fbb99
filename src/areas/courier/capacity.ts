/**
 * Capacity: the places of the fleet as facts for a decision. Holds are counted as of the instant, so expired holds need
 * no lock.
 */

import type { Place } from "../../model/place.ts"
import { emptyPool } from "../dispatch/assignment.ts"
import { earliestPlace } from "../dispatch/earliest-place.ts"
import { DEFAULT_DISPATCH_POLICY } from "../../model/vehicle-pool.ts"
import type { Places } from "../../model/vehicle-pool.ts"
import { DeliverySites } from "../direct-delivery/rows.ts"
import { Transaction, batch } from "../../engine/services/host.ts"
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
  const policy = yield* (yield* DeliverySites).dispatchOf(fleetId)
  const vehicles = yield* VehicleRows
  return yield* vehicles.pool(fleetId, { store, policy, order: null, atMs: nowMs, without, released })
})

/** Prefetches for `capacityFor` of one hold, sent with the locks of its transaction: by the policy of most sites. */
export const capacityAhead = Routine.fn(function* (store: Place | null, without: string) {
  if (store === null) return
  const { fleetId } = yield* CourierSettings
  const sites = yield* DeliverySites
  const vehicles = yield* VehicleRows
  const atMs = yield* Routine.nowMs
  const usual = { store, policy: DEFAULT_DISPATCH_POLICY, order: null, atMs, without, released: 0 }
  yield* batch([sites.dispatchOf(fleetId), vehicles.pool(fleetId, usual)])
})

/** Only the counts, for a decision that chooses no vehicle. The same arguments. */
export const placesFor = Routine.fn(function* (
  store: Place | null,
  without: string | null,
  released: number = 0,
) {
  if (store === null) return NO_PLACES
  const { fleetId } = yield* CourierSettings
  const vehicles = yield* VehicleRows
  const { nowMs } = yield* Transaction
  const asked = { store, policy: "nearest", order: null, atMs: nowMs, without, released } as const
  const { free, owed } = yield* vehicles.pool(fleetId, asked)
  return { free, owed } satisfies Places
})

/** When a place is expected to be free again; null for an unknown store, and when no vehicle is online. */
export const earliestFor = Routine.fn(function* (store: Place | null, places: Places) {
  if (store === null) return null
  const { fleetId } = yield* CourierSettings
  const { nowMs } = yield* Transaction
  return yield* earliestPlace(fleetId, { ...places, store, nowMs })
})

const NO_PLACES: Places = { free: 0, owed: 0 }
