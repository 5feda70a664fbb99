/**
 * Hosted checkout: a payment processor's own page, on which the user pays the fee of one errand. Absent with the
 * built-in processor, which uses a page of ours.
 */

import { Context, Effect, Layer } from "effect"
import type { EpochMs } from "../../model/values/time.ts"

export interface HostedOrder {
  /** Returned with the session. */
  readonly deliveryId: string
  readonly amountCents: number
  /** Lower-case code. */
  readonly currency: string
  /** The URL to which the processor redirects the user afterwards; it adds the session. */
  readonly returnUrl: string
  readonly expiresAtMs: EpochMs
  /** Requests with the same key must be equal. */
  readonly idempotencyKey: string
}

export type HostedPage = { readonly type: "page"; readonly url: string } | { readonly type: "unavailable" }

/** `paid`: the money is authorized. `over`: it was captured or released. */
export type FoundSession =
  | {
      readonly type: "paid"
      readonly deliveryId: string
      readonly amountCents: number
      readonly currency: string
      readonly authorizationId: string
    }
  | { readonly type: "open" }
  | { readonly type: "over"; readonly authorizationId: string }
  | { readonly type: "unknown" }
  | { readonly type: "unavailable" }

/** A request that claims to be an event of the processor. */
export interface ClaimedNotice {
  readonly body: Uint8Array
  readonly signature: string
  readonly nowMs: EpochMs
}

export class HostedCheckout extends Context.Tag("HostedCheckout")<
  HostedCheckout,
  {
    readonly begin: (order: HostedOrder) => Effect.Effect<HostedPage>
    readonly find: (sessionId: string) => Effect.Effect<FoundSession>
    /** The paid session; null for a genuine event about anything else. */
    readonly sessionIn: (notice: ClaimedNotice) => { readonly sessionId: string } | "forged" | null
  }
>() {}

/** For a processor without such a page and without events. */
export const layerNoHostedCheckout: Layer.Layer<HostedCheckout> = Layer.succeed(HostedCheckout, {
  begin: () => Effect.succeed({ type: "unavailable" }),
  find: () => Effect.succeed({ type: "unavailable" }),
  sessionIn: () => "forged",
})
