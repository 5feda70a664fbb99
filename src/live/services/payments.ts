/**
 * The connector's payment processor: Stripe if it is configured, the built-in one for demos and tests, otherwise none.
 */

import { Layer, Redacted } from "effect"
import { layerApiClient } from "../gateways/api-client.ts"
import { layerStripeCheckout } from "../gateways/stripe-checkout.ts"
import { layerStripePayments } from "../gateways/stripe.ts"
import { layerBuiltInPayments, layerNoPayments } from "../../areas/courier/built-in-payments.ts"
import { layerNoHostedCheckout } from "../../areas/courier/hosted-checkout.ts"
import { HostedPayment } from "../../areas/courier/hosted-payment.ts"
import type { Payments } from "../../areas/courier/payments.ts"
import type { Configuration } from "../configuration/configuration.ts"

export interface PaymentParts {
  readonly payments: Layer.Layer<Payments>
  /** The pages behind checkout links. */
  readonly hosted: typeof HostedPayment.layer extends Layer.Layer<infer Hosted, never, infer Needs>
    ? Layer.Layer<Hosted, never, Exclude<Needs, Provided>>
    : never
  /** True when our checkout page offers test cards; otherwise it leads to the processor's page. */
  readonly hasTestCards: boolean
}

type Provided = Layer.Layer.Success<typeof layerNoHostedCheckout> | Payments

export function paymentsOf({
  databaseUrl,
  nodeEnv,
  stripeSecretKey,
  stripeUrl,
  stripeWebhookSecret,
}: Configuration): PaymentParts {
  if (stripeSecretKey !== null && stripeWebhookSecret !== null) {
    const secretKey = Redacted.value(stripeSecretKey)
    const account = { secretKey, ...(stripeUrl === null ? {} : { apiUrl: stripeUrl }) }
    const webhookSecret = Redacted.value(stripeWebhookSecret)
    const checkout = layerStripeCheckout({ ...account, webhookSecret }).pipe(Layer.provide(layerApiClient))
    const payments = layerStripePayments(account).pipe(Layer.provide(layerApiClient))
    const hosted = HostedPayment.layer.pipe(Layer.provide(Layer.merge(payments, checkout)))
    return { payments, hosted, hasTestCards: false }
  }
  const isForTrying = databaseUrl === null && nodeEnv !== "production"
  const payments = isForTrying ? layerBuiltInPayments : layerNoPayments
  const hosted = HostedPayment.layer.pipe(Layer.provide(Layer.merge(payments, layerNoHostedCheckout)))
  return { payments, hosted, hasTestCards: isForTrying }
}
