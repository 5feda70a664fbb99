/** An errand in a transaction or view: its row, its machines, and its delivery once there is one. */

import { COURIER_STATE_BY_STATUS } from "../../model/courier.ts"
import type { CourierState, PaymentStatus } from "../../model/courier.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Context } from "../../../machines/contracts.ts"
import type { Group } from "../../engine/kernel/group.ts"
import { actorAt } from "../../engine/services/actors.ts"
import type { SeenActor } from "../../engine/services/actors.ts"
import { NO_NEWS, estimatesFor, newsOf } from "../dispatch/estimates.ts"
import type { VehicleNews } from "../dispatch/estimates.ts"
import { DeliveryRows } from "../direct-delivery/rows.ts"
import type { DeliveryRow } from "../direct-delivery/rows.ts"
import { Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { CourierRows } from "./rows.ts"
import type { CourierPhase, CourierRow } from "./rows.ts"

export interface Errand extends VehicleNews {
  readonly row: CourierRow
  readonly order: Context<"courier-order">
  readonly phase: CourierPhase
  readonly state: CourierState
  readonly paymentStatus: PaymentStatus
  /** A request to the processor is in flight. */
  readonly isAsking: boolean
  readonly delivery: DeliveryRow | null
}

/** Estimated pickup and arrival, from the latest data of its vehicle; null before the booking. */
export function estimatesOf(
  { delivery, fix, way, loadingMs, firstStop }: Pick<Errand, keyof VehicleNews | "delivery">,
  nowMs: EpochMs,
) {
  if (delivery === null || delivery.storePlace === null) return null
  const { storePlace, place: dropoffPlace } = delivery
  return estimatesFor({ ...delivery, storePlace, dropoffPlace, fix, way, loadingMs, firstStop, nowMs })
}

export function errandGroup(deliveryId: string): string {
  return `courier-order/${deliveryId}`
}

/** The groups that a command or a read of an errand uses. */
export function groupsOf(deliveryId: string): readonly [order: string, delivery: string] {
  return [errandGroup(deliveryId), `delivery/${deliveryId}`]
}

/** `booked`: its delivery, when this transaction has just inserted it. */
export const currentErrand = Routine.fn(function* (deliveryId: string, booked: DeliveryRow | null = null) {
  const rows = yield* CourierRows
  const deliveries = yield* DeliveryRows
  const { group, nowMs } = yield* Transaction
  const row = yield* rows.byId(deliveryId)
  const found = yield* group(errandGroup(deliveryId))
  const seen = found === null ? null : seenIn(found)
  if (row === null || seen === null) return yield* Routine.dieMessage(`the errand ${deliveryId} is not there`)
  const delivery = booked ?? (seen.order.vehicleId === null ? null : yield* deliveries.byId(deliveryId))
  const store = delivery?.storePlace ?? null
  const news = delivery === null || store === null ? NO_NEWS : yield* newsOf(delivery, { store, nowMs })
  const state = courierStateOf(seen.phase, delivery?.status ?? null)
  return { row, ...seen, isAsking: isAsking(found), delivery, ...news, state } satisfies Errand
})

/** The state of the errand's own group. */
export function seenIn({ actors, address }: Group): {
  readonly order: Context<"courier-order">
  readonly phase: CourierPhase
  readonly paymentStatus: PaymentStatus
} | null {
  const root = actorAt("courier-order", actors, address)
  if (root === null) return null
  const payment = paymentIn({ actors, address })
  const paymentStatus = payment === null ? "pending" : paymentOf(payment)
  return { order: root.context, phase: root.state, paymentStatus }
}

function paymentIn({ actors, address }: Pick<Group, "actors" | "address">) {
  return actorAt("courier-payment", actors, `${address}/payment`)
}

/**
 * True while a request to the processor is in flight: commands wait, and the hold does not expire. False for an unknown
 * errand.
 */
export function isAsking(group: Group | null): boolean {
  const phase = group === null ? undefined : seenIn(group)?.phase
  if (group === null || phase === undefined) return false
  return phase === "authorizing" || phase === "capturing" || isAuthorizing(group)
}

/** True also after an expired hold, when the order's own state does not show it. */
function isAuthorizing(group: Group): boolean {
  return paymentIn(group)?.outerState === "authorizing"
}

/**
 * Before another credential is tried, the last one must be released at the processor: `calling` or, between retries,
 * `waiting`.
 */
export function lettingGoIn(group: Group): "calling" | "waiting" | null {
  const payment = paymentIn(group)
  if (payment?.outerState !== "voiding") return null
  return payment.state === "waiting" ? "waiting" : "calling"
}

/** Money that the processor has not returned; null when nothing is owed. */
export function owedIn(group: Group): "unrefunded" | "unvoided" | null {
  const state = paymentIn(group)?.outerState
  return state === "unrefunded" || state === "unvoided" ? state : null
}

/** When it ended, or null. */
export function endOf({ order, delivery }: Pick<Errand, "delivery" | "order">): EpochMs | null {
  return order.endedAtMs ?? delivery?.completedAtMs ?? delivery?.cancelledAtMs ?? null
}

/** The state as agents know it; a booked errand has that of its delivery. */
const STATE_BY_PHASE: Readonly<Record<Exclude<CourierPhase, "booked">, CourierState>> = {
  quoted: "quoted",
  lapsed: "quoted",
  held: "held",
  authorizing: "held",
  capturing: "held",
  overdue: "expired",
  expired: "expired",
  unserved: "declined",
  declined: "declined",
  cancelled: "cancelled",
  failed: "failed",
}

export const COURIER_PHASES = [...Object.keys(STATE_BY_PHASE), "booked"] as readonly CourierPhase[]

/** `status`: of its delivery, if there is one. */
export function courierStateOf(phase: CourierPhase, status: DeliveryStatus | null): CourierState {
  return phase === "booked" ? COURIER_STATE_BY_STATUS[status ?? "SCHEDULED"] : STATE_BY_PHASE[phase]
}

/**
 * The status of a payment. During a request it is the status before the request, and during a return it is `voided` or
 * `refunded`. A release while the errand continues belongs to a credential that failed. An errand that ended after
 * declined credentials only has nothing to void: it stays failed.
 */
function paymentOf({ outerState, context }: SeenActor<"courier-payment">): PaymentStatus {
  const { attempt, isReleased } = context
  // No credential was ever tried, so nothing can have been returned.
  if (attempt === 0) return "pending"
  switch (outerState) {
    case "authorized":
    case "capturing":
      return "authorized"
    case "captured":
    case "unrefunded":
      return "captured"
    case "failed":
      return "failed"
    case "unvoided":
      return isReleased ? "authorized" : "failed"
    case "voiding":
    case "voided":
      return isReleased ? "voided" : "failed"
    case "refunding":
    case "refunded":
      return "refunded"
    case "authorizing":
    case "pending":
      return "pending"
  }
}
