/**
 * Versions 1 and 2 of promoting a quote, kept for old journals. Their facts contain every vehicle of the fleet, so an
 * entry grew with it. They share the order of preference and the refusals of quotes with `assignment.ts`: before one of
 * those changes, its present form must be copied here.
 */

import { RUNS_PER_VEHICLE } from "../../model/limits.ts"
import type { Candidate, WholePool } from "../../model/vehicle-pool.ts"
import type { DecisionFunction } from "../../../machines/contracts.ts"
import { byPreference, quoteRefusal } from "./assignment.ts"

/** Version 2: all vehicles in the facts. */
export const promoteFromAll: DecisionFunction<"promote@2"> = ({ quote, ...pool }, _about, atMs) => {
  const refusal = quoteRefusal(quote, atMs)
  if (refusal !== null) return { refusal }
  const vehicle = hasPlaceAmong(pool) ? bestAmong(pool.candidates) : null
  return vehicle === null ? { refusal: "NO_CAPACITY" } : { vehicleId: vehicle.vehicleId }
}

/** Version 1: a live quote was accepted even without free places. */
export const promoteBeyondPlaces: DecisionFunction<"promote@1"> = ({ quote, candidates }, _about, atMs) => {
  const refusal = quoteRefusal(quote, atMs)
  if (refusal !== null) return { refusal }
  const vehicle = bestAmong(candidates)
  return vehicle === null ? { refusal: "QUOTE_UNAVAILABLE" } : { vehicleId: vehicle.vehicleId }
}

export function hasPlaceAmong({ candidates, holds }: WholePool): boolean {
  const online = candidates.filter(({ isOnline }) => isOnline).length
  const runs = candidates.reduce((sum, one) => sum + one.runs, 0)
  return runs + holds < online * RUNS_PER_VEHICLE
}

export function bestAmong(candidates: readonly Candidate[]): Candidate | null {
  return candidates.toSorted(byPreference)[0] ?? null
}
