/** cancel_delivery and get_delivery_status. */

import { Effect } from "effect"
import type {
  CancelDeliveryArguments,
  GetDeliveryStatusArguments,
} from "../../model/requests/courier-requests.ts"
import type { Facts } from "../../../machines/contracts.ts"
import { DeliveryRows } from "../direct-delivery/rows.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { envelopeContext, refusedByLimit } from "./calls.ts"
import type { Step } from "./calls.ts"
import { changeDetails, notFound, orderTurn, ownRow, refused, runErrandCall } from "./commands.ts"
import { cancelEnvelope, statusEnvelope } from "./envelopes.ts"
import { currentErrand, errandGroup, groupsOf } from "./errand.ts"
import type { CourierRow } from "./rows.ts"

export const cancel = Effect.fnUntraced(function* (userId: string, args: CancelDeliveryArguments) {
  const call = { userId, tool: "cancel_delivery", args, deliveryId: args.delivery_id } as const
  return yield* runErrandCall(call, (row) => end(row, args))
})

const end = Routine.fn(function* (row: CourierRow, args: CancelDeliveryArguments) {
  const deliveries = yield* DeliveryRows
  const { deliveryId } = row
  const delivery = yield* deliveries.byId(deliveryId)
  const facts: Facts<"stage-errand@1"> = { status: delivery?.status ?? null, isTimely: true }
  const event = { type: "cancel.requested" } as const
  const answer = yield* orderTurn(deliveryId, { event, facts, decision: "stage-errand@1" })
  if (answer.type === "refused") {
    const envelope = yield* refused(answer, deliveryId, { tool: "cancel_delivery" })
    return { type: "answer", envelope } satisfies Step
  }
  const isRepeat = answer.value?.isRepeat === true
  if (!isRepeat && args.reason !== undefined) yield* changeDetails(row, { cancelReason: args.reason })
  const envelope = cancelEnvelope(yield* currentErrand(deliveryId), yield* envelopeContext)
  return { type: "answer", envelope } satisfies Step
})

/** Takes no idempotency key and changes nothing. */
export const status = Routine.fn(function* (userId: string, args: GetDeliveryStatusArguments) {
  const deliveryId = args.delivery_id
  const limited = yield* refusedByLimit({ userId, tool: "get_delivery_status", deliveryId })
  if (limited !== null) return limited
  const host = yield* ActorHost
  // An errand that is not booked has no delivery with due timers, so one read is enough.
  const seen = yield* host.view([errandGroup(deliveryId)], unbookedErrand(userId, deliveryId))
  if (seen === "unknown") return notFound(deliveryId)
  const errand = seen === "booked" ? yield* host.view(groupsOf(deliveryId), currentErrand(deliveryId)) : seen
  return statusEnvelope(errand, yield* envelopeContext)
})

const unbookedErrand = Routine.fn(function* (userId: string, deliveryId: string) {
  const row = yield* ownRow(userId, deliveryId)
  if (row === null) return "unknown" as const
  return row.phase === "booked" ? ("booked" as const) : yield* currentErrand(deliveryId)
})
