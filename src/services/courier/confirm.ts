/** confirm_delivery: reports the placed store order, takes the fee and books the run. */

import { Effect } from "effect"
import type { ConfirmDeliveryArguments } from "../../model/courier-requests.ts"
import { Transaction } from "../host.ts"
import type { Step } from "./calls.ts"
import { capacityFor } from "./capacity.ts"
import { changeDetails, orderTurn, paymentFailedStep, refusedEnvelope, runErrandCall } from "./commands.ts"
import { declineEnvelope } from "./envelopes.ts"
import { currentErrand, groupsOf } from "./errand.ts"
import type { CourierRow } from "./rows.ts"
import type { ConfirmFacts } from "./rules.ts"
import { restrictedAmong } from "./screening.ts"
import { CourierSettings } from "./settings.ts"
import { pickupTimeFor } from "./windows.ts"

export const confirm = Effect.fnUntraced(function* (userId: string, args: ConfirmDeliveryArguments) {
  const { fleetId } = yield* CourierSettings
  const deliveryId = args.delivery_id
  const locks = Effect.succeed({ pool: fleetId, groups: groupsOf(deliveryId) })
  const call = { userId, tool: "confirm_delivery", args, deliveryId } as const
  return yield* runErrandCall(call, (row) => report(row, args), locks)
})

const report = Effect.fnUntraced(function* (row: CourierRow, args: ConfirmDeliveryArguments) {
  const { policy } = yield* CourierSettings
  const { nowMs } = yield* Transaction
  const { deliveryId, details } = row
  const restrictedItems = restrictedAmong(args.items)
  const latestMs = nowMs + policy.horizonMs
  const facts: ConfirmFacts = {
    ...(yield* capacityFor(details.storePlace, deliveryId)),
    isTimely: (args.ready_at ?? nowMs) <= latestMs && (args.selected_slot?.start ?? nowMs) <= latestMs,
    isRestricted: restrictedItems.length > 0,
  }
  const event = { type: "confirm.requested" }
  const answer = yield* orderTurn(deliveryId, { event, facts, decision: "confirm-errand@1" })
  if (answer.type === "refused") {
    const field = (args.ready_at ?? nowMs) > latestMs ? "ready_at" : "selected_slot"
    const envelope = refusedEnvelope(answer, yield* currentErrand(deliveryId), field)
    return { type: "answer", envelope } satisfies Step
  }
  yield* changeDetails(row, {
    order: {
      orderNumber: args.order_number,
      items: args.items,
      confirmationText: args.confirmation_text,
      pickupCode: args.pickup_code ?? null,
    },
    readyAtMs: args.ready_at ?? null,
    restrictedItems,
    ...(args.selected_slot === undefined
      ? {}
      : {
          pickupTime: pickupTimeFor({
            kitchenStarts: details.kitchenStarts ?? "on_check_in",
            intendedSlot: args.selected_slot,
            best: null,
            earliestMs: nowMs,
          }),
        }),
  })
  if (answer.value?.["isPaymentFailed"] === true) return yield* paymentFailedStep(deliveryId)
  const errand = yield* currentErrand(deliveryId)
  if (errand.phase === "capturing") return { type: "awaits", envelope: null } satisfies Step
  return { type: "answer", envelope: declineEnvelope(errand) } satisfies Step
})
