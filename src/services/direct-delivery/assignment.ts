/**
 * Assignment: which vehicle takes a run, whether there is room for another, and what that means for times.
 * Source: direct delivery contract, quote; order of checks, pace and thresholds are ours (src/DECISIONS.md §31).
 */

import type { RefusalCode } from "../../model/errors.ts"
import { CANDIDATES_MAX, LOADING_MS, RUNS_PER_VEHICLE } from "../../model/limits.ts"
import type { UnavailableReason } from "../../model/delivery.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Candidate, Places, Pool } from "../../model/vehicle-pool.ts"
import type { DecisionFunction } from "../../../machines/contracts.ts"
import type { QuoteTerm } from "../../../machines/delivery-contract.ts"
import { driveMs, upToMinute } from "./geography.ts"

/** Two runs a vehicle that is online, against open runs and live holds together. */
export function hasPlace({ free, owed }: Places): boolean {
  return free > owed
}

/** How many vehicles of a fleet are online or offline with so many runs. */
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

/** A fleet without vehicles, or without a store to send one to. */
export function emptyPool(holds: number): Pool {
  return { candidates: [], nextM: null, free: 0, owed: holds }
}

/** The pool of a fleet, from all its vehicles. Stores find the same without reading them all. */
export function poolOf(vehicles: readonly Candidate[], holds: number): Pool {
  const sorted = vehicles.toSorted(byPreference)
  const [first] = sorted
  const alike = first === undefined ? [] : sorted.filter((one) => isSameRank(rankOf(one), rankOf(first)))
  const tallies = vehicles.map(({ isOnline, runs }): Tally => ({ isOnline, runs, vehicles: 1 }))
  return { ...listed(alike), ...countPlaces(tallies, holds) }
}

/** The list of a pool, from the nearest vehicles of the first rank in the order of preference, one more than is listed. */
export function listed(nearest: readonly Candidate[]): Pick<Pool, "candidates" | "nextM"> {
  return { candidates: nearest.slice(0, CANDIDATES_MAX), nextM: nearest[CANDIDATES_MAX]?.metres ?? null }
}

/** What a quote is decided by. */
export interface QuoteFacts extends Pool {
  readonly isInside: boolean
  readonly isOptedOut: boolean
  readonly readyByMs: EpochMs
  readonly nowMs: EpochMs
  readonly readyAheadMsMax: number
}

/** Why no delivery can be made, or null. The first reason that holds, in the contract's order of ours. */
export function unavailableReason(facts: QuoteFacts): UnavailableReason | null {
  // Vehicles that are online have the first rank.
  const isAnyOnline = facts.candidates[0]?.isOnline ?? false
  if (!facts.isInside) return "OUT_OF_SERVICE_AREA"
  if (facts.isOptedOut) return "CUSTOMER_OPTED_OUT"
  if (!isAnyOnline || facts.readyByMs > facts.nowMs + facts.readyAheadMsMax) return "NO_DRIVERS_ONLINE"
  return hasPlace(facts) ? null : "NO_CAPACITY"
}

/**
 * The nearest online vehicle with a free place. When all are full, the one with the fewest runs; when none is online, the
 * same among the others: a booked errand keeps a vehicle even when the fleet has shrunk since its hold. Null for a fleet
 * without vehicles. Throws when a vehicle that is not listed is nearer: such a list decides nothing.
 */
export function bestVehicle({ candidates, nextM }: Pick<Pool, "candidates" | "nextM">): Candidate | null {
  const best = candidates.toSorted(byPreference)[0] ?? null
  if (best !== null && nextM !== null && nextM < best.metres) {
    throw new Error(`${best.vehicleId} is ${best.metres} m away, a vehicle that is not listed ${nextM} m`)
  }
  return best
}

/** What decides before the distance: vehicles of one rank are equally good at one place. */
export interface Rank {
  readonly isOnline: boolean
  /** Runs beyond the places of a vehicle and the one more that is asked for; every free place is as good as another. */
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
  return (
    compareRanks(rankOf(one), rankOf(other)) ||
    one.metres - other.metres ||
    (one.vehicleId < other.vehicleId ? -1 : 1)
  )
}

function isSameRank(one: Rank, other: Rank): boolean {
  return compareRanks(one, other) === 0
}

export interface Way {
  readonly readyByMs: EpochMs
  /** When the vehicle sets out for the store: now, or when the runs before this one are done. */
  readonly setsOutAtMs: EpochMs
  /** From where the vehicle is then to the store. */
  readonly toStoreM: number
  /** From the store to the customer. */
  readonly toCustomerM: number
}

/** When the vehicle picks up and when the customer has the order; full minutes. */
export function timesOf({ readyByMs, setsOutAtMs, toStoreM, toCustomerM }: Way): {
  readonly pickupEtaMs: EpochMs
  readonly deliveryEtaMs: EpochMs
} {
  const pickupEtaMs = upToMinute(Math.max(readyByMs, setsOutAtMs + driveMs(toStoreM)))
  return { pickupEtaMs, deliveryEtaMs: upToMinute(pickupEtaMs + LOADING_MS + driveMs(toCustomerM)) }
}

/**
 * Chooses the vehicle, or says why the quote makes no delivery. A quote is valid while now is before `expiresAtMs`; it
 * holds no place, so the places are counted again (choice Q22).
 */
export const promote: DecisionFunction<"promote@3"> = ({ quote, ...pool }, _asked, atMs) => {
  const refusal = quoteRefusal(quote, atMs)
  if (refusal !== null) return { refusal }
  const vehicle = hasPlace(pool) ? bestVehicle(pool) : null
  return vehicle === null ? { refusal: "NO_CAPACITY" } : { vehicleId: vehicle.vehicleId }
}

export function quoteRefusal(quote: QuoteTerm | null, atMs: EpochMs): RefusalCode | null {
  if (quote === null) return "QUOTE_NOT_FOUND"
  if (atMs >= quote.expiresAtMs) return "QUOTE_EXPIRED"
  return quote.isAvailable ? null : "QUOTE_UNAVAILABLE"
}

/** Whether a vehicle with so many open runs takes one more: one active, one queued. */
export function takesAnother(runs: number): boolean {
  return runs < RUNS_PER_VEHICLE
}
