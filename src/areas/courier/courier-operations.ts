/**
 * Actions of operations on an errand that agents cannot take: report that it failed on the way, and return its fee.
 * Source: choice 2.6.
 */

import type { Address } from "../../model/address.ts"
import type { CourierState, FailureReason, PaymentStatus } from "../../model/courier.ts"
import { rankOf } from "../../model/delivery.ts"
import { Refused } from "../../model/values/errors.ts"
import type { Facts, Turn } from "../../../machines/contracts.ts"
import { ask } from "../../engine/services/actors.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { userLock } from "./calls.ts"
import { changeDetails, orderTurn } from "./commands.ts"
import { currentErrand, errandGroup, groupsOf, owedIn } from "./errand.ts"
import type { Errand } from "./errand.ts"
import { handoverOf } from "./handover.ts"
import { CourierRows } from "./rows.ts"
import { CourierSettings } from "./settings.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export interface ErrandRecord {
  readonly delivery_id: string
  readonly state: CourierState
  readonly failure_reason: FailureReason | null
  readonly payment_status: PaymentStatus
}

export class CourierOperations extends service<CourierOperations>()("CourierOperations", () => ({
  show: (deliveryId: string) => Routine.map(lookedAt(deliveryId), recordOf),
  /** The data that people at the curb and at the door need. It contains personal data. */
  handover: (deliveryId: string) => Routine.map(lookedAt(deliveryId), handoverOf),
  fail: (deliveryId: string, failure: Failure) => commanded(deliveryId, fail(deliveryId, failure)),
  refund: (deliveryId: string) => commanded(deliveryId, refund(deliveryId)),
})) {}

const lookedAt = Routine.fn(function* (deliveryId: string) {
  const host = yield* ActorHost
  yield* rowOf(deliveryId)
  return yield* host.view(groupsOf(deliveryId), currentErrand(deliveryId))
})

const rowOf = Routine.fn(function* (deliveryId: string) {
  const rows = yield* CourierRows
  const { organizationId } = yield* CourierSettings
  const row = yield* rows.byId(deliveryId)
  return row?.organizationId === organizationId ? row : yield* new Refused({ code: "DELIVERY_NOT_FOUND" })
})

/** Runs under the same lock as the calls of the user's agent. */
export const commanded = Routine.fn(function* <R>(
  deliveryId: string,
  body: Routine<void, Refused, R | Transaction>,
) {
  const host = yield* ActorHost
  const { userId } = yield* rowOf(deliveryId)
  return yield* host.run({
    name: "change an errand",
    locks: { key: userLock(userId), groups: groupsOf(deliveryId) },
    body: () => Routine.zipRight(body, Routine.map(currentErrand(deliveryId), recordOf)),
  })
})

interface Failure {
  readonly reason: FailureReason
  readonly refunds: boolean
}

/**
 * Ends a booked errand and frees its vehicle. A repeat with the same reason changes nothing. The fee is kept unless
 * `refunds`.
 */
export const fail = Routine.fn(function* (deliveryId: string, { reason, refunds }: Failure) {
  const { delivery, phase, row } = yield* currentErrand(deliveryId)
  const facts: Facts<"stage-errand@1"> = { status: delivery?.status ?? null, isTimely: true }
  const event = { type: "failure.reported", reason } as const
  // The delivery ends as cancelled, so its status does not say later where the order is.
  if (phase === "booked" && delivery !== null) {
    yield* changeDetails(row, { wasAboard: rankOf(delivery.status) >= rankOf("LOADED") })
  }
  yield* operatorTurn(deliveryId, { event, facts, decision: "stage-errand@1" })
  if (refunds) yield* refund(deliveryId)
})

/**
 * For a failed errand, and for a cancelled, declined or expired one whose fee the processor did not return. A repeat changes
 * nothing. The request to the processor is sent after the commit, as for a cancelled errand.
 */
const refund = Routine.fn(function* (deliveryId: string) {
  const errand = yield* currentErrand(deliveryId)
  if (endedWithFee(errand)) yield* releaseAgain(deliveryId)
  else yield* operatorTurn(deliveryId, { event: { type: "refund.requested" } })
})

/** Declined or expired after a fee was authorized or taken, which goes back without being asked for. */
function endedWithFee({ phase, paymentStatus }: Errand): boolean {
  return (phase === "declined" || phase === "expired") && !WITHOUT_FEE.has(paymentStatus)
}

/** Nothing was ever authorized. */
const WITHOUT_FEE: ReadonlySet<PaymentStatus> = new Set(["failed", "pending"])

/** The payment takes the request when the processor never confirmed the return, and ignores it otherwise. */
const releaseAgain = Routine.fn(function* (deliveryId: string) {
  const { group } = yield* Transaction
  const found = yield* group(errandGroup(deliveryId))
  if (found === null || owedIn(found) === null) return
  const host = yield* ActorHost
  const to: Address = `${errandGroup(deliveryId)}/payment`
  yield* ask("courier-payment", { to, event: { type: "release.requested" }, nonce: yield* host.nonce })
})

/** Runs one event of an operator on the errand, or refuses with the state that does not allow it. */
const operatorTurn = Routine.fn(function* (deliveryId: string, turn: Turn<"courier-order">) {
  const answer = yield* orderTurn(deliveryId, turn)
  if (answer.type !== "refused") return
  const { state } = yield* currentErrand(deliveryId)
  return yield* new Refused({ code: answer.code, detail: `it is ${state}` })
})

function recordOf({ row, state, order, paymentStatus }: Errand): ErrandRecord {
  return {
    delivery_id: row.deliveryId,
    state,
    failure_reason: order.failureReason,
    payment_status: paymentStatus,
  }
}
