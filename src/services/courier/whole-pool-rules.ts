/**
 * Versions of the courier rules whose facts hold every vehicle of the fleet, for kept journals. `rules.ts` has those that run
 * today, `direct-delivery/whole-pool.ts` the same of promoting a quote.
 */

import type { JsonObject } from "../../model/json.ts"
import type { Decided } from "../../kernel/program.ts"
import { bestAmong, hasPlaceAmong } from "../direct-delivery/whole-pool.ts"
import type { WholePool } from "../direct-delivery/whole-pool.ts"
import { declineReason } from "./rules.ts"
import type { ScreenedFacts } from "./rules.ts"

/** Version 2. */
export function checkErrandFromAll(facts: JsonObject): Decided {
  const found = facts as unknown as WholePool & ScreenedFacts
  return { declineReason: declineReason(found, hasPlaceAmong(found)) }
}

/** Version 1: before a check could name items. */
export function checkErrandWithoutItems(facts: JsonObject): Decided {
  const found = facts as unknown as WholePool & Omit<ScreenedFacts, "isRestricted">
  return { declineReason: declineReason({ ...found, isRestricted: false }, hasPlaceAmong(found)) }
}

/** Version 1. */
export function reserveErrandFromAll(facts: JsonObject): Decided {
  const found = facts as unknown as WholePool & { readonly isTimely: boolean }
  if (!found.isTimely) return { refusal: "TIMING_NOT_FEASIBLE" }
  return hasPlaceAmong(found) ? {} : { refusal: "NO_CAPACITY" }
}

/** Version 1. */
export function confirmErrandFromAll(facts: JsonObject): Decided {
  const found = facts as unknown as WholePool & { readonly isTimely: boolean; readonly isRestricted: boolean }
  if (!found.isTimely) return { refusal: "TIMING_NOT_FEASIBLE" }
  return {
    isRestricted: found.isRestricted,
    hasPlace: hasPlaceAmong(found),
    vehicleId: bestAmong(found.candidates)?.vehicleId ?? null,
  }
}
