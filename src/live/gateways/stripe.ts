/**
 * Payments through Stripe: the fee is authorized from a shared payment token or a paid Checkout Session, captured at
 * the booking, and released or refunded. Source: Stripe API, Payment Intents, Refunds; Shared payment tokens.
 */

import type { HttpClient } from "@effect/platform/HttpClient"
import { Effect, Layer, Option, Schema } from "effect"
import { Payments, failureOf } from "../../areas/courier/payments.ts"
import type { PaymentOrder, PaymentResult } from "../../areas/courier/payments.ts"
import { STRIPE_TOKENS_VERSION, STRIPE_VERSION, askStripe, isOfOurs, problemIn } from "./stripe-api.ts"
import type { AskStripe, StripeAccount, StripeAnswer, StripeProblem } from "./stripe-api.ts"
import { findSession, isSessionId } from "./stripe-checkout.ts"

export function layerStripePayments(account: StripeAccount): Layer.Layer<Payments, never, HttpClient> {
  return Layer.effect(
    Payments,
    Effect.map(askStripe(account), (ask) => ({
      authorize: (order) => authorize(ask, order),
      capture: (order) => capture(ask, order),
      cancel: (order) => cancel(ask, order),
      refund: (order) => refund(ask, order),
    })),
  )
}

type Authorizing = PaymentOrder & { readonly credential: string }
type Kept = PaymentOrder & { readonly authorizationId: string }

function authorize(ask: AskStripe, order: Authorizing): Effect.Effect<PaymentResult> {
  return isSessionId(order.credential) ? takeSession(ask, order) : useToken(ask, order)
}

/** The user has paid on Stripe's page: the payment is already authorized, if it belongs to this errand. */
const takeSession = Effect.fnUntraced(function* (
  ask: AskStripe,
  order: Authorizing,
): Effect.fn.Return<PaymentResult> {
  const found = yield* findSession(ask, order.credential)
  if (found.type === "unavailable") return unavailable("stripe_unavailable")
  if (found.type !== "paid") return declined("session_not_paid")
  const { deliveryId, amountCents, currency, authorizationId } = found
  const isOurs =
    deliveryId === order.deliveryId && amountCents === order.amountCents && currency === order.currency
  return isOurs ? { type: "done", authorizationId } : declined("session_of_another")
})

const PaymentIntent = Schema.Struct({ id: Schema.String, status: Schema.String })
const decodeIntent = Schema.decodeUnknownOption(PaymentIntent)

/** The machine tries a token once, so a lost answer is retried here, under the same key. */
const useToken = Effect.fnUntraced(function* (
  ask: AskStripe,
  order: Authorizing,
): Effect.fn.Return<PaymentResult> {
  const request = {
    method: "POST",
    path: "/v1/payment_intents",
    version: STRIPE_TOKENS_VERSION,
    idempotencyKey: order.idempotencyKey,
    form: {
      amount: String(order.amountCents),
      currency: order.currency,
      capture_method: "manual",
      confirm: "true",
      // The customer is not present to answer an authentication request of the bank.
      error_on_requires_action: "true",
      "payment_method_data[shared_payment_granted_token]": order.credential,
      "metadata[delivery_id]": order.deliveryId,
      "metadata[asked_as]": order.idempotencyKey,
    },
  } as const
  const answer = yield* Effect.repeat(ask(request), { while: isLost, times: 1 })
  if (answer.type === "answered" || !answer.hasFailed) return authorized(answer)
  // Stripe keeps its own failure under the key: the payment is looked up, and requested again only if it does not
  // exist.
  const made = yield* findMade(ask, order)
  if (made !== null) return made
  return authorized(
    yield* ask({ ...request, idempotencyKey: `${order.idempotencyKey}/again/${order.repetition}` }),
  )
})

function isLost(answer: StripeAnswer): boolean {
  return answer.type === "unclear" && !answer.hasFailed
}

const decodeMade = Schema.decodeUnknownOption(
  Schema.Struct({
    data: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        status: Schema.String,
        metadata: Schema.Record({ key: Schema.String, value: Schema.String }),
      }),
    ),
  }),
)

/** Searches the newest payments; null if it is not among them. */
const findMade = Effect.fnUntraced(function* (
  ask: AskStripe,
  order: Authorizing,
): Effect.fn.Return<PaymentResult | null> {
  const path = `/v1/payment_intents?limit=${NEWEST}`
  const answer = yield* ask({ method: "GET", path, version: STRIPE_TOKENS_VERSION })
  if (answer.type === "unclear" || answer.status !== 200) return unavailable("stripe_unclear")
  const found = Option.getOrNull(decodeMade(answer.body))
  if (found === null) return unavailable("stripe_not_understood")
  const made = found.data.find(({ metadata }) => metadata["asked_as"] === order.idempotencyKey)
  if (made === undefined) return null
  return made.status === "requires_capture"
    ? { type: "done", authorizationId: made.id }
    : declined("not_authorized")
})

/** Maximum size of a page in Stripe's lists. */
const NEWEST = 100

function authorized(answer: StripeAnswer): PaymentResult {
  if (answer.type === "unclear") return unavailable(answer.reason)
  const { status, body } = answer
  if (isOfOurs(status)) return unavailable(`stripe_${status}`)
  if (status !== 200) return declinedBy(problemIn(body))
  const intent = Option.getOrNull(decodeIntent(body))
  if (intent === null) return unavailable("stripe_not_understood")
  return intent.status === "requires_capture"
    ? { type: "done", authorizationId: intent.id }
    : declined("not_authorized")
}

