/**
 * The queue of a vehicle: when and from where it can depart for a run. Choice Q15: the times of a quote include the
 * runs before it.
 */

import { rankOf } from "../../model/delivery.ts"
import { DEPOT_DISTANCE_M, LOADING_MS, LOADS_MEASURED_MIN } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Candidate, DispatchPolicy } from "../../model/vehicle-pool.ts"
import { needsQueues } from "./assignment.ts"
import type { Way } from "./assignment.ts"
import { rootOf } from "../../engine/services/actors.ts"
import { Transaction, batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { lastPlace, startsAtDepot } from "./fleet.ts"
import { driveMs, metresBetween, northOf } from "./geography.ts"
import type { NewOrder, VehicleRow } from "./rows.ts"
import { VehicleRows } from "./rows.ts"
import { Runs } from "./runs.ts"
import type { Run } from "./runs.ts"
import { areOneTrip, takesOnTrip } from "./trips.ts"
import type { FirstOfTrip } from "./trips.ts"

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
export interface WayToStore extends Pick<Way, "setsOutAtMs" | "toStoreM"> {
  /** Of the second order of a trip: where the first one goes. The vehicle is at the store, and loads this one after that. */
  readonly firstDoor?: Place
}

export interface Asking {
  readonly vehicle: VehicleRow
  readonly store: Place
  readonly nowMs: EpochMs
  /** How long the runs before it load: for a quote as planned. */
  readonly loadingMs: number
}

/**
 * For a run that it does not have yet: after all its others, or on the trip of its active one. Cost: two reads, and one more for
 * each run of a site.
 */
export const wayAfterQueue = Routine.fn(function* (asking: Asking, sharesTrip: boolean) {
  const runs = yield* Runs
  const { fleetId, vehicleId } = asking.vehicle
  const [open, from] = yield* batch([runs.ofVehicle(fleetId, vehicleId), lastPlace(asking.vehicle)])
  // All of them come before: which of two goes first changes little, so the vehicle itself is not read.
  const earlier = yield* withStores(open.toSorted(furthestFirst), asking.store)
  const [first] = earlier
  if (sharesTrip && first !== undefined) return wayOnTrip(first, { ...asking, from })
  return wayAfter(earlier, { ...asking, from })
})

/** An open run of a vehicle, as policies of dispatch need it. */
export interface QueuedRun extends FirstOfTrip {
  readonly number: number
}

/** A vehicle with its open runs, in any order, and what it is asked for. */
export interface AskedVehicle extends Standings {
  readonly open: readonly QueuedRun[]
  readonly policy: DispatchPolicy
  readonly order: NewOrder | null
}

/**
 * What a policy compares of a vehicle beside its distance and its runs: when it can be at the store, by the same plan, and whether
 * the order can share the trip of its active run.
 */
export function comparedTimes({
  open,
  policy,
  order,
  ...at
}: AskedVehicle): Pick<Candidate, "freeAtMs" | "sharesTrip"> {
  if (!needsQueues(policy)) return {}
  const [active] = open
  if (policy === "batching" && order !== null && active !== undefined && open.length === 1) {
    const first = { ...active, store: active.store ?? at.store }
    const { setsOutAtMs: loadedAtMs } = wayOnTrip(first, at)
    if (takesOnTrip(first, { ...order, store: at.store }, loadedAtMs))
      return { freeAtMs: loadedAtMs, sharesTrip: true }
  }
  const earlier = open.toSorted(furthestFirst).map((run) => ({ ...run, store: run.store ?? at.store }))
  const way = wayAfter(earlier, at)
  return { freeAtMs: way.setsOutAtMs + driveMs(way.toStoreM) }
}

/** When each of its runs ends, by the same plan; in order. Cost: as above. */
export const endsOfRuns = Routine.fn(function* (asking: Asking) {
  const runs = yield* Runs
  const { fleetId, vehicleId } = asking.vehicle
  const [open, from] = yield* batch([runs.ofVehicle(fleetId, vehicleId), lastPlace(asking.vehicle)])
  const earlier = yield* withStores(open.toSorted(furthestFirst), asking.store)
  return standingsAfter(earlier, { ...asking, from })
    .slice(1)
    .map(({ atMs }) => atMs)
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
  const ahead = inOrder.slice(0, inOrder.indexOf(run))
  const from = startsAtDepot(vehicle) ? null : last
  const earlier = yield* withStores(ahead, at.store)
  const standing = { ...at, from, loadingMs }
  const [[first], [planned]] = [ahead, earlier]
  const isSecond = first !== undefined && ahead.length === 1 && (yield* goOnOneTrip(first, run))
  const way = isSecond && planned !== undefined ? wayOnTrip(planned, standing) : wayAfter(earlier, standing)
  return { way, loadingMs }
})

/** Whether the vehicle of both takes two of its runs on one trip, in this order: a site may want that. Cost: two reads. */
export const goOnOneTrip = Routine.fn(function* (first: Run, second: Run) {
  const { pickup } = yield* Runs
  const [one, other] = yield* batch([pickup(first), pickup(second)])
  if (!one.sharesTrips || !other.sharesTrips) return false
  return areOneTrip(
    { ...first, store: one.store, customer: first.place },
    { ...second, store: other.store, customer: second.place },
  )
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

/** For the second order of a trip: its load begins when the first order is on board. */
function wayOnTrip(first: EarlierRun, { from, store, nowMs, loadingMs }: Standings): WayToStore {
  const isOnBoard = rankOf(first.status) >= rankOf("LOADED")
  const at = { atMs: nowMs, place: from ?? northOf(first.store, DEPOT_DISTANCE_M) }
  const setsOutAtMs = isOnBoard ? nowMs : onBoardAtMs(at, first, loadingMs)
  return { setsOutAtMs, toStoreM: metresBetween(first.store, store), firstDoor: first.customer }
}

function wayAfter(earlier: readonly EarlierRun[], at: Standings): WayToStore {
  const free = standingsAfter(earlier, at).at(-1)
  return {
    setsOutAtMs: free?.atMs ?? at.nowMs,
    toStoreM: metresBetween(free?.place ?? at.store, at.store),
  }
}

/** Now, and after each of the runs. */
function standingsAfter(
  earlier: readonly EarlierRun[],
  { from, store, nowMs, loadingMs }: Standings,
): readonly Standing[] {
  const place = from ?? northOf(earlier[0]?.store ?? store, DEPOT_DISTANCE_M)
  let at: Standing = { atMs: nowMs, place }
  return [at, ...earlier.map((run) => (at = afterRun(at, run, loadingMs)))]
}

/** The runs with the places where they are collected: the asking store where a site is gone. */
const withStores = Routine.fn(function* (runs: readonly Run[], store: Place) {
  const { pickup } = yield* Runs
  return yield* Routine.forEach(
    runs,
    Routine.fn(function* (run: Run) {
      const { place: customer, readyByMs, status } = run
      const collected = yield* pickup(run)
      return { store: collected.store ?? store, customer, readyByMs, status } satisfies EarlierRun
    }),
  )
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
function furthestFirst(one: Pick<Run, "number" | "status">, other: Pick<Run, "number" | "status">): number {
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
  const atMs = onBoardAtMs(from, { store, readyByMs }, loadingMs)
  return { atMs: atMs + driveMs(metresBetween(store, customer)), place: customer }
}

function onBoardAtMs(
  from: Standing,
  { store, readyByMs }: Pick<EarlierRun, "readyByMs" | "store">,
  loadingMs: number,
): EpochMs {
  return Math.max(readyByMs, from.atMs + driveMs(metresBetween(from.place, store))) + loadingMs
}
