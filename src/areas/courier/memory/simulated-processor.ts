/**
 * The payment processor of a simulated run: the built-in one, as slow or as broken as the scenario says. It records its
 * actions, so that an invariant can compare its books with the errands. Repeats of an idempotency key have no further
 * effect.
 */

import { Effect, Layer } from "effect"
import { builtInPayments } from "../built-in-payments.ts"
import { Payments } from "../payments.ts"
import type { PaymentResult } from "../payments.ts"

/** The state of one authorization. */
export interface KeptPayment {
  readonly deliveryId: string
  readonly state: "authorized" | "captured" | "canceled" | "refunded"
}

const NO_ANSWER: PaymentResult = { type: "unavailable", reason: "no_answer" }

export class SimulatedProcessor {
  /** True: no request reaches it. */
  isDown = false
  /** True: it carries out the request, and its answer is lost. */
  losesAnswers = false
  /** How long it takes for an answer. */
  takesMs = 0
  /** By authorization. */
  readonly books = new Map<string, KeptPayment>()
  readonly #doneByKey = new Map<string, PaymentResult>()

  readonly layer: Layer.Layer<Payments> = Layer.succeed(Payments, {
    authorize: (order) => this.#answer(order, builtInPayments.authorize(order), "authorized"),
    capture: (order) => this.#answer(order, builtInPayments.capture(order), "captured"),
    cancel: (order) => this.#answer(order, builtInPayments.cancel(order), "canceled"),
    refund: (order) => this.#answer(order, builtInPayments.refund(order), "refunded"),
  })

  #answer(
    order: {
      readonly deliveryId: string
      readonly idempotencyKey: string
      readonly authorizationId?: string
    },
    asked: Effect.Effect<PaymentResult>,
    becomes: KeptPayment["state"],
  ): Effect.Effect<PaymentResult> {
    const { deliveryId, idempotencyKey } = order
    const doing = Effect.gen(this, function* () {
      if (this.isDown) return NO_ANSWER
      const result =
        this.#doneByKey.get(idempotencyKey) ?? this.#captureOver(order, becomes) ?? (yield* asked)
      if (result.type === "done" && !this.#doneByKey.has(idempotencyKey)) {
        const { authorizationId } = result
        const isCaptured = this.books.get(authorizationId)?.state === "captured"
        // Whatever was captured goes back when it is canceled.
        const state = becomes === "canceled" && isCaptured ? "refunded" : becomes
        this.books.set(authorizationId, { deliveryId, state })
      }
      this.#doneByKey.set(idempotencyKey, result)
      return this.losesAnswers ? NO_ANSWER : result
    })
    return Effect.suspend(() => (this.takesMs === 0 ? doing : Effect.delay(doing, this.takesMs)))
  }

  /** A capture that comes after the release of its authorization is declined. */
  #captureOver(
    { authorizationId }: { readonly authorizationId?: string },
    becomes: KeptPayment["state"],
  ): PaymentResult | null {
    const state = authorizationId === undefined ? undefined : this.books.get(authorizationId)?.state
    const isOver = becomes === "captured" && (state === "canceled" || state === "refunded")
    return isOver ? { type: "declined", reason: "capture_declined" } : null
  }
}
