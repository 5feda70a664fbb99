/**
 * Versions 1 and 2 of promoting a quote, for kept journals. They share the refusals of quotes with `promotion.ts`: before one of
 * those changes, its present form is copied here.
 */

import type { DecisionFunction } from "../../../machines/contracts.ts"
import { bestAmong, hasPlaceAmong } from "../dispatch/whole-pool.ts"
import { quoteRefusal } from "./promotion.ts"

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
