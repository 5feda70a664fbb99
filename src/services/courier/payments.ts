/**
 * Payments: the processor that authorizes, captures and gives back the delivery fee. Reached after a commit, as a call;
 * an attempt that may have been lost is made again under the same key and is carried out once.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { PaymentFailure } from "../../model/courier.ts"

/** One fee of one errand. */
export interface PaymentOrder {
  /** The errand's id: the processor's reference. */
  readonly deliveryId: string
  readonly amountCents: number
  /** Lower-case code. */
  readonly currency: string
  /** The same for every repetition of one attempt. */
  readonly idempotencyKey: string
  /** Tells repetitions apart, where a processor keeps a failure of its own under the key. */
  readonly repetition: number
}

/**
 * `declined` is for good, in a word such as `card_declined`, which is journalled; `failure` where the processor says more
 * than that word. `unavailable` may be asked again.
 */
export type PaymentResult =
  | { readonly type: "done"; readonly authorizationId: string }
  | { readonly type: "declined"; readonly reason: string; readonly failure?: PaymentFailure }
  | { readonly type: "unavailable"; readonly reason: string }

/**
 * What an agent can do about it: another credential, a fresh one, or one for more money. Stripe's words and those of the
 * built-in processor. Source: Stripe, error codes and decline codes.
 */
export function failureOf(reason: string): PaymentFailure {
  if (/expired/.test(reason)) return "expired"
  return OVER_LIMIT.has(reason) || /^(amount_above|charge_exceeds|max_amount)/.test(reason)
    ? "over_limit"
    : "declined"
}

/** Others that count something, such as `pin_try_exceeded` or `card_decline_rate_limit_exceeded`, are not about the amount. */
const OVER_LIMIT: ReadonlySet<string> = new Set([
  "amount_too_large",
  "card_velocity_exceeded",
  "insufficient_funds",
  "invalid_amount",
  "withdrawal_count_limit_exceeded",
])

export class Payments extends Context.Tag("Payments")<
  Payments,
  {
    /** `credential` is a shared payment token, or what the hosted form gave. */
    readonly authorize: (
      order: PaymentOrder & { readonly credential: string },
    ) => Effect.Effect<PaymentResult>
    readonly capture: (
      order: PaymentOrder & { readonly authorizationId: string },
    ) => Effect.Effect<PaymentResult>
    /** Lets an authorization go; the money of one that turns out to be captured goes back. */
    readonly cancel: (
      order: PaymentOrder & { readonly authorizationId: string },
    ) => Effect.Effect<PaymentResult>
    /** Gives back what was captured. */
    readonly refund: (
      order: PaymentOrder & { readonly authorizationId: string },
    ) => Effect.Effect<PaymentResult>
  }
>() {}
