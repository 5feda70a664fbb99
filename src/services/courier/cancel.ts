/** cancel_delivery and get_delivery_status. */

import { Effect } from "effect"
import type { CancelDeliveryArguments, GetDeliveryStatusArguments } from "../../model/courier-requests.ts"
import { DeliveryRows } from "../direct-delivery/rows.ts"
import { ActorHost } from "../host.ts"
import { newPen, refusedByLimit } from "./calls.ts"
import type { Step } from "./calls.ts"
import { changeDetails, notFound, orderTurn, ownRow, refusedEnvelope, runErrandCall } from "./commands.ts"
import { cancelEnvelope, statusEnvelope } from "./envelopes.ts"
import { currentErrand, errandGroup, groupsOf } from "./errand.ts"
import type { CourierRow } from "./rows.ts"
import type { StageFacts } from "./rules.ts"

export const cancel = Effect.fnUntraced(function* (userId: string, args: CancelDeliveryArguments) {
  const call = { userId, tool: "cancel_delivery", args, deliveryId: args.delivery_id } as const
  return yield* runErrandCall(call, (row) => end(row, args))
})

const end = Effect.fnUntraced(function* (row: CourierRow, args: CancelDeliveryArguments) {
  const deliveries = yield* DeliveryRows
  const { deliveryId } = row
  const delivery = yield* deliveries.byId(deliveryId)
  const facts: StageFacts = { status: delivery?.status ?? null, isTimely: true }
  const event = { type: "cancel.requested" }
  const answer = yield* orderTurn(deliveryId, { event, facts, decision: "stage-errand@1" })
  if (answer.type === "refused") {
    const envelope = refusedEnvelope(answer, yield* currentErrand(deliveryId))
    return { type: "answer", envelope } satisfies Step
  }
  const isRepeat = answer.value?.["isRepeat"] === true
  if (!isRepeat && args.reason !== undefined) yield* changeDetails(row, { cancelReason: args.reason })
  const envelope = cancelEnvelope(yield* currentErrand(deliveryId), yield* newPen)
  return { type: "answer", envelope } satisfies Step
})

export const status = Effect.fnUntraced(function* (userId: string, args: GetDeliveryStatusArguments) {
  const deliveryId = args.delivery_id
  const limited = yield* refusedByLimit({ userId, tool: "get_delivery_status", deliveryId })
  if (limited !== null) return limited
  const host = yield* ActorHost
  const row = yield* ownRow(userId, deliveryId)
  if (row === null) return notFound(deliveryId)
  // Until it is booked there is no delivery whose clocks could be late.
  const groups = row.phase === "booked" ? groupsOf(deliveryId) : [errandGroup(deliveryId)]
  const errand = yield* host.view(groups, currentErrand(deliveryId))
  return statusEnvelope(errand, yield* newPen)
})
