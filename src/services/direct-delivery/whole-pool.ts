/**
 * Versions 1 and 2 of promoting a quote, for kept journals. Their facts hold every vehicle of the fleet, so an entry grew with
 * it. They share the order of preference and the refusals of quotes with `assignment.ts`: before one of those changes, its present
 * form is copied here.
 */

import type { JsonObject } from "../../model/json.ts"
import { RUNS_PER_VEHICLE } from "../../model/limits.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Decided } from "../../kernel/program.ts"
import { byPreference, quoteRefusal } from "./assignment.ts"
import type { Candidate, QuoteTerm } from "./assignment.ts"

/** All vehicles of a fleet at the decision, and the live holds of courier errands. */
export type WholePool = {
  readonly candidates: readonly Candidate[]
  readonly holds: number
}

type WholePromotionFacts = WholePool & { readonly quote: QuoteTerm | null }

/** Version 2: all vehicles in the facts. */
export function promoteFromAll(facts: JsonObject, _asked: JsonObject, atMs: EpochMs): Decided {
  const { quote, ...pool } = facts as unknown as WholePromotionFacts
  const refusal = quoteRefusal(quote, atMs)
  if (refusal !== null) return { refusal }
  const vehicle = hasPlaceAmong(pool) ? bestAmong(pool.candidates) : null
  return vehicle === null ? { refusal: "NO_CAPACITY" } : { vehicleId: vehicle.vehicleId }
}

/** Version 1: a live quote was honoured beyond the places. */
export function promoteBeyondPlaces(facts: JsonObject, _asked: JsonObject, atMs: EpochMs): Decided {
  const { quote, candidates } = facts as unknown as Omit<WholePromotionFacts, "holds">
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
