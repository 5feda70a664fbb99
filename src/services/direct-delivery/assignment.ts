/**
 * Assignment: which vehicle takes a run, whether there is room for another, and what that means for times.
 * Source: direct delivery contract, quote; order of checks, pace and thresholds are ours (src/DECISIONS.md §31).
 */

import type { RefusalCode } from "../../model/errors.ts"
import type { JsonObject } from "../../model/json.ts"
import { LOADING_MS, RUNS_PER_VEHICLE } from "../../model/limits.ts"
import type { UnavailableReason } from "../../model/delivery.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Decided } from "../../kernel/program.ts"
import { driveMs, upToMinute } from "./geography.ts"

/** A vehicle of the site's fleet, as it stands at the decision. */
export type Candidate = {
  readonly vehicleId: string
  readonly isOnline: boolean
  /** Open runs, the active one included. */
  readonly runs: number
  /** From its last position to the store. */
  readonly metres: number
}

/** A fleet at the decision: its vehicles with their runs, and the live holds of courier errands. */
export type Capacity = {
  readonly candidates: readonly Candidate[]
  readonly holds: number
}

/** Two runs a vehicle that is online, against open runs and live holds together. */
export function hasPlace({ candidates, holds }: Capacity): boolean {
  const online = candidates.filter(({ isOnline }) => isOnline).length
  const runs = candidates.reduce((sum, one) => sum + one.runs, 0)
  return runs + holds < online * RUNS_PER_VEHICLE
}

/** What a quote is decided by. */
export interface QuoteFacts extends Capacity {
  readonly isInside: boolean
  readonly isOptedOut: boolean
  readonly readyByMs: EpochMs
  readonly nowMs: EpochMs
  readonly readyAheadMsMax: number
}

/** Why no delivery can be made, or null. The first reason that holds, in the contract's order of ours. */
export function unavailableReason(facts: QuoteFacts): UnavailableReason | null {
  const isAnyOnline = facts.candidates.some(({ isOnline }) => isOnline)
  if (!facts.isInside) return "OUT_OF_SERVICE_AREA"
  if (facts.isOptedOut) return "CUSTOMER_OPTED_OUT"
  if (!isAnyOnline || facts.readyByMs > facts.nowMs + facts.readyAheadMsMax) return "NO_DRIVERS_ONLINE"
  return hasPlace(facts) ? null : "NO_CAPACITY"
}

/**
 * The nearest online vehicle with a free place. When all are full, the one with the fewest runs; when none is online, the
 * same among the others: a booked errand keeps a vehicle even when the fleet has shrunk since its hold. Null for a fleet
 * without vehicles.
 */
export function bestVehicle(candidates: readonly Candidate[]): Candidate | null {
  return (
    candidates.toSorted(
      (one, other) =>
        Number(other.isOnline) - Number(one.isOnline) ||
        surplus(one) - surplus(other) ||
        one.metres - other.metres ||
        (one.vehicleId < other.vehicleId ? -1 : 1),
    )[0] ?? null
  )
}

/** Runs beyond the places of a vehicle; every free place is as good as another. */
function surplus({ runs }: Candidate): number {
  return Math.max(0, runs - RUNS_PER_VEHICLE + 1)
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

/** What promoting a quote reads outside the group. */
export type PromotionFacts = Capacity & {
  readonly quote: { readonly isAvailable: boolean; readonly expiresAtMs: EpochMs } | null
}

/**
 * Chooses the vehicle, or says why the quote makes no delivery. A quote is valid while now is before `expiresAtMs`; it
 * holds no place, so the places are counted again (choice Q22).
 */
export function promote(facts: JsonObject, _asked: JsonObject, atMs: EpochMs): Decided {
  const { quote, ...capacity } = facts as unknown as PromotionFacts
  const refusal = quoteRefusal(quote, atMs)
  if (refusal !== null) return { refusal }
  const vehicle = hasPlace(capacity) ? bestVehicle(capacity.candidates) : null
  return vehicle === null ? { refusal: "NO_CAPACITY" } : { vehicleId: vehicle.vehicleId }
}

/** Version 1, for kept journals: a live quote was honoured beyond the places. */
export function promoteBeyondPlaces(facts: JsonObject, _asked: JsonObject, atMs: EpochMs): Decided {
  const { quote, candidates } = facts as unknown as Omit<PromotionFacts, "holds">
  const refusal = quoteRefusal(quote, atMs)
  if (refusal !== null) return { refusal }
  const vehicle = bestVehicle(candidates)
  return vehicle === null ? { refusal: "QUOTE_UNAVAILABLE" } : { vehicleId: vehicle.vehicleId }
}

function quoteRefusal(quote: PromotionFacts["quote"], atMs: EpochMs): RefusalCode | null {
  if (quote === null) return "QUOTE_NOT_FOUND"
  if (atMs >= quote.expiresAtMs) return "QUOTE_EXPIRED"
  return quote.isAvailable ? null : "QUOTE_UNAVAILABLE"
}

/** Whether a vehicle with so many open runs takes one more: one active, one queued. */
export function takesAnother(runs: number): boolean {
  return runs < RUNS_PER_VEHICLE
}
