/**
 * Payments: the processor that authorizes, captures and returns the delivery fee. It is called after a commit; an
 * ambiguous attempt is retried under the same idempotency key and carried out once.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { PaymentFailure } from "../../model/courier.ts"

/** The fee of one errand. */
export interface PaymentOrder {
  /** The errand's id, as the processor's reference. */
  readonly deliveryId: string
  readonly amountCents: number
  /** Lower-case code. */
  readonly currency: string
  /** The same for every retry of one attempt. */
  readonly idempotencyKey: string
  /** Distinguishes retries, for processors that keep their own failures under the key. */
  readonly repetition: number
}

/**
 * `declined` is final, with a code such as `card_declined`, which is journalled, and `failure` if the processor says
 * more than the code. `unavailable` may be retried.
 */
export type PaymentResult =
  | { readonly type: "done"; readonly authorizationId: string }
  | { readonly type: "declined"; readonly reason: string; readonly failure?: PaymentFailure }
  | { readonly type: "unavailable"; readonly reason: string }

/**
 * What an agent can do about a decline: use another credential, a new one, or one for more money. Codes of Stripe and
 * of the built-in processor. Source: Stripe, error codes and decline codes.
 */
export function failureOf(reason: string): PaymentFailure {
  if (/expired/.test(reason)) return "expired"
  return OVER_LIMIT.has(reason) || /^(amount_above|charge_exceeds|max_amount)/.test(reason)
    ? "over_limit"
    : "declined"
}

/**
 * Other codes with a limit in their name, such as `pin_try_exceeded` or `card_decline_rate_limit_exceeded`, are not
 * about the amount.
 */
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
    /** `credential` is a shared payment token, or the result of the hosted form. */
    readonly authorize: (
      order: PaymentOrder & { readonly credential: string },
    ) => Effect.Effect<PaymentResult>
    readonly capture: (
      order: PaymentOrder & { readonly authorizationId: string },
    ) => Effect.Effect<PaymentResult>
    /** Releases an authorization; if it turns out to be captured, the money is refunded. */
    readonly cancel: (
      order: PaymentOrder & { readonly authorizationId: string },
    ) => Effect.Effect<PaymentResult>
    /** Refunds a capture. */
    readonly refund: (
      order: PaymentOrder & { readonly authorizationId: string },
    ) => Effect.Effect<PaymentResult>
  }
>() {}
