/**
 * Driving: computes the next report of a synthetic vehicle, and of the people around it. Pure: from the known state of
 * its run and an instant to the next report, so that the live demo and a fleet on virtual time share the rules.
 *
 * Differs from the street: streets run along meridians and parallels, there are no traffic lights, and loading is never
 * forgotten.
 */

import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { Fix } from "../../model/requests/delivery-requests.ts"
import {
  ARRIVAL_RADIUS_M,
  DEPOT_DISTANCE_M,
  LOADING_MS,
  LOAD_WAIT_MS,
  LOCATION_TOLD_MS,
  PLAYED_EVERY_MS_MAX,
  PLAYED_EVERY_MS_MIN,
  STREET_KMH,
  TRIP_WAIT_MS,
  UNLOADING_MS,
  UNSEEN_MS_MAX,
} from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import { HOUR_MS, SECOND_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { northOf } from "./geography.ts"
import type { ActiveRun } from "./active-runs.ts"

/** The instant to drive to, and the speed as a multiple of a real street's. */
export interface Pace {
  readonly nowMs: EpochMs
  readonly speed: number
}

/** The next report: a fix of the vehicle, or a status that the site's supervisor sees. */
export type Move =
  | { readonly type: "fix"; readonly fix: Fix }
  | { readonly type: "supervise"; readonly status: "WAITING_FOR_LOAD" }

/**
 * The interval between a vehicle's reports at a speed. Report times are whole multiples of it, so that two drivers
 * compute the same ones.
 */
export function everyMsAt(speed: number): number {
  return Math.min(PLAYED_EVERY_MS_MAX, Math.max(PLAYED_EVERY_MS_MIN, Math.ceil((10 * SECOND_MS) / speed)))
}

/** The next report of a run, or null when there is none yet. Equal arguments give equal reports. */
export function nextMove(run: ActiveRun, pace: Pace): Move | null {
  const { lastFix, phase, store, customer } = run
  if (lastFix !== null && lastFix.recordedAtMs >= pace.nowMs) return null
  switch (phase) {
    case "idle":
      return null
    case "assigned":
    case "approaching":
      // The second order of a trip is on board before its run begins.
      return drive(run, isPast(run.status, "LOADED") ? customer : store, pace)
    case "at_store":
    case "waiting":
      return waitForLoad(run, pace)
    case "loaded":
      return waitForSecond(run, pace)
    case "leaving":
      return drive(run, customer, pace)
    case "at_customer":
      return pace.nowMs >= run.movedAtMs + UNLOADING_MS / pace.speed
        ? standing(customer, pace, "unloaded")
        : stillThere(run, customer, pace)
  }
}

/**
 * A fix on the way. A vehicle that was not updated for a while stood still: it first reports its position. On the way
 * to the store and from it, it drives at most half of the distance at once, so that departure and arrival are separate
 * reports at any speed.
 */
function drive(run: ActiveRun, goal: Place, { nowMs, speed }: Pace): Move {
  const { lastFix, phase, store, status } = run
  if (lastFix === null) return standing(northOf(store, DEPOT_DISTANCE_M), { nowMs })
  const elapsedMs = nowMs - lastFix.recordedAtMs
  if (elapsedMs > UNSEEN_MS_MAX) return standing(lastFix, { nowMs })
  const stepM = (STREET_KMH * 1000 * speed * elapsedMs) / HOUR_MS
  const wayM = metresAlong(lastFix, goal)
  const isLeaving = phase === "loaded" || (phase === "assigned" && !isPast(status, "LOADED"))
  const isFirst = isLeaving && wayM > ARRIVAL_RADIUS_M
  const place = along(lastFix, goal, isFirst ? Math.min(stepM, wayM / 2) : stepM)
  const fix = { ...place, recorded_at: nowMs, speed_mps: STREET_MPS }
  return { type: "fix", fix: { ...fix, ...alsoOnBoard(run) } }
}

function alsoOnBoard({ second }: ActiveRun): Pick<Fix, "also_on_board"> {
  return second !== null && isPast(second.status, "LOADED") ? { also_on_board: second.deliveryId } : {}
}

/** It loads the second order of its trip if that is ready in time, and leaves with or without it. */
function waitForSecond(run: ActiveRun, pace: Pace): Move | null {
  const { second, store, customer, movedAtMs: loadedAtMs } = run
  const { nowMs, speed } = pace
  if (second === null || isPast(second.status, "LOADED")) return drive(run, customer, pace)
  const readyMs = readyAt(second, speed)
  const waitsUntilMs = loadedAtMs + TRIP_WAIT_MS / speed
  const isReadyInTime = readyMs <= waitsUntilMs
  if (nowMs < (isReadyInTime ? Math.max(loadedAtMs, readyMs) + LOADING_MS / speed : waitsUntilMs))
    return stillThere(run, store, pace)
  if (!isReadyInTime) return drive(run, customer, pace)
  const { latitude, longitude } = store
  const fix = { latitude, longitude, recorded_at: nowMs, speed_mps: 0, load: "loaded" } as const
  return { type: "fix", fix: { ...fix, also_on_board: second.deliveryId } }
}

/**
 * The kitchen's time is scaled like the streets': an order that is ready in ten minutes is ready in one at ten times
 * the speed.
 */
function readyAt(
  { createdAtMs, readyByMs }: Pick<ActiveRun, "createdAtMs" | "readyByMs">,
  speed: number,
): EpochMs {
  return createdAtMs + (readyByMs - createdAtMs) / speed
}

function waitForLoad(run: ActiveRun, pace: Pace): Move | null {
  const { nowMs, speed } = pace
  const arrivedMs = run.atStoreSinceMs ?? nowMs
  const readyMs = readyAt(run, speed)
  const isWaiting = isPast(run.status, "WAITING_FOR_LOAD")
  if (run.hasSupervisor && !isWaiting && nowMs >= arrivedMs + LOAD_WAIT_MS / speed) {
    return { type: "supervise", status: "WAITING_FOR_LOAD" }
  }
  // A report that the order is on board implies that it was loaded.
  const isLoaded = isPast(run.status, "LOADED") || nowMs >= Math.max(arrivedMs + LOADING_MS / speed, readyMs)
  return isLoaded ? standing(run.store, pace, "loaded") : stillThere(run, run.store, pace)
}

/** Often enough that an event can always contain the vehicle's position. */
function stillThere({ lastFix }: ActiveRun, place: Place, pace: Pace): Move | null {
  const isDue = lastFix === null || pace.nowMs - lastFix.recordedAtMs >= LOCATION_TOLD_MS
  return isDue ? standing(place, pace) : null
}

function standing(
  { latitude, longitude }: Place,
  { nowMs }: Pick<Pace, "nowMs">,
  load: "loaded" | "unloaded" | null = null,
): Move {
  return { type: "fix", fix: { latitude, longitude, recorded_at: nowMs, speed_mps: 0, load } }
}

function isPast(status: DeliveryStatus, wanted: DeliveryStatus): boolean {
  return rankOf(status) >= rankOf(wanted)
}

const STREET_MPS = Math.round((STREET_KMH * 10_000) / 3_600) / 10

/** The way through a grid of streets: first east or west, then north or south. Metres. */
interface Legs {
  readonly eastM: number
  readonly northM: number
  readonly metresPerDegreeEast: number
}

const METRES_PER_DEGREE = 111_195

function legsOf(from: Place, to: Place): Legs {
  const metresPerDegreeEast = METRES_PER_DEGREE * Math.cos((to.latitude * Math.PI) / 180)
  return {
    eastM: (to.longitude - from.longitude) * metresPerDegreeEast,
    northM: (to.latitude - from.latitude) * METRES_PER_DEGREE,
    metresPerDegreeEast,
  }
}

/** The length of the way through the grid. */
export function metresAlong(from: Place, to: Place): number {
  const { eastM, northM } = legsOf(from, to)
  return Math.abs(eastM) + Math.abs(northM)
}

/** The place this many metres further on the way, or the goal if that is nearer. */
export function along(from: Place, to: Place, metres: number): Place {
  const { eastM, northM, metresPerDegreeEast } = legsOf(from, to)
  if (metres >= Math.abs(eastM) + Math.abs(northM)) {
    return { latitude: to.latitude, longitude: to.longitude }
  }
  const drivenEastM = Math.min(metres, Math.abs(eastM)) * Math.sign(eastM)
  const drivenNorthM = (metres - Math.abs(drivenEastM)) * Math.sign(northM)
  return {
    latitude: toDecimetre(from.latitude + drivenNorthM / METRES_PER_DEGREE),
    longitude: toDecimetre(from.longitude + drivenEastM / metresPerDegreeEast),
  }
}

/** Rounded because the last bits of a cosine differ between machines. */
export function toDecimetre(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6
}
