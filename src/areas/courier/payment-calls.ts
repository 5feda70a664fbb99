/**
 * The calls to the payment processor. The credential is read when the call is sent, and the processor's ids are stored
 * in the errand's row, so that machines see neither.
 */

import { Effect } from "effect"
import { groupOf, idOf } from "../../model/address.ts"
import type { PaymentFailure } from "../../model/courier.ts"
import type { CallResult } from "../../model/call-result.ts"
import type { Call } from "../../engine/kernel/turn.ts"
import { actorAt } from "../../engine/services/actors.ts"
import { ActorHost, batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { discarded, failed, succeeded } from "../../engine/services/outbound/call-results.ts"
import { builtInPayments } from "./built-in-payments.ts"
import { Payments, failureOf } from "./payments.ts"
import type { PaymentResult } from "./payments.ts"
import { CourierRows } from "./rows.ts"
import type { CourierPaymentRow } from "./rows.ts"
import { CourierSettings, feeOf } from "./settings.ts"

type Needs = ActorHost | CourierRows | CourierSettings | Payments

/** One kind of call. `asked`: the processor's data of the errand; null when there is none. */
export type PaymentCall = (
  call: Call,
  asked: CourierPaymentRow | null,
) => Effect.Effect<CallResult, never, Needs>

/** Makes a call, unless its lease has ended while it waited. */
export const performPayment = Effect.fnUntraced(function* (job: PaymentCall, call: Call) {
  const rows = yield* CourierRows
  const [asked, isCurrent] = yield* batch([rows.payment(idOf(call.actor)), isCurrentAttempt(call)])
  return isCurrent ? yield* job(call, asked) : discarded(call.attempt, "overtaken")
})

/** The call with the row that its transaction has. It begins right after the commit, so its lease has just begun. */
export const readyPayment = Routine.fn(function* (job: PaymentCall, call: Call) {
  const rows = yield* CourierRows
  const asked = yield* rows.payment(idOf(call.actor))
  return { receiver: null, perform: job(call, asked) }
})

/** Requests an authorization of the fee, under one idempotency key for each credential. */
export const authorizePayment: PaymentCall = Effect.fnUntraced(function* (call, asked) {
  if (asked === null) return discarded(call.attempt, "no_credential")
  // The answer to an earlier attempt arrived after its lease.
  if (asked.authorizationId !== null) return succeeded(call.attempt)
  if (asked.credential === null) return discarded(call.attempt, "no_credential")
  return resultOf(call, yield* tryCredential(asked, asked.credential, call))
})

const tryCredential = Effect.fnUntraced(function* (asked: CourierPaymentRow, credential: string, call: Call) {
  const host = yield* ActorHost
  const payments = yield* processorOf(asked)
  const rows = yield* CourierRows
  const order = yield* orderFor(call, `authorize/${asked.credentialNo}`)
  const result = yield* payments.authorize({ ...order, credential })
  if (result.type === "unavailable") return result
  const authorizationId = result.type === "done" ? result.authorizationId : null
  // Not recorded if another credential was stored meanwhile, or this one was released.
  const failure = result.type === "declined" ? kindOf(result) : null
  yield* host.run({
    name: "store an authorization",
    locks: {},
    body: () => rows.replacePayment({ ...asked, credential: null, authorizationId, failure }),
  })
  return result
})

export const capturePayment = askAbout("capture")
export const refundPayment = askAbout("refund")

/** Retries use one idempotency key, so the processor carries the request out once. */
function askAbout(job: "capture" | "refund"): PaymentCall {
  return Effect.fnUntraced(function* (call, asked) {
    const rows = yield* CourierRows
    const authorizationId = asked?.authorizationId ?? null
    if (asked === null || authorizationId === null) {
      return discarded(call.attempt, "nothing_authorized")
    }
    const payments = yield* processorOf(asked)
    const order = yield* orderFor(call, `${job}/${authorizationId}`)
    const result = yield* payments[job]({ ...order, authorizationId })
    if (job === "capture" && result.type === "declined") {
      const host = yield* ActorHost
      yield* host.run({
        name: "store a payment's failure",
        locks: {},
        body: () => rows.replacePayment({ ...asked, failure: kindOf(result) }),
      })
    }
    return resultOf(call, result)
  })
}

/** Releases an authorization. When its id is unknown, the credential is tried again to get it. */
export const voidPayment: PaymentCall = Effect.fnUntraced(function* (call, asked) {
  const host = yield* ActorHost
  const rows = yield* CourierRows
  if (asked === null) return succeeded(call.attempt)
  const known = yield* knownOf(asked, call)
  if (known.type === "unavailable") return resultOf(call, known)
  const { authorizationId } = known
  if (authorizationId !== null) {
    const payments = yield* processorOf(asked)
    const order = yield* orderFor(call, `cancel/${authorizationId}`)
    const result = yield* payments.cancel({ ...order, authorizationId })
    if (result.type !== "done") return resultOf(call, result)
  }
  yield* host.run({
    name: "store a voided payment",
    locks: {},
    body: () => rows.replacePayment({ ...asked, credential: null, authorizationId: null }),
  })
  return succeeded(call.attempt)
})

const knownOf = Effect.fnUntraced(function* (asked: CourierPaymentRow, call: Call) {
  const { credential, authorizationId } = asked
  if (credential === null || authorizationId !== null) return { type: "known", authorizationId } as const
  const result = yield* tryCredential(asked, credential, call)
  if (result.type === "unavailable") return result
  return { type: "known", authorizationId: result.type === "done" ? result.authorizationId : null } as const
})

/** In the sandbox the built-in one, whatever processor is configured. */
function processorOf({ isTest }: CourierPaymentRow): Effect.Effect<Payments["Type"], never, Payments> {
  return isTest ? Effect.succeed(builtInPayments) : Payments
}

/** The lease of an attempt that waited for its turn may have ended meanwhile. */
const isCurrentAttempt = Effect.fnUntraced(function* ({ actor, attempt }: Call) {
  const host = yield* ActorHost
  const group = yield* host.read(groupOf(actor))
  const payment = group === null ? null : actorAt("courier-payment", group.actors, actor)
  return payment?.context.attempt === attempt
})

const orderFor = Effect.fnUntraced(function* ({ actor, attempt }: Call, what: string) {
  const fee = feeOf(yield* CourierSettings)
  const deliveryId = idOf(actor)
  const idempotencyKey = `${deliveryId}/${what}`
  return { deliveryId, ...fee, idempotencyKey, repetition: attempt }
})

function kindOf({ reason, failure }: Extract<PaymentResult, { readonly type: "declined" }>): PaymentFailure {
  return failure ?? failureOf(reason)
}

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
