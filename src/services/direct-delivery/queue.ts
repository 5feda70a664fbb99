/**
 * The queue of a vehicle: when it can set out for another run, and from where. Choice Q15: the times of a quote include
 * the runs before it.
 */

import { Effect } from "effect"
import { rankOf } from "../../model/delivery.ts"
import { DEPOT_DISTANCE_M, LOADING_MS } from "../../model/limits.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Way } from "./assignment.ts"
import { lastPlace } from "./fleet.ts"
import { driveMs, metresBetween, northOf } from "./geography.ts"
import { DeliveryRows, DeliverySites } from "./rows.ts"
import type { DeliveryRow, VehicleRow } from "./rows.ts"

/** A run that the vehicle does first. */
export interface EarlierRun extends Pick<DeliveryRow, "readyByMs" | "status"> {
  readonly store: Place
  readonly customer: Place
}

/** Where a vehicle stands, and when. */
export interface Standing {
  readonly atMs: EpochMs
  readonly place: Place
}

interface Asking {
  readonly vehicle: VehicleRow
  readonly store: Place
  readonly nowMs: EpochMs
  /** A run that is not counted: the one that is asked about. */
  readonly without: string | null
}

/** When the vehicle sets out for the store, and its way there. Cost: one read, and one more for each run of another store. */
export const wayAfterQueue = Effect.fnUntraced(function* ({ vehicle, store, nowMs, without }: Asking) {
  const rows = yield* DeliveryRows
  const sites = yield* DeliverySites
  const open = yield* rows.runsOf(vehicle.fleetId, vehicle.vehicleId)
  const runs = yield* Effect.forEach(
    open.filter(({ deliveryId }) => deliveryId !== without).toSorted(furthestFirst),
    Effect.fnUntraced(function* ({ siteId, storePlace, place: customer, readyByMs, status }: DeliveryRow) {
      const from = storePlace ?? (yield* sites.byId(siteId))?.place ?? store
      return { store: from, customer, readyByMs, status } satisfies EarlierRun
    }),
  )
  const place = (yield* lastPlace(vehicle)) ?? northOf(runs[0]?.store ?? store, DEPOT_DISTANCE_M)
  const free = runs.reduce(afterRun, { atMs: nowMs, place })
  return {
    setsOutAtMs: free.atMs,
    toStoreM: metresBetween(free.place, store),
  } satisfies Partial<Way>
})

/** The active run is the one that is further along; behind it, first come first served. */
function furthestFirst(one: DeliveryRow, other: DeliveryRow): number {
  return rankOf(other.status) - rankOf(one.status) || one.number - other.number
}

/** When and where the vehicle is free after a run. */
export function afterRun(from: Standing, { status, store, customer, readyByMs }: EarlierRun): Standing {
  const rank = rankOf(status)
  if (rank >= rankOf("ARRIVED_AT_CUSTOMER")) return { atMs: from.atMs, place: customer }
  if (rank >= rankOf("LOADED")) {
    return { atMs: from.atMs + driveMs(metresBetween(from.place, customer)), place: customer }
  }
  const pickupMs = Math.max(readyByMs, from.atMs + driveMs(metresBetween(from.place, store)))
  return { atMs: pickupMs + LOADING_MS + driveMs(metresBetween(store, customer)), place: customer }
}
