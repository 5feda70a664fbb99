/**
 * Choices among all vehicles of a fleet, for versions of decisions that kept journals name. Their facts hold every vehicle, so an
 * entry grew with the fleet. They share the order of preference with `assignment.ts`: before it changes, its present form is copied here.
 */

import { RUNS_PER_VEHICLE } from "../../model/values/limits.ts"
import type { Candidate, WholePool } from "../../model/vehicle-pool.ts"
import { byPreference } from "./assignment.ts"

export function hasPlaceAmong({ candidates, holds }: WholePool): boolean {
  const online = candidates.filter(({ isOnline }) => isOnline).length
  const runs = candidates.reduce((sum, one) => sum + one.runs, 0)
  return runs + holds < online * RUNS_PER_VEHICLE
}

export function bestAmong(candidates: readonly Candidate[]): Candidate | null {
  return candidates.toSorted(byPreference)[0] ?? null
}
