/**
 * Courier rules: the decision functions that turns run. Data from outside the group arrives as facts. Source: courier
 * connector contract, states and transitions; order of checks K1, C4 and capacity Q17 are ours.
 */

import type { DeclineReason } from "../../model/courier.ts"
import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { ScreenedFacts } from "../../../machines/courier-order-contract.ts"
import type { DecisionFunction } from "../../../machines/contracts.ts"
import { bestVehicle, hasPlace } from "../dispatch/assignment.ts"

/** The first applicable reason, or null. */
export const checkErrand: DecisionFunction<"check-errand@3"> = (facts) => ({
  declineReason: declineReason(facts, hasPlace(facts)),
})

/**
 * The first applicable reason in the order of choice K1, or null. Must not change: kept journals name versions that run
 * it.
 */
export function declineReason(facts: ScreenedFacts, isTherePlace: boolean): DeclineReason | null {
  if (facts.isRestricted) return "disqualifying_requirement"
  if (!facts.offersCurbside) return "no_curbside"
  if (!facts.isServedStore) return "store_not_supported"
  if (!facts.isInZone) return "out_of_zone"
  if (facts.isOutOfReach) return "timing_not_feasible"
  if (facts.windows === 0) return "outside_service_hours"
  return isTherePlace ? null : "no_capacity"
}

export const reserveErrand: DecisionFunction<"reserve-errand@2"> = (facts) => {
  if (!facts.isTimely) return { refusal: "TIMING_NOT_FEASIBLE" }
  return hasPlace(facts) ? {} : { refusal: "NO_CAPACITY" }
}

/** Timing is checked before items; capacity counts only without a live hold, and a vehicle is always chosen. */
export const confirmErrand: DecisionFunction<"confirm-errand@2"> = (facts) => {
  if (!facts.isTimely) return { refusal: "TIMING_NOT_FEASIBLE" }
  return {
    isRestricted: facts.isRestricted,
    hasPlace: hasPlace(facts),
    vehicleId: bestVehicle(facts)?.vehicleId ?? null,
  }
}

/** The delivery's stage: from `LOADED` on the vehicle has the order. */
export const stageErrand: DecisionFunction<"stage-errand@1"> = ({ status, isTimely }) => {
  const stage = stageOf(status)
  return isTimely ? stage : { ...stage, refusal: "TIMING_NOT_FEASIBLE" }
}

export const stageDropoff: DecisionFunction<"stage-errand@2"> = ({ status, isInZone }) => {
  const stage = stageOf(status)
  return isInZone ? stage : { ...stage, refusal: "VALIDATION_ERROR" }
}

export function stageOf(status: DeliveryStatus | null) {
  const rank = status === null ? 0 : rankOf(status)
  return { isCollected: rank >= rankOf("LOADED"), isOver: rank >= rankOf("COMPLETED") }
}
