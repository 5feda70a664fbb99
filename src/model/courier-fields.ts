/**
 * Which fields of an answer hold at which stage of an errand. Answers are made from this table, so that no field of an
 * earlier stage contradicts `next_step`. Source: courier connector contract, resources; choices 2.3 and 2.9; the stages
 * are ours (src/DECISIONS.md §389).
 */

import type { CourierEnvelope, CourierState, PaymentStatus } from "./courier.ts"

/**
 * The states before the booking, divided by what decides the next call: whether a vehicle was held, the fee authorized and
 * the store order reported (`ordered`); from the booking on, the state. `overdue`: expired, but an order that was placed may
 * still be reported.
 */
export const COURIER_STAGES = [
  "quoted",
  "quoted_ordered",
  "held_unpaid",
  "held_paid",
  "held_ordered",
  "lapsed",
  "lapsed_ordered",
  "overdue",
  "overdue_ordered",
  "expired",
  "declined",
  "confirmed",
  "assigned",
  "en_route_to_store",
  "arrived_at_store",
  "waiting_for_load",
  "loaded",
  "en_route_to_customer",
  "arrived_at_customer",
  "completed",
  "cancelled",
  "failed",
] as const

export type CourierStage = (typeof COURIER_STAGES)[number]

/** A field of the envelope, or an instruction inside of a field. */
export type CourierField =
  | Exclude<
      keyof CourierEnvelope,
      "error" | "next_step" | "released_delivery_ids" | "update_result" | "user_message" | "warnings"
    >
  | "dropoff.hint"
  | "payment.checkout_url"
  | "pickup_profile.for_store"
  | "pickup_time.instruction"

const QUOTED = ["quoted", "quoted_ordered", "lapsed", "lapsed_ordered"] as const
const HELD = ["held_unpaid", "held_paid", "held_ordered"] as const
const ORDERED = ["lapsed_ordered", "overdue_ordered"] as const
const EXPIRED = ["overdue", "overdue_ordered", "expired"] as const
const BEFORE_LOAD = [
  "confirmed",
  "assigned",
  "en_route_to_store",
  "arrived_at_store",
  "waiting_for_load",
] as const
const TO_DOOR = ["en_route_to_customer", "arrived_at_customer"] as const
const ENDED = ["declined", "completed", "cancelled", "failed"] as const

/** A field is in an answer at these stages, as far as its value is known and the tool answers it. */
export const STAGES_BY_FIELD: Readonly<Record<CourierField, readonly CourierStage[]>> = {
  delivery_id: COURIER_STAGES,
  state: COURIER_STAGES,
  serviceable: [...QUOTED, "declined"],
  retailer_name: COURIER_STAGES,
  store_address: COURIER_STAGES,
  /** As long as the vehicle may be sent elsewhere. */
  dropoff: [...QUOTED, ...HELD, ...EXPIRED, ...BEFORE_LOAD, "loaded"],
  /** As long as the address can be sent again. */
  "dropoff.hint": ["quoted", ...HELD, ...BEFORE_LOAD],
  price: COURIER_STAGES,
  payment_status: COURIER_STAGES,
  fee_cents: COURIER_STAGES,
  pickup_windows: QUOTED,
  terms: QUOTED,
  consent: QUOTED,
  quote_expires_at: [...QUOTED, ...HELD, ...EXPIRED],
  hold_expires_at: HELD,
  /** Also after the load: the user recognizes the vehicle by it. */
  pickup_profile: [...HELD, ...ORDERED, ...BEFORE_LOAD, "loaded", ...TO_DOOR],
  "pickup_profile.for_store": [...HELD, ...ORDERED],
  pickup_time: [...HELD, ...ORDERED, ...BEFORE_LOAD],
  "pickup_time.instruction": HELD,
  /** A checkout link outlives its hold. */
  payment: [...HELD, "lapsed", "lapsed_ordered"],
  "payment.checkout_url": ["held_unpaid", "held_ordered", "lapsed", "lapsed_ordered"],
  order_number: COURIER_STAGES,
  planned_pickup_time: BEFORE_LOAD,
  estimated_delivery_window: [...BEFORE_LOAD, "loaded", ...TO_DOOR],
  tracking_url: [...BEFORE_LOAD, "loaded", ...TO_DOOR, ...ENDED],
  vehicle_location: TO_DOOR,
  decline_reason: ["declined"],
  disqualifying_requirements: ["declined"],
  restricted_items: ["declined"],
  store_matches: ["declined"],
  next_pickup_window: ["declined"],
  earliest_at: ["declined"],
  failure_reason: ["failed"],
  charged_cents: ENDED,
  cancelled_at: ["cancelled"],
  completed_at: ["completed"],
  poll_after_seconds: COURIER_STAGES,
  updated_at: COURIER_STAGES,
}

export function holdsAt(field: CourierField, stage: CourierStage): boolean {
  return STAGES_BY_FIELD[field].includes(stage)
}

/** What a stage depends on. */
export interface StageFacts {
  readonly state: CourierState
  /** No vehicle has been held yet. */
  readonly isNew: boolean
  /** An expired errand whose placed order may still be reported. */
  readonly isOverdue: boolean
  readonly isOrdered: boolean
  readonly paymentStatus: PaymentStatus
}

export function stageFor({ state, isNew, isOverdue, isOrdered, paymentStatus }: StageFacts): CourierStage {
  switch (state) {
    case "quoted":
      if (isNew) return isOrdered ? "quoted_ordered" : "quoted"
      return isOrdered ? "lapsed_ordered" : "lapsed"
    case "held":
      if (isOrdered) return "held_ordered"
      return paymentStatus === "authorized" ? "held_paid" : "held_unpaid"
    case "expired":
      if (!isOverdue) return "expired"
      return isOrdered ? "overdue_ordered" : "overdue"
    default:
      return state
  }
}
