/**
 * Stripe's hosted checkout: a page for one errand, its result, and the events about it. Source: Stripe API, Checkout
 * Sessions; Webhooks, verify signatures manually.
 */

import { createHmac } from "node:crypto"
import type { HttpClient } from "@effect/platform/HttpClient"
import { Effect, Layer, Option, Schema } from "effect"
import { PAYMENT_NOTICE_AGE_MS_MAX } from "../../model/values/limits.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import { isSameBytes } from "#digest"
import { HostedCheckout } from "../../areas/courier/hosted-checkout.ts"
import type {
  ClaimedNotice,
  FoundSession,
  HostedOrder,
  HostedPage,
} from "../../areas/courier/hosted-checkout.ts"
import { STRIPE_VERSION, askStripe } from "./stripe-api.ts"
import type { AskStripe, StripeAccount } from "./stripe-api.ts"

interface StripeCheckoutOptions extends StripeAccount {
  /** Verifies the events that Stripe posts. */
  readonly webhookSecret: string
}

export function layerStripeCheckout(
  options: StripeCheckoutOptions,
): Layer.Layer<HostedCheckout, never, HttpClient> {
  return Layer.effect(
    HostedCheckout,
    Effect.map(askStripe(options), (ask) => ({
      begin: (order) => begin(ask, order),
      find: (sessionId) => findSession(ask, sessionId),
      sessionIn: (notice) => sessionIn(notice, options.webhookSecret),
    })),
  )
}

export function isSessionId(text: string): boolean {
  return /^cs_[A-Za-z0-9_]{1,190}$/.test(text)
}

const Session = Schema.Struct({ id: Schema.String, url: Schema.String })
const decodeSession = Schema.decodeUnknownOption(Session)

/** Only cards: other payment methods cannot all be authorized without being captured. */
const begin = Effect.fnUntraced(function* (ask: AskStripe, order: HostedOrder): Effect.fn.Return<HostedPage> {
  const { deliveryId, amountCents, currency, returnUrl, expiresAtMs, idempotencyKey } = order
  const answer = yield* ask({
    method: "POST",
    path: "/v1/checkout/sessions",
    version: STRIPE_VERSION,
    idempotencyKey,
    form: {
      mode: "payment",
      client_reference_id: deliveryId,
      success_url: `${returnUrl}?session={CHECKOUT_SESSION_ID}`,
      cancel_url: returnUrl,
      expires_at: String(Math.floor(expiresAtMs / SECOND_MS)),
      "allowed_payment_method_types[0]": "card",
      "payment_intent_data[capture_method]": "manual",
      "payment_intent_data[metadata][delivery_id]": deliveryId,
      "line_items[0][quantity]": "1",
      "line_items[0][price_data][currency]": currency,
      "line_items[0][price_data][unit_amount]": String(amountCents),
      "line_items[0][price_data][product_data][name]": "Delivery fee",
    },
  })
  const page =
    answer.type === "answered" && answer.status === 200 ? decodeSession(answer.body) : Option.none()
  return Option.match(page, {
    onNone: () => ({ type: "unavailable" }) as const,
    onSome: ({ url }) => ({ type: "page", url }) as const,
  })
})

const PaidSession = Schema.Struct({
  client_reference_id: Schema.NullOr(Schema.String),
  amount_total: Schema.NullOr(Schema.Number),
  currency: Schema.NullOr(Schema.String),
  payment_intent: Schema.NullOr(Schema.Struct({ id: Schema.String, status: Schema.String })),
})
const decodePaidSession = Schema.decodeUnknownOption(PaidSession)

/** Stripe reports a session whose payment is only authorized as unpaid, so its payment is read. */
export const findSession = Effect.fnUntraced(function* (
  ask: AskStripe,
  sessionId: string,
): Effect.fn.Return<FoundSession> {
  if (!isSessionId(sessionId)) return { type: "unknown" }
  const path = `/v1/checkout/sessions/${encodeURIComponent(sessionId)}?expand[]=payment_intent`
  const answer = yield* ask({ method: "GET", path, version: STRIPE_VERSION })
  if (answer.type === "unclear") return { type: "unavailable" }
  if (answer.status === 404) return { type: "unknown" }
  const session = answer.status === 200 ? Option.getOrNull(decodePaidSession(answer.body)) : null
  if (session === null) return { type: "unavailable" }
  const { client_reference_id: deliveryId, amount_total: amountCents, currency, payment_intent } = session
  if (deliveryId === null || amountCents === null || currency === null) return { type: "unknown" }
  if (payment_intent === null) return { type: "open" }
  const { id: authorizationId, status } = payment_intent
  if (status === "canceled" || status === "succeeded") return { type: "over", authorizationId }
  if (status !== "requires_capture") return { type: "open" }
  return { type: "paid", deliveryId, amountCents, currency, authorizationId }
})

const Event = Schema.parseJson(
  Schema.Struct({
    type: Schema.String,
    data: Schema.Struct({ object: Schema.Struct({ id: Schema.optional(Schema.String) }) }),
  }),
)
const decodeEvent = Schema.decodeUnknownOption(Event)

/** HMAC-SHA256 with the endpoint's secret over instant and body, compared in constant time; old events are rejected. */
function sessionIn({ body, signature, nowMs }: ClaimedNotice, secret: string) {
  const parts = signature.split(",").map((part) => part.trim().split("="))
  const [, stampedAt = ""] = parts.find(([name]) => name === "t") ?? []
  const atMs = Number(stampedAt) * SECOND_MS
  if (!/^\d{1,12}$/.test(stampedAt) || Math.abs(nowMs - atMs) > PAYMENT_NOTICE_AGE_MS_MAX) return "forged"
  const wanted = createHmac("sha256", secret).update(`${stampedAt}.`).update(body).digest()
  const isGenuine = parts.some(([name, given = ""]) => {
    return name === "v1" && isSameBytes(Buffer.from(given, "hex"), wanted)
  })
  if (!isGenuine) return "forged"
  const event = Option.getOrNull(decodeEvent(new TextDecoder().decode(body)))
  if (event === null || event.type !== "checkout.session.completed") return null
  return { sessionId: event.data.object.id ?? "" }
}
