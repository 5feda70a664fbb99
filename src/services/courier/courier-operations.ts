/**
 * What operations do with an errand that an agent cannot: say that it failed on the way, and give its fee back.
 * Source: choice 2.6.
 */

import { Context, Effect, Layer } from "effect"
import type { CourierState, FailureReason, PaymentStatus } from "../../model/courier.ts"
import { isFinal } from "../../model/delivery.ts"
import { Refused } from "../../model/errors.ts"
import type { DeliveryRows, VehicleRows } from "../direct-delivery/rows.ts"
import { ActorHost, Transaction } from "../host.ts"
import { userLock } from "./calls.ts"
import { orderTurn } from "./commands.ts"
import { currentErrand, errandGroup, groupsOf } from "./errand.ts"
import type { Errand } from "./errand.ts"
import { CourierRows } from "./rows.ts"
import { provided } from "../provided.ts"

export interface ErrandRecord {
  readonly delivery_id: string
  readonly state: CourierState
  readonly failure_reason: FailureReason | null
  readonly payment_status: PaymentStatus
}

export class CourierOperations extends Context.Tag("CourierOperations")<
  CourierOperations,
  {
    readonly show: (deliveryId: string) => Effect.Effect<ErrandRecord, Refused>
    /** Ends a booked errand; its vehicle is free again. Again for the same reason is fine. The fee stays unless it `refunds`. */
    readonly fail: (
      deliveryId: string,
      failure: { readonly reason: FailureReason; readonly refunds: boolean },
    ) => Effect.Effect<ErrandRecord, Refused>
    /** Of an errand that failed. Again is fine. */
    readonly refund: (deliveryId: string) => Effect.Effect<ErrandRecord, Refused>
  }
>() {}

type Needs = ActorHost | CourierRows | DeliveryRows | VehicleRows

export const layerCourierOperations: Layer.Layer<CourierOperations, never, Needs> = Layer.effect(
  CourierOperations,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    const provide = <A, E>(effect: Effect.Effect<A, E, Needs>): Effect.Effect<A, E> =>
      provided(effect, context)
    return {
      show: (deliveryId) => provide(show(deliveryId)),
      fail: (deliveryId, failure) => provide(commanded(deliveryId, fail(deliveryId, failure))),
      refund: (deliveryId) => provide(commanded(deliveryId, refund(deliveryId))),
    }
  }),
)

const show = Effect.fnUntraced(function* (deliveryId: string) {
  const host = yield* ActorHost
  yield* rowOf(deliveryId)
  return recordOf(yield* host.view(groupsOf(deliveryId), currentErrand(deliveryId)))
})

const rowOf = Effect.fnUntraced(function* (deliveryId: string) {
  const rows = yield* CourierRows
  const row = yield* rows.byId(deliveryId)
  return row ?? (yield* new Refused({ code: "DELIVERY_NOT_FOUND" }))
})

/** In line with what the user's agent calls. */
const commanded = Effect.fnUntraced(function* <R>(
  deliveryId: string,
  body: Effect.Effect<void, Refused, R | Transaction>,
) {
  const host = yield* ActorHost
  const { userId } = yield* rowOf(deliveryId)
  return yield* host.transact(
    { key: userLock(userId), groups: groupsOf(deliveryId) },
    Effect.zipRight(body, Effect.map(currentErrand(deliveryId), recordOf)),
  )
})

const fail = Effect.fnUntraced(function* (
  deliveryId: string,
  { reason, refunds }: { readonly reason: FailureReason; readonly refunds: boolean },
) {
  const { order, phase, delivery, state } = yield* currentErrand(deliveryId)
  const isRepeat = phase === "failed" && order.failureReason === reason
  const isOnItsWay = phase === "booked" && delivery !== null && !isFinal(delivery.status)
  if (!isRepeat && !isOnItsWay) return yield* new Refused({ code: "INVALID_STATE", detail: `it is ${state}` })
  if (!isRepeat) yield* orderTurn(deliveryId, { event: { type: "failure.reported", reason } })
  if (refunds) yield* giveBack(deliveryId)
})

const refund = Effect.fnUntraced(function* (deliveryId: string) {
  const { phase, state } = yield* currentErrand(deliveryId)
  if (phase !== "failed") return yield* new Refused({ code: "INVALID_STATE", detail: `it is ${state}` })
  yield* giveBack(deliveryId)
})

/** The processor is asked after the commit, as for an errand that was cancelled. */
const giveBack = Effect.fnUntraced(function* (deliveryId: string) {
  const host = yield* ActorHost
  const { turn } = yield* Transaction
  const { paymentStatus } = yield* currentErrand(deliveryId)
  if (paymentStatus !== "captured") return
  const event = { type: "release.requested" }
  yield* turn({ to: `${errandGroup(deliveryId)}/payment`, event, nonce: yield* host.nonce })
})

function recordOf({ row, state, order, paymentStatus }: Errand): ErrandRecord {
  return {
    delivery_id: row.deliveryId,
    state,
    failure_reason: order.failureReason,
    payment_status: paymentStatus,
  }
}
