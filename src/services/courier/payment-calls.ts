/**
 * The calls to the payment processor. The credential is read when the call leaves, and what the processor gives is kept in
 * the errand's row, so that machines see neither.
 */

import { Effect } from "effect"
import { groupOf, idOf } from "../../model/address.ts"
import type { CallResult } from "../../model/verbs.ts"
import type { Call } from "../../kernel/turn.ts"
import { ActorHost } from "../host.ts"
import { discarded, failed, succeeded } from "../outbound/call-results.ts"
import { Payments } from "./payments.ts"
import type { PaymentResult } from "./payments.ts"
import { CourierRows } from "./rows.ts"
import { CourierSettings } from "./settings.ts"

/** Asks the processor to keep the fee. Its credential is tried once. */
export const authorizePayment = Effect.fnUntraced(function* (call: Call) {
  const host = yield* ActorHost
  const rows = yield* CourierRows
  const payments = yield* Payments
  const deliveryId = idOf(call.actor)
  const payment = yield* rows.payment(deliveryId)
  const credential = payment?.credential ?? null
  if (credential === null || !(yield* isCurrent(call))) return discarded(call.attempt, "no_credential")
  const order = yield* orderFor(deliveryId, `authorize/${call.attempt}`)
  const result = yield* payments.authorize({ ...order, credential })
  const authorizationId = result.type === "done" ? result.authorizationId : null
  yield* host.transact({}, rows.putPayment({ deliveryId, credential: null, authorizationId }))
  return resultOf(call, result)
})

export const capturePayment = askAbout("capture")
export const voidPayment = askAbout("cancel")
export const refundPayment = askAbout("refund")

/** Under one key however often it is asked: the processor carries it out once. */
function askAbout(job: "cancel" | "capture" | "refund") {
  return Effect.fnUntraced(function* (call: Call) {
    const rows = yield* CourierRows
    const payments = yield* Payments
    const deliveryId = idOf(call.actor)
    const authorizationId = (yield* rows.payment(deliveryId))?.authorizationId ?? null
    if (authorizationId === null || !(yield* isCurrent(call))) {
      return discarded(call.attempt, "nothing_authorized")
    }
    const order = yield* orderFor(deliveryId, `${job}/${authorizationId}`)
    return resultOf(call, yield* payments[job]({ ...order, authorizationId }))
  })
}

/** One that waited may have been overtaken by the end of its lease. */
const isCurrent = Effect.fnUntraced(function* ({ actor, attempt }: Call) {
  const host = yield* ActorHost
  const group = yield* host.read(groupOf(actor))
  return group?.actors.get(actor)?.snapshot.context.attempt === attempt
})

const orderFor = Effect.fnUntraced(function* (deliveryId: string, what: string) {
  const { feeCents } = yield* CourierSettings
  return { deliveryId, amountCents: feeCents, currency: "usd", idempotencyKey: `${deliveryId}/${what}` }
})

function resultOf({ attempt }: Call, result: PaymentResult): CallResult {
  switch (result.type) {
    case "done":
      return succeeded(attempt)
    case "declined":
      return failed(attempt, result.reason)
    case "unavailable":
      return failed(attempt, "unavailable")
  }
}
