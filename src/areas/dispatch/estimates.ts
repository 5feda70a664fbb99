/**
 * Estimates of pickup and arrival, from the latest data of the run's vehicle and status. The quoted times in the row do
 * not change (choice P6). Source: direct delivery contract, delivery; the pace is that of assignment.
 */

import { isFinal, rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { FIX_AGE_MS_MAX, LOADING_MS } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { driveMs, metresBetween, upToMinute } from "./geography.ts"
import { loadingMsOf, wayToFirst, wayToRun } from "./queue.ts"
import type { WayToStore } from "./queue.ts"
import type { FixRow, VehicleRow } from "./rows.ts"
import { VehicleRows } from "./rows.ts"
import { Runs } from "./runs.ts"
import type { Run } from "./runs.ts"
import { byFirstDoorMs } from "./trips.ts"

/** The latest data of the run's vehicle. */
export interface VehicleNews {
  /** Its last position on this run; null before its first fix. */
  readonly fix: FixRow | null
  /** Its way to the store, after the runs before this one; null once it is there. */
  readonly way: WayToStore | null
  /** How long it is expected to load: as the store's last loads, or as planned. */
  readonly loadingMs: number
  /** Of the second order of a trip, while it is on board and the first one is, too. */
  readonly firstStop: FirstStop | null
}

/** The stop of a vehicle before that of a run. */
export interface FirstStop {
  readonly door: Place
  /** The vehicle's last position: it belongs to the run of that door, whose way no other customer is shown. */
  readonly fix: (Place & { readonly recordedAtMs: EpochMs }) | null
}

/** Without a vehicle. */
export const NO_NEWS: VehicleNews = { fix: null, way: null, loadingMs: LOADING_MS, firstStop: null }

export interface EstimateFacts {
  readonly status: DeliveryStatus
  /** The quoted or booked time. */
  readonly pickupEtaMs: EpochMs
  readonly deliveryEtaMs: EpochMs
  readonly readyByMs: EpochMs
  readonly completedAtMs: EpochMs | null
  readonly storePlace: Place
  readonly dropoffPlace: Place
  readonly fix: (Place & { readonly recordedAtMs: EpochMs }) | null
  readonly way: WayToStore | null
  readonly loadingMs: number
  readonly firstStop: FirstStop | null
  readonly nowMs: EpochMs
}

/**
 * Reads the data of estimates. Cost: one read for a run on board, otherwise at most six and one for each run of a site
 * before it.
 */
export const newsOf = Routine.fn(function* (
  run: Run,
  { store, nowMs }: { readonly store: Place; readonly nowMs: EpochMs },
) {
  if (isFinal(run.status)) return NO_NEWS
  const vehicles = yield* VehicleRows
  const [fix, ahead] = yield* batch([
    vehicles.lastFix({ deliveryId: run.deliveryId }),
    aheadOf(run, { store, nowMs }),
  ])
  const isOnBoard = rankOf(run.status) >= rankOf("LOADED")
  const firstStop = fix === null && isOnBoard ? yield* stopBefore(run) : null
  return { fix, firstStop, ...ahead } satisfies VehicleNews
})

/** A run that is on board and has no fix of its own may be the second of a trip. Cost: two reads. */
const stopBefore = Routine.fn(function* ({ deliveryId, fleetId, vehicleId }: Run) {
  const runs = yield* Runs
  const vehicles = yield* VehicleRows
  const [open, fix] = yield* batch([runs.ofVehicle(fleetId, vehicleId), vehicles.lastFix({ vehicleId })])
  const first = open.find((one) => one.deliveryId !== deliveryId && rankOf(one.status) >= rankOf("LOADED"))
  return first === undefined ? null : ({ door: first.place, fix } satisfies FirstStop)
})

/** What lies before the run is on board. */
const aheadOf = Routine.fn(function* (run: Run, at: { readonly store: Place; readonly nowMs: EpochMs }) {
  if (rankOf(run.status) < rankOf("ARRIVED_AT_STORE")) return yield* wayToRun(run, at)
  if (rankOf(run.status) >= rankOf("LOADED")) return { way: null, loadingMs: LOADING_MS }
  return { way: null, loadingMs: loadingMsOf(yield* (yield* Runs).loads(run)) }
})

/** The same for the run that a vehicle does now, from its row and its last fix: reads nothing. */
export function newsOfFirst(
  run: Run,
  known: {
    readonly vehicle: VehicleRow
    readonly last: FixRow | null
    readonly store: Place
    /** How long the last loads of the store took, newest first. */
    readonly loads: readonly number[]
    readonly nowMs: EpochMs
  },
): VehicleNews {
  const { vehicle, last, loads } = known
  const isAtStore = rankOf(run.status) >= rankOf("ARRIVED_AT_STORE")
  return {
    fix: last?.deliveryId === run.deliveryId ? last : null,
    way: isAtStore ? null : wayToFirst(vehicle, known),
    loadingMs: loadingMsOf(loads),
    firstStop: null,
  }
}

/** Full minutes; a run that ended keeps its known times. */
export function estimatesFor(facts: EstimateFacts): {
  readonly pickupAtMs: EpochMs
  readonly deliveryAtMs: EpochMs
} {
  const { status, pickupEtaMs, deliveryEtaMs, completedAtMs } = facts
  if (status === "CANCELLED" || status === "COMPLETED") {
    return { pickupAtMs: pickupEtaMs, deliveryAtMs: completedAtMs ?? deliveryEtaMs }
  }
  if (rankOf(status) >= rankOf("LOADED")) {
    return { pickupAtMs: pickupEtaMs, deliveryAtMs: upToMinute(arrivalOf(facts)) }
  }
  const pickupAtMs = upToMinute(pickupOf(facts))
  const { storePlace, dropoffPlace } = facts
  const onTheWayMs = onTheWay(storePlace, facts.way?.firstDoor, dropoffPlace)
  return { pickupAtMs, deliveryAtMs: upToMinute(pickupAtMs + facts.loadingMs + onTheWayMs) }
}

/** Between which instants an arrival is expected. */
export interface ArrivalRange {
  readonly fromMs: EpochMs
  readonly toMs: EpochMs
}

/** The range of an arrival that is estimated now: wider for one that is further away, in whole minutes. */
export function arrivalRange(deliveryAtMs: EpochMs, nowMs: EpochMs): ArrivalRange {
  const aheadMs = Math.max(0, deliveryAtMs - nowMs)
  const fromMs = Math.max(nowMs, deliveryAtMs - aheadMs * EARLY_SHARE)
  const toMs = deliveryAtMs + Math.max(LATE_MS_MIN, aheadMs * LATE_SHARE)
  return { fromMs: Math.floor(fromMs / MINUTE_MS) * MINUTE_MS, toMs: upToMinute(toMs) }
}

/** Shares of the time to go, from the measured errors (src/DECISIONS.md §31). */
const EARLY_SHARE = 0.35
const LATE_SHARE = 0.2
const LATE_MS_MIN = 2 * MINUTE_MS

/** Not before the order is ready, nor before the vehicle can be there. */
function pickupOf({ status, pickupEtaMs, readyByMs, way, nowMs }: EstimateFacts): EpochMs {
  if (rankOf(status) >= rankOf("ARRIVED_AT_STORE")) return Math.max(readyByMs, nowMs)
  if (way === null) return Math.max(pickupEtaMs, nowMs)
  return Math.max(readyByMs, way.setsOutAtMs + driveMs(way.toStoreM))
}

function arrivalOf({ status, storePlace, dropoffPlace, firstStop, nowMs, ...seen }: EstimateFacts): EpochMs {
  if (status === "ARRIVED_AT_CUSTOMER") return nowMs
  const fix = seen.fix ?? firstStop?.fix ?? null
  // It has driven on since its last fix; how far is guessed for a few minutes only.
  const sinceMs = fix === null ? nowMs : Math.max(fix.recordedAtMs, nowMs - FIX_AGE_MS_MAX)
  return Math.max(nowMs, sinceMs + onTheWay(fix ?? storePlace, firstStop?.door, dropoffPlace))
}

/** The drive to the customer, by the first door of a trip if there is one. */
function onTheWay(from: Place, firstDoor: Place | undefined, customer: Place): number {
  if (firstDoor === undefined) return driveMs(metresBetween(from, customer))
  return byFirstDoorMs(from, firstDoor) + driveMs(metresBetween(firstDoor, customer))
}
