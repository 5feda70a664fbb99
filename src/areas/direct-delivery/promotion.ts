/**
 * Whether an order can be delivered, and the decision that makes a delivery of a quote.
 * Source: direct delivery contract, quote; the order of checks is ours (src/DECISIONS.md §31).
 */

import type { DecisionFunction } from "../../../machines/contracts.ts"
import type { QuoteTerm } from "../../../machines/delivery-contract.ts"
import type { UnavailableReason } from "../../model/delivery.ts"
import type { RefusalCode } from "../../model/values/errors.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Pool } from "../../model/vehicle-pool.ts"
import { bestVehicle, hasPlace } from "../dispatch/assignment.ts"

/** The facts of a quote. */
export interface QuoteFacts extends Pool {
  readonly isInside: boolean
  readonly isOptedOut: boolean
  readonly readyByMs: EpochMs
  readonly nowMs: EpochMs
  readonly readyAheadMsMax: number
}

/** Why no delivery can be made, or null. The first applicable reason, in an order that is ours. */
export function unavailableReason(facts: QuoteFacts): UnavailableReason | null {
  // The first rank consists of online vehicles, if there are any.
  const isAnyOnline = facts.candidates[0]?.isOnline ?? false
  if (!facts.isInside) return "OUT_OF_SERVICE_AREA"
  if (facts.isOptedOut) return "CUSTOMER_OPTED_OUT"
  if (!isAnyOnline || facts.readyByMs > facts.nowMs + facts.readyAheadMsMax) return "NO_DRIVERS_ONLINE"
  return hasPlace(facts) ? null : "NO_CAPACITY"
}

/**
 * Chooses the vehicle, or refuses the quote. A quote is valid while now is before `expiresAtMs`; it reserves no place,
 * so the places are counted again (choice Q22).
 */
export const promote: DecisionFunction<"promote@3"> = ({ quote, ...pool }, _about, atMs) => {
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
