/**
 * Assignment: which vehicle takes a run, whether there is room for another, and what that means for times.
 * Pace and thresholds are ours (src/DECISIONS.md §31).
 */

import {
  CANDIDATES_MAX,
  COMPARED_VEHICLES_MAX,
  LOADING_MS,
  RUNS_PER_VEHICLE,
} from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Candidate, DispatchPolicy, Places, Pool } from "../../model/vehicle-pool.ts"
import { driveMs, upToMinute } from "./geography.ts"

/** True when a place is free: each online vehicle has two, minus open runs and live holds. */
export function hasPlace({ free, owed }: Places): boolean {
  return free > owed
}

/** How many vehicles of a fleet have this number of runs, online or offline. */
export interface Tally {
  readonly isOnline: boolean
  readonly runs: number
  readonly vehicles: number
}

/** The counts of a pool. `holds` are the live holds that the decision counts. */
export function countPlaces(tallies: Iterable<Tally>, holds: number): Places {
  let free = 0
  let owed = holds
  for (const { isOnline, runs, vehicles } of tallies) {
    if (isOnline) free += Math.max(0, RUNS_PER_VEHICLE - runs) * vehicles
    owed += (isOnline ? Math.max(0, runs - RUNS_PER_VEHICLE) : runs) * vehicles
  }
  return { free: Math.min(free, Math.max(0, owed + 1)), owed }
}

/** The pool of a fleet without vehicles, or without a store to send one to. */
export function emptyPool(holds: number): Pool {
  return { candidates: [], nextM: null, free: 0, owed: holds }
}

/** The pool of a fleet, from all its vehicles. Stores compute the same without reading them all. */
export function poolOf(
  vehicles: readonly Candidate[],
  holds: number,
  policy: DispatchPolicy = "nearest",
): Pool {
  const sorted = vehicles.toSorted(byPreference)
  const [first] = sorted
  const alike = first === undefined ? [] : sorted.filter((one) => isSameRank(rankOf(one), rankOf(first)))
  const tallies = vehicles.map(({ isOnline, runs }): Tally => ({ isOnline, runs, vehicles: 1 }))
  const places = countPlaces(tallies, holds)
  if (policy === "nearest" || alike.length === 0) return { ...listed(alike), ...places }
  return poolBy(policy, places, compared(policy, alike))
}

/**
 * The candidates that a policy other than `nearest` compares, from vehicles of the first rank in order of preference. `least_loaded`:
 * the nearest of those with the fewest runs. `earliest_free`: the nearest idle ones, and of the others the nearest ones that are
 * nearer than every idle one, because no vehicle is at the store before it could drive there directly. `batching`: the same, with the
 * nearest busy ones at any distance, because their trips may be shared.
 */
export function compared<C extends Candidate>(policy: ComparingPolicy, alike: readonly C[]): readonly C[] {
  const fewest = fewestRuns(alike)
  const lightest = alike.filter(({ runs }) => runs === fewest).slice(0, COMPARED_VEHICLES_MAX)
  if (policy === "least_loaded" || fewest > 0) return lightest
  const beforeM =
    policy === "batching" ? Number.POSITIVE_INFINITY : (lightest[0]?.metres ?? 0) + ROUNDED_AWAY_M
  const busy = alike.filter(({ runs, metres }) => runs > 0 && metres < beforeM)
  return [...lightest, ...busy.slice(0, COMPARED_VEHICLES_MAX)]
}

/** A policy that compares vehicles by another measure than the distance. */
type ComparingPolicy = Exclude<DispatchPolicy, "nearest">

/** Each of the four distances of a busy vehicle's way is rounded by at most half a metre. */
const ROUNDED_AWAY_M = 2

export function fewestRuns(alike: Iterable<Pick<Candidate, "runs">>): number {
  let fewest = Number.POSITIVE_INFINITY
  for (const { runs } of alike) fewest = Math.min(fewest, runs)
  return fewest
}

/**
 * The list of a pool, from the nearest vehicles of the first rank in order of preference; the input has one more than
 * is listed.
 */
export function listed(nearest: readonly Candidate[]): Pick<Pool, "candidates" | "nextM"> {
  return { candidates: nearest.slice(0, CANDIDATES_MAX), nextM: nearest[CANDIDATES_MAX]?.metres ?? null }
}

/** The pool of a policy that compares vehicles: the first of those that it compared. */
export function poolBy(
  dispatch: ComparingPolicy,
  { free, owed }: Places,
  vehicles: readonly Candidate[],
): Pool {
  const candidates = vehicles.toSorted(PREFERENCES[dispatch]).slice(0, CANDIDATES_MAX)
  return { candidates, nextM: null, dispatch, free, owed }
}

