/**
 * The queue of a vehicle: when and from where it can depart for a run. Choice Q15: the times of a quote include the
 * runs before it.
 */

import { rankOf } from "../../model/delivery.ts"
import { DEPOT_DISTANCE_M, LOADING_MS, LOADS_MEASURED_MIN } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Way } from "./assignment.ts"
import { rootOf } from "../../engine/services/actors.ts"
import { Transaction, batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { lastPlace, startsAtDepot } from "./fleet.ts"
import { driveMs, metresBetween, northOf } from "./geography.ts"
import type { VehicleRow } from "./rows.ts"
import { VehicleRows } from "./rows.ts"
import { Runs } from "./runs.ts"
import type { Run } from "./runs.ts"

/** A run that the vehicle does first. */
export interface EarlierRun extends Pick<Run, "readyByMs" | "status"> {
  readonly store: Place
  readonly customer: Place
}

/** A position of a vehicle, and the time. */
export interface Standing {
  readonly atMs: EpochMs
  readonly place: Place
}

/** When a vehicle departs for a store, and its distance then. */
export type WayToStore = Pick<Way, "setsOutAtMs" | "toStoreM">

export interface Asking {
  readonly vehicle: VehicleRow
  readonly store: Place
  readonly nowMs: EpochMs
  /** How long the runs before it load: for a quote as planned. */
  readonly loadingMs: number
}

/** For a run that it does not have yet: after all its others. Cost: two reads, and one more for each run of a site. */
export const wayAfterQueue = Routine.fn(function* (asking: Asking) {
  const runs = yield* Runs
  const { fleetId, vehicleId } = asking.vehicle
  const [open, from] = yield* batch([runs.ofVehicle(fleetId, vehicleId), lastPlace(asking.vehicle)])
  // All of them come before: which of two goes first changes little, so the vehicle itself is not read.
  return yield* wayAfter(open.toSorted(furthestFirst), { ...asking, from })
})

/** When each of its runs ends, by the same plan; in order. Cost: as above. */
export const endsOfRuns = Routine.fn(function* (asking: Asking) {
  const runs = yield* Runs
  const { fleetId, vehicleId } = asking.vehicle
  const [open, from] = yield* batch([runs.ofVehicle(fleetId, vehicleId), lastPlace(asking.vehicle)])
  const standings = yield* standingsAfter(open.toSorted(furthestFirst), { ...asking, from })
  return standings.slice(1).map(({ atMs }) => atMs)
})

/**
 * For a run that it has and has not collected: after those before it, which load as long as its own store's last loads took. Null
 * when its vehicle is gone. Cost: as above, and two reads.
 */
export const wayToRun = Routine.fn(function* (run: Run, at: Omit<Asking, "loadingMs" | "vehicle">) {
  const runs = yield* Runs
  const vehicles = yield* VehicleRows
  const [vehicle, open, last, loads] = yield* batch([
    vehicles.byId(run.vehicleId),
    runs.ofVehicle(run.fleetId, run.vehicleId),
    vehicles.lastFix({ vehicleId: run.vehicleId }),
    runs.loads(run),
  ])
  const loadingMs = loadingMsOf(loads)
  if (vehicle === null) return { way: null, loadingMs }
  const others = open.filter(({ deliveryId }) => deliveryId !== run.deliveryId)
  const inOrder = yield* inOwnOrder(run.vehicleId, [...others, run])
  const earlier = inOrder.slice(0, inOrder.indexOf(run))
  const from = startsAtDepot(vehicle) ? null : last
  const way = yield* wayAfter(earlier, { ...at, from, loadingMs })
  return { way, loadingMs }
})

/** For the run that it does now, of which its last fix is known. */
export function wayToFirst(
  vehicle: VehicleRow,
  { last, store, nowMs }: { readonly last: Place | null; readonly store: Place; readonly nowMs: EpochMs },
): WayToStore {
  const from = startsAtDepot(vehicle) ? null : last
  return { setsOutAtMs: nowMs, toStoreM: metresBetween(from ?? northOf(store, DEPOT_DISTANCE_M), store) }
}

/** The median of a store's last loads, and the plan while there are few. */
export function loadingMsOf(loads: readonly number[]): number {
  if (loads.length < LOADS_MEASURED_MIN) return LOADING_MS
  const sorted = loads.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? LOADING_MS
}

interface Standings extends Omit<Asking, "vehicle"> {
  /** The vehicle's position now; null for the depot. */
  readonly from: Place | null
}

const wayAfter = Routine.fn(function* (earlier: readonly Run[], at: Standings) {
  const free = (yield* standingsAfter(earlier, at)).at(-1)
  const way: WayToStore = {
    setsOutAtMs: free?.atMs ?? at.nowMs,
    toStoreM: metresBetween(free?.place ?? at.store, at.store),
  }
  return way
})

/** Now, and after each of the runs. */
const standingsAfter = Routine.fn(function* (
  earlier: readonly Run[],
  { from, store, nowMs, loadingMs }: Standings,
) {
  const { pickup } = yield* Runs
  const before = yield* Routine.forEach(
    earlier,
    Routine.fn(function* (run: Run) {
      const { place: customer, readyByMs, status } = run
      const collected = yield* pickup(run)
      return { store: collected.store ?? store, customer, readyByMs, status } satisfies EarlierRun
    }),
  )
  const place = from ?? northOf(before[0]?.store ?? store, DEPOT_DISTANCE_M)
  let at: Standing = { atMs: nowMs, place }
  return [at, ...before.map((run) => (at = afterRun(at, run, loadingMs)))]
})

/**
 * The open runs of a vehicle: the one that it does now, then those behind it. The active run is the one with the later status. Runs
 * of one status are in the vehicle's own order, because a delivery that was reassigned stands behind newer ones. Cost: one read of
 * the vehicle's group where several have one status.
 */
export function inOwnOrder<R extends Run>(
  vehicleId: string,
  runs: readonly R[],
): Routine<readonly R[], never, Transaction> {
  return Routine.gen(function* () {
    const inOrder = runs.toSorted(furthestFirst)
    if (new Set(runs.map(({ status }) => status)).size === runs.length) return inOrder
    const { group } = yield* Transaction
    const vehicle = yield* group(`vehicle/${vehicleId}`)
    if (vehicle === null) return inOrder
    const { activeId, queuedIds } = rootOf("vehicle", vehicle).context
    const order = [activeId, ...queuedIds]
    const placeOf = ({ deliveryId }: Run): number => {
      const place = order.indexOf(deliveryId)
      return place === -1 ? order.length : place
    }
    return inOrder.toSorted(
      (one, other) => rankOf(other.status) - rankOf(one.status) || placeOf(one) - placeOf(other),
    )
  })
}

/** Runs of one status in order of creation. */
function furthestFirst(one: Run, other: Run): number {
  return rankOf(other.status) - rankOf(one.status) || one.number - other.number
}

/** When and where the vehicle is free after a run. */
export function afterRun(
  from: Standing,
  { status, store, customer, readyByMs }: EarlierRun,
  loadingMs: number,
): Standing {
  const rank = rankOf(status)
  if (rank >= rankOf("ARRIVED_AT_CUSTOMER")) return { atMs: from.atMs, place: customer }
  if (rank >= rankOf("LOADED")) {
    return { atMs: from.atMs + driveMs(metresBetween(from.place, customer)), place: customer }
  }
  const pickupMs = Math.max(readyByMs, from.atMs + driveMs(metresBetween(from.place, store)))
  return { atMs: pickupMs + loadingMs + driveMs(metresBetween(store, customer)), place: customer }
}
