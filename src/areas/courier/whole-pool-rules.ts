/**
 * Versions of the courier rules whose facts contain every vehicle of the fleet, kept for old journals. `rules.ts` has
 * the current versions, `direct-delivery/earlier-promotions.ts` the old ones of promoting a quote.
 */

import type { DecisionFunction } from "../../../machines/contracts.ts"
import { bestAmong, hasPlaceAmong } from "../dispatch/whole-pool.ts"
import { declineReason } from "./rules.ts"

/** Version 2. */
export const checkErrandFromAll: DecisionFunction<"check-errand@2"> = (facts) => ({
  declineReason: declineReason(facts, hasPlaceAmong(facts)),
})

/** Version 1: before a check could contain items. */
export const checkErrandWithoutItems: DecisionFunction<"check-errand@1"> = (facts) => ({
  declineReason: declineReason({ ...facts, isRestricted: false }, hasPlaceAmong(facts)),
})

/** Version 1. */
export const reserveErrandFromAll: DecisionFunction<"reserve-errand@1"> = (facts) => {
  if (!facts.isTimely) return { refusal: "TIMING_NOT_FEASIBLE" }
  return hasPlaceAmong(facts) ? {} : { refusal: "NO_CAPACITY" }
}

/** Version 1. */
export const confirmErrandFromAll: DecisionFunction<"confirm-errand@1"> = (facts) => {
  if (!facts.isTimely) return { refusal: "TIMING_NOT_FEASIBLE" }
  return {
    isRestricted: facts.isRestricted,
    hasPlace: hasPlaceAmong(facts),
    vehicleId: bestAmong(facts.candidates)?.vehicleId ?? null,
  }
}