/**
 * The online vehicle with a free place that comes first by the policy; the nearest without one. If all are full, the one
 * with the fewest runs; if none is online, the same among the others, because a booked errand keeps a vehicle even when the
 * fleet has shrunk since its hold. Null for a fleet without vehicles. Throws when a vehicle that is not listed is nearer,
 * because such a list cannot decide.
 */
export function bestVehicle({
  candidates,
  nextM,
  dispatch = "nearest",
}: Pick<Pool, "candidates" | "dispatch" | "nextM">): Candidate | null {
  const compare = PREFERENCES[dispatch]
  let best: Candidate | null = null
  for (const one of candidates) if (best === null || compare(one, best) < 0) best = one
  if (best !== null && nextM !== null && nextM < best.metres) {
    throw new Error(`${best.vehicleId} is ${best.metres} m away, a vehicle that is not listed ${nextM} m`)
  }
  return best
}

/** The criteria before the distance: vehicles of one rank at one place are equally good. */
export interface Rank {
  readonly isOnline: boolean
  /** Runs beyond the vehicle's places, including the requested run; all vehicles with a free place are equal. */
  readonly surplus: number
}

export function rankOf({ isOnline, runs }: Pick<Candidate, "isOnline" | "runs">): Rank {
  return { isOnline, surplus: Math.max(0, runs - RUNS_PER_VEHICLE + 1) }
}

/** The numbers of runs that vehicles of a rank have. */
export function runsAtRank({ surplus }: Rank): readonly number[] {
  if (surplus > 0) return [surplus + RUNS_PER_VEHICLE - 1]
  return Array.from({ length: RUNS_PER_VEHICLE }, (_, runs) => runs)
}

/** Negative when the first rank comes before the other. */
export function compareRanks(one: Rank, other: Rank): number {
  return Number(other.isOnline) - Number(one.isOnline) || one.surplus - other.surplus
}

/** The total order in which vehicles are chosen: rank, distance, id. */
export function byPreference(one: Candidate, other: Candidate): number {
  return compareRanks(rankOf(one), rankOf(other)) || byDistance(one, other)
}

/** The same among vehicles of one rank. */
export function byDistance(one: Candidate, other: Candidate): number {
  return one.metres - other.metres || (one.vehicleId < other.vehicleId ? -1 : 1)
}

type Comparison = (one: Candidate, other: Candidate) => number

/** Each policy compares vehicles of one rank first by its own measure, then by distance and id. */
const PREFERENCES: Readonly<Record<DispatchPolicy, Comparison>> = {
  nearest: byPreference,
  least_loaded: within((one, other) => one.runs - other.runs),
  earliest_free: within(byTimeAtStore),
  batching: within(
    (one, other) =>
      Number(other.sharesTrip ?? false) - Number(one.sharesTrip ?? false) || byTimeAtStore(one, other),
  ),
}

function byTimeAtStore(one: Candidate, other: Candidate): number {
  return (one.freeAtMs ?? 0) - (other.freeAtMs ?? 0)
}

/** Whether a policy compares when vehicles can be at the store, for which it needs their queues. */
export function needsQueues(policy: DispatchPolicy): policy is "batching" | "earliest_free" {
  return policy === "earliest_free" || policy === "batching"
}

function within(measure: Comparison): Comparison {
  return (one, other) =>
    compareRanks(rankOf(one), rankOf(other)) || measure(one, other) || byPreference(one, other)
}

function isSameRank(one: Rank, other: Rank): boolean {
  return compareRanks(one, other) === 0
}

export interface Way {
  readonly readyByMs: EpochMs
  /** When the vehicle departs for the store: now, or when the runs before this one are done. */
  readonly setsOutAtMs: EpochMs
  /** Distance from its position at that time to the store. */
  readonly toStoreM: number
  /** Distance from the store to the customer, or from the first door of a trip to the second. */
  readonly toCustomerM: number
  /** Time that a trip of two orders takes before the drive to this customer: none unless said. */
  readonly tripMs?: number
}

/** When the vehicle picks up and when it reaches the customer; full minutes. */
export function timesOf({ readyByMs, setsOutAtMs, toStoreM, toCustomerM, tripMs = 0 }: Way): {
  readonly pickupEtaMs: EpochMs
  readonly deliveryEtaMs: EpochMs
} {
  const pickupEtaMs = upToMinute(Math.max(readyByMs, setsOutAtMs + driveMs(toStoreM)))
  return { pickupEtaMs, deliveryEtaMs: upToMinute(pickupEtaMs + LOADING_MS + tripMs + driveMs(toCustomerM)) }
}

/** True when a vehicle with this number of open runs can take another: one active, one queued. */
export function takesAnother(runs: number): boolean {
  return runs < RUNS_PER_VEHICLE
}
