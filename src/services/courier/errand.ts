/** An errand as a transaction or view sees it: its row, its machines, and its delivery once there is one. */

import { Effect } from "effect"
import { COURIER_STATE_BY_STATUS } from "../../model/courier.ts"
import type { CourierState, PaymentStatus } from "../../model/courier.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Context } from "../../../machines/contracts.ts"
import type { Group } from "../../kernel/group.ts"
import { actorAt } from "../actors.ts"
import type { SeenActor } from "../actors.ts"
import { estimatesFor, newsOf } from "../direct-delivery/estimates.ts"
import type { VehicleNews } from "../direct-delivery/estimates.ts"
import { DeliveryRows } from "../direct-delivery/rows.ts"
import type { DeliveryRow } from "../direct-delivery/rows.ts"
import { Transaction } from "../host.ts"
import { CourierRows } from "./rows.ts"
import type { CourierPhase, CourierRow } from "./rows.ts"

export interface Errand extends VehicleNews {
  readonly row: CourierRow
  readonly order: Context<"courier-order">
  readonly phase: CourierPhase
  readonly state: CourierState
  readonly paymentStatus: PaymentStatus
  readonly delivery: DeliveryRow | null
}

/** When it picks up and arrives, as far as its vehicle tells by now; null before it is booked. */
export function estimatesOf(
  { delivery, fix, way }: Pick<Errand, "delivery" | "fix" | "way">,
  nowMs: EpochMs,
) {
  if (delivery === null || delivery.storePlace === null) return null
  const { storePlace, place: dropoffPlace } = delivery
  return estimatesFor({ ...delivery, storePlace, dropoffPlace, fix, way, nowMs })
}

export function errandGroup(deliveryId: string): string {
  return `courier-order/${deliveryId}`
}

/** The groups that a command or a look at an errand is about. */
export function groupsOf(deliveryId: string): readonly [order: string, delivery: string] {
  return [errandGroup(deliveryId), `delivery/${deliveryId}`]
}

/** `booked`: its delivery, when this transaction has just inserted it. */
export const currentErrand = Effect.fnUntraced(function* (
  deliveryId: string,
  booked: DeliveryRow | null = null,
) {
  const rows = yield* CourierRows
  const deliveries = yield* DeliveryRows
  const { group, nowMs } = yield* Transaction
  const row = yield* rows.byId(deliveryId)
  const found = yield* group(errandGroup(deliveryId))
  const seen = found === null ? null : seenIn(found)
  if (row === null || seen === null) return yield* Effect.dieMessage(`the errand ${deliveryId} is not there`)
  const delivery = booked ?? (seen.order.vehicleId === null ? null : yield* deliveries.byId(deliveryId))
  const store = delivery?.storePlace ?? null
  const news =
    delivery === null || store === null ? { fix: null, way: null } : yield* newsOf(delivery, { store, nowMs })
  const state = stateOf(seen.phase, delivery)
  return { row, ...seen, delivery, ...news, state } satisfies Errand
})

/** What the errand's own group tells. */
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

/** True while the processor is asked: commands wait, and the hold does not lapse. False for an errand that is not there. */
export function isAsking(group: Group | null): boolean {
  const phase = group === null ? undefined : seenIn(group)?.phase
  if (group === null || phase === undefined) return false
  return phase === "authorizing" || phase === "capturing" || isAuthorizing(group)
}

/** Also after a lapsed hold, where the order's own state does not tell it. */
function isAuthorizing(group: Group): boolean {
  return paymentIn(group)?.outerState === "authorizing"
}

/** Before another credential is tried, the processor lets the last one go: being asked, or asked again after a pause. */
export function lettingGoIn(group: Group): "calling" | "waiting" | null {
  const payment = paymentIn(group)
  if (payment?.outerState !== "voiding") return null
  return payment.state === "waiting" ? "waiting" : "calling"
}

/** What the processor never gave back, in a word; null when nothing is owed. */
export function owedIn(group: Group): "unrefunded" | "unvoided" | null {
  const state = paymentIn(group)?.outerState
  return state === "unrefunded" || state === "unvoided" ? state : null
}

/** When it came to its end, or null. */
export function endOf({ order, delivery }: Pick<Errand, "delivery" | "order">): EpochMs | null {
  return order.endedAtMs ?? delivery?.completedAtMs ?? delivery?.cancelledAtMs ?? null
}

function stateOf(phase: CourierPhase, delivery: DeliveryRow | null): CourierState {
  switch (phase) {
    case "quoted":
    case "lapsed":
      return "quoted"
    case "held":
    case "authorizing":
    case "capturing":
      return "held"
    case "overdue":
    case "expired":
      return "expired"
    case "booked":
      return COURIER_STATE_BY_STATUS[delivery?.status ?? "SCHEDULED"]
    case "unserved":
    case "declined":
      return "declined"
    case "cancelled":
      return "cancelled"
    case "failed":
      return "failed"
  }
}

/**
 * What is being asked reads as what was before; what is being given back, as given back. What is let go while the errand
 * goes on is a credential that came to nothing. An end after declined credentials alone has nothing to void: it stays failed.
 */
function paymentOf({ outerState, context }: SeenActor<"courier-payment">): PaymentStatus {
  const { attempt, isReleased } = context
  // No credential was ever tried: there is nothing that could have been given back.
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
