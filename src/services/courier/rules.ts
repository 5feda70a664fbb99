/**
 * Courier rules: the decision functions that turns run. What they read outside the group arrives as facts.
 * Source: courier connector contract, states and transitions; order of checks K1, C4 and capacity Q17 are ours.
 */

import type { DeclineReason } from "../../model/courier.ts"
import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { JsonObject } from "../../model/json.ts"
import type { Decided } from "../../kernel/program.ts"
import { bestVehicle, hasPlace } from "../direct-delivery/assignment.ts"
import type { Pool } from "../direct-delivery/assignment.ts"

/** What a check reads. Of the fleet only its counts: no vehicle is chosen yet. */
export type CheckFacts = Pick<Pool, "free" | "owed"> & ScreenedFacts

/** What a check reads beside the fleet. */
export type ScreenedFacts = {
  /** Some item of the cart is not carried; false where no items were given. */
  readonly isRestricted: boolean
  readonly offersCurbside: boolean
  readonly isServedStore: boolean
  readonly isInZone: boolean
  /** The asked window is over or begins beyond the horizon. */
  readonly isOutOfReach: boolean
  /** Windows inside the store's hours and the service's. */
  readonly windows: number
}

/** What a reserve reads. */
export type ReserveFacts = Pick<Pool, "free" | "owed"> & {
  /** The vehicle can keep the intended slot or, where none was told, some window. */
  readonly isTimely: boolean
}

/** What the report of a placed order reads. */
export type ConfirmFacts = Pool & { readonly isTimely: boolean; readonly isRestricted: boolean }

/** What a booked errand's change reads. */
export type StageFacts = { readonly status: DeliveryStatus | null; readonly isTimely: boolean }

/** The first reason that holds, or null. */
export function checkErrand(facts: JsonObject): Decided {
  const found = facts as unknown as CheckFacts
  return { declineReason: declineReason(found, hasPlace(found)) }
}

/** The first reason in the order of choice K1, or null. Frozen: kept journals name versions that run it. */
export function declineReason(facts: ScreenedFacts, isTherePlace: boolean): DeclineReason | null {
  if (facts.isRestricted) return "disqualifying_requirement"
  if (!facts.offersCurbside) return "no_curbside"
  if (!facts.isServedStore) return "store_not_supported"
  if (!facts.isInZone) return "out_of_zone"
  if (facts.isOutOfReach) return "timing_not_feasible"
  if (facts.windows === 0) return "outside_service_hours"
  return isTherePlace ? null : "no_capacity"
}

export function reserveErrand(facts: JsonObject): Decided {
  const found = facts as unknown as ReserveFacts
  if (!found.isTimely) return { refusal: "TIMING_NOT_FEASIBLE" }
  return hasPlace(found) ? {} : { refusal: "NO_CAPACITY" }
}

/** Timing, then items; capacity counts where no hold is live, and the vehicle is chosen in any case. */
export function confirmErrand(facts: JsonObject): Decided {
  const found = facts as unknown as ConfirmFacts
  if (!found.isTimely) return { refusal: "TIMING_NOT_FEASIBLE" }
  return {
    isRestricted: found.isRestricted,
    hasPlace: hasPlace(found),
    vehicleId: bestVehicle(found)?.vehicleId ?? null,
  }
}

/** How far the delivery is: from `LOADED` on the vehicle has the order. */
export function stageErrand(facts: JsonObject): Decided {
  const { status, isTimely } = facts as unknown as StageFacts
  const rank = status === null ? 0 : rankOf(status)
  const stage = { isCollected: rank >= rankOf("LOADED"), isOver: rank >= rankOf("COMPLETED") }
  return isTimely ? stage : { ...stage, refusal: "TIMING_NOT_FEASIBLE" }
}
