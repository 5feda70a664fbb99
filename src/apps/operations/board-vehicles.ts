/** Vehicles of a fleet on the board, with the runs that they do now and the live estimates of these. */

import type { VehicleState } from "../../model/requests/board.ts"
import type { CompartmentState } from "../../model/compartment.ts"
import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { DeliveryRow } from "../../areas/direct-delivery/rows.ts"
import { arrivalRange, estimatesFor, newsOfFirst } from "../../areas/dispatch/estimates.ts"
import type { ArrivalRange } from "../../areas/dispatch/estimates.ts"
import { inOwnOrder } from "../../areas/dispatch/queue.ts"
import type { FixRow, VehicleRow } from "../../areas/dispatch/rows.ts"
import { clockOf } from "./board-clock.ts"
import type { BoardClock, MovedClocks } from "./board-clock.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Routine } from "../../engine/services/routine.ts"

export interface BoardRun {
  readonly deliveryId: string
  readonly externalDeliveryId: string
  readonly status: DeliveryStatus
  readonly siteId: string
  /** By the live estimate; null once the order is on board. */
  readonly pickupAtMs: EpochMs | null
  readonly deliveryAtMs: EpochMs
  /** Between which instants the arrival at the customer is expected. */
  readonly arrives: ArrivalRange
  readonly updatedAtMs: EpochMs
  readonly clock: BoardClock
  /** At the customer's door, of a fleet that can be asked to open; otherwise null. */
  readonly compartment: CompartmentState | null
}

export interface BoardVehicle {
  readonly vehicleId: string
  readonly label: string
  readonly state: VehicleState
  readonly run: BoardRun | null
  /** Runs behind it. */
  readonly queued: number
  readonly lastFix:
    | (Place & {
        readonly atMs: EpochMs
        /** Null when that fix does not report it. */
        readonly batteryPercent: number | null
      })
    | null
}

/** The open runs of a vehicle, inside of a view: the one that it does now, then those behind it. */
export function runsOf(
  { vehicleId }: VehicleRow,
  runs: readonly DeliveryRow[],
): Routine<readonly DeliveryRow[], never, Transaction> {
  return inOwnOrder(
    vehicleId,
    runs.filter((run) => run.vehicleId === vehicleId),
  )
}

interface Known {
  readonly runs: readonly DeliveryRow[]
  readonly last: FixRow | null
  /** By delivery. */
  readonly stores: ReadonlyMap<string, Place>
  /** How long the last loads took, by delivery. */
  readonly loads: ReadonlyMap<string, readonly number[]>
  /** By delivery. */
  readonly compartments: ReadonlyMap<string, CompartmentState>
  readonly clocks: MovedClocks
  /** Vehicles and their fixes have real time. */
  readonly realMs: EpochMs
}

export function boardVehicle(vehicle: VehicleRow, known: Known): BoardVehicle {
  const { vehicleId, label, isOnline } = vehicle
  const { last } = known
  const [run, ...queued] = known.runs
  return {
    vehicleId,
    label,
    state: vehicleState(isOnline, run?.status ?? null),
    run: run === undefined ? null : boardRun(run, { ...known, vehicle }),
    queued: queued.length,
    lastFix: last === null ? null : lastFixOf(last),
  }
}

function lastFixOf({ recordedAtMs: atMs, latitude, longitude, batteryPercent }: FixRow) {
  return { atMs, latitude, longitude, batteryPercent }
}

export function vehicleState(isOnline: boolean, status: DeliveryStatus | null): VehicleState {
  if (!isOnline) return "offline"
  if (status === null) return "free"
  return status === "WAITING_FOR_LOAD" || status === "ARRIVED_AT_STORE" ? "waits_for_load" : "driving"
}

function boardRun(
  run: DeliveryRow,
  {
    vehicle,
    last,
    stores,
    loads: taken,
    compartments,
    clocks,
    realMs,
  }: Known & { readonly vehicle: VehicleRow },
): BoardRun {
  const { deliveryId, externalDeliveryId, status, siteId, updatedAtMs, place: dropoffPlace } = run
  const clock = clockOf(run.organizationId, clocks, realMs)
  const { nowMs } = clock
  const store = stores.get(deliveryId) ?? dropoffPlace
  const loads = taken.get(deliveryId) ?? []
  const news = newsOfFirst(run, { vehicle, last, store, loads, nowMs })
  const facts = { ...run, ...news, storePlace: store, dropoffPlace, nowMs, completedAtMs: null }
  const { pickupAtMs, deliveryAtMs } = estimatesFor(facts)
  return {
    deliveryId,
    externalDeliveryId,
    status,
    siteId,
    pickupAtMs: rankOf(status) < rankOf("LOADED") ? pickupAtMs : null,
    deliveryAtMs,
    arrives: arrivalRange(deliveryAtMs, nowMs),
    updatedAtMs,
    clock,
    compartment: compartments.get(deliveryId) ?? null,
  }
}