function capture(ask: AskStripe, order: Kept): Effect.Effect<PaymentResult> {
  return change(ask, order, {
    path: `${pathOf(order.authorizationId)}/capture`,
    form: { amount_to_capture: String(order.amountCents) },
    read: intentResult(order, "succeeded"),
    isDone: Effect.map(statusOf(ask, order.authorizationId), (status) => status === "succeeded"),
  })
}

/** A payment that turns out to be captured is refunded: the answer to its capture was lost. */
const cancel = Effect.fnUntraced(function* (ask: AskStripe, order: Kept): Effect.fn.Return<PaymentResult> {
  const result = yield* letGo(ask, order)
  if (result.type !== "declined") return result
  if ((yield* statusOf(ask, order.authorizationId)) !== "succeeded") return result
  return yield* refund(ask, { ...order, idempotencyKey: `${order.idempotencyKey}/refund` })
})

function letGo(ask: AskStripe, order: Kept): Effect.Effect<PaymentResult> {
  return change(ask, order, {
    path: `${pathOf(order.authorizationId)}/cancel`,
    form: { cancellation_reason: "abandoned" },
    read: intentResult(order, "canceled"),
    isDone: Effect.map(statusOf(ask, order.authorizationId), (status) => status === "canceled"),
  })
}

function refund(ask: AskStripe, order: Kept): Effect.Effect<PaymentResult> {
  return change(ask, order, {
    path: "/v1/refunds",
    form: { payment_intent: order.authorizationId, reason: "requested_by_customer" },
    read: ({ status, body }) => {
      if (status === 200) return done(order)
      const { code } = problemIn(body)
      return code === "charge_already_refunded" ? done(order) : declined(code)
    },
    isDone: isRefunded(ask, order.authorizationId),
    isOwed: true,
  })
}

type Answered = Extract<StripeAnswer, { readonly type: "answered" }>

interface Change {
  readonly path: string
  readonly form: Readonly<Record<string, string>>
  readonly read: (answer: Answered) => PaymentResult
  /** Looks the state up when the answer is unclear. */
  readonly isDone: Effect.Effect<boolean>
  /** True when a refusal is looked up too: Stripe keeps it under the key, and the money is owed. */
  readonly isOwed?: boolean
}

/**
 * Stripe keeps an answer under its key, even a failure of its own, so a retry with the same key would get the same
 * failure. An unclear result is therefore looked up; a failed change that was not done is requested once more under a
 * new key. That is safe, because a payment can be captured, canceled or fully refunded only once.
 */
const change = Effect.fnUntraced(function* (
  ask: AskStripe,
  order: Kept,
  { path, form, read, isDone, isOwed = false }: Change,
): Effect.fn.Return<PaymentResult> {
  const { idempotencyKey: key, repetition } = order
  const request = { method: "POST", path, form, version: STRIPE_VERSION } as const
  const first = yield* ask({ ...request, idempotencyKey: key })
  if (first.type === "answered") {
    const result = resultOf(first, read)
    if (result.type !== "declined" || !isOwed) return result
  }
  if (yield* isDone) return done(order)
  if (first.type === "unclear" && !first.hasFailed) return unavailable(first.reason)
  const again = yield* ask({ ...request, idempotencyKey: `${key}/again/${repetition}` })
  return again.type === "answered" ? resultOf(again, read) : unavailable(again.reason)
})

function resultOf(answer: Answered, read: Change["read"]): PaymentResult {
  return isOfOurs(answer.status) ? unavailable(`stripe_${answer.status}`) : read(answer)
}

function intentResult(order: Kept, wanted: string) {
  return ({ status, body }: Answered): PaymentResult => {
    if (status === 200) {
      const intent = Option.getOrNull(decodeIntent(body))
      return intent?.status === wanted ? done(order) : unavailable("stripe_not_understood")
    }
    const problem = problemIn(body)
    return problem.paymentStatus === wanted ? done(order) : declinedBy(problem)
  }
}

const statusOf = Effect.fnUntraced(function* (
  ask: AskStripe,
  authorizationId: string,
): Effect.fn.Return<string | null> {
  const answer = yield* ask({ method: "GET", path: pathOf(authorizationId), version: STRIPE_VERSION })
  if (answer.type === "unclear" || answer.status !== 200) return null
  return Option.getOrNull(decodeIntent(answer.body))?.status ?? null
})

const decodeRefunded = Schema.decodeUnknownOption(
  Schema.Struct({ latest_charge: Schema.Struct({ refunded: Schema.Boolean }) }),
)

const isRefunded = Effect.fnUntraced(function* (
  ask: AskStripe,
  authorizationId: string,
): Effect.fn.Return<boolean> {
  const path = `${pathOf(authorizationId)}?expand[]=latest_charge`
  const answer = yield* ask({ method: "GET", path, version: STRIPE_VERSION })
  if (answer.type === "unclear" || answer.status !== 200) return false
  return Option.getOrNull(decodeRefunded(answer.body))?.latest_charge.refunded === true
})

function pathOf(authorizationId: string): string {
  return `/v1/payment_intents/${encodeURIComponent(authorizationId)}`
}

function done({ authorizationId }: Kept): PaymentResult {
  return { type: "done", authorizationId }
}

function declined(reason: string): PaymentResult {
  return { type: "declined", reason }
}

/** The bank's reason is more specific than `card_declined`. */
function declinedBy({ code, declineCode }: StripeProblem): PaymentResult {
  return declineCode === null
    ? declined(code)
    : { type: "declined", reason: code, failure: failureOf(declineCode) }
}

function unavailable(reason: string): PaymentResult {
  return { type: "unavailable", reason }
}
