/**
 * The built-in payment processor: it moves no money and accepts only test tokens, recognized by their prefixes. Source:
 * choice 2.6.
 *
 * Differs from the street: it answers at once and never loses a request.
 */

import { Effect, Layer } from "effect"
import { Payments } from "./payments.ts"
import type { PaymentResult } from "./payments.ts"

/** The result of each test token; any other is declined. */
export const TEST_TOKENS: Readonly<Record<string, string | null>> = {
  spt_ok: null,
  spt_declined: "card_declined",
  spt_expired: "token_expired",
  spt_used: "token_already_used",
  spt_small: "amount_above_token_limit",
  /** Authorized, but the capture fails. */
  spt_uncaptured: null,
}

const UNCAPTURED = "uncaptured"

export const builtInPayments: Payments["Type"] = {
  authorize: ({ deliveryId, credential, idempotencyKey }) =>
    Effect.sync(() => authorize(credential, `${deliveryId}/${idempotencyKey.split("/").at(-1) ?? ""}`)),
  capture: ({ authorizationId }) =>
    Effect.sync(() =>
      authorizationId.startsWith(`auth_${UNCAPTURED}`)
        ? { type: "declined", reason: "capture_declined" }
        : done(authorizationId),
    ),
  cancel: ({ authorizationId }) => Effect.succeed(done(authorizationId)),
  refund: ({ authorizationId }) => Effect.succeed(done(authorizationId)),
}

export const layerBuiltInPayments: Layer.Layer<Payments> = Layer.succeed(Payments, builtInPayments)

const down = Effect.succeed<PaymentResult>({ type: "unavailable", reason: "no_processor" })

/** For a service without a processor, where test tokens would make deliveries free. */
export const layerNoPayments: Layer.Layer<Payments> = Layer.succeed(Payments, {
  authorize: () => Effect.succeed({ type: "declined", reason: "no_processor" }),
  capture: () => down,
  cancel: () => down,
  refund: () => down,
})

/** The authorization as one whose capture fails. */
export function uncaptured(authorizationId: string): string {
  return authorizationId.replace(/^auth_ok_/, `auth_${UNCAPTURED}_`)
}

function authorize(credential: string, reference: string): PaymentResult {
  const kind = Object.keys(TEST_TOKENS).find((prefix) => credential.startsWith(prefix))
  const reason = kind === undefined ? "unknown_token" : (TEST_TOKENS[kind] ?? null)
  if (reason !== null) return { type: "declined", reason }
  return done(`auth_${kind === "spt_uncaptured" ? UNCAPTURED : "ok"}_${reference}`)
}

function done(authorizationId: string): PaymentResult {
  return { type: "done", authorizationId }
}
