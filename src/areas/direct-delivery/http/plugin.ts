/** The Direct Delivery API as a Fastify plugin: its endpoints and its document. */

import type { FastifyInstance } from "fastify"
import type { Environment } from "../../../model/caller.ts"
import type { ErrorCode } from "../../../model/errors.ts"
import type { Admission } from "../../access/admission.ts"
import type { DirectDelivery } from "../direct-delivery.ts"
import type { PickupWebhooks } from "../../webhooks/webhooks.ts"
import type { WebhookLog } from "../../webhooks/webhook-log.ts"
import type { Run } from "../../../http/bridge.ts"
import { addEndpoint } from "../../../http/keyed-endpoint.ts"
import { documentOf } from "../../../http/openapi.ts"
import { examplesOf } from "../../../http/recorded-examples.ts"
import { advance, deliveries } from "./deliveries.ts"
import { deliveryEvents } from "./events.ts"
import { atSite } from "./site-header.ts"
import type { SiteEndpoint } from "./site-header.ts"
import { webhookLog } from "./webhook-log.ts"
import { webhooks } from "./webhooks.ts"

/** All services that this API needs. */
export type DirectDeliverySurface = Admission | DirectDelivery | PickupWebhooks | WebhookLog

export interface DirectDeliveryOptions {
  readonly run: Run<DirectDeliverySurface>
  readonly environment: Environment
  /** Public URL for the document; default: relative to the document. */
  readonly baseUrl?: string
}

/** Errors of every endpoint. Retailers need no enrolment as fleet partners. */
const ERRORS: readonly ErrorCode[] = [
  "INVALID_API_KEY",
  "WRONG_ENV_KEY",
  "ORG_INACTIVE",
  "PERMISSION_DENIED",
  "RATE_LIMITED",
  "OVERLOADED",
  "INTERNAL_ERROR",
  "UNAVAILABLE",
]

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function directDeliveryPlugin(
  app: FastifyInstance,
  options: DirectDeliveryOptions,
): Promise<void> {
  const endpoints = endpointsOf(options.environment).map((one) => atSite(one))
  const { run, environment } = options
  const surface = { run, environment, isForFleetPartners: false, done: { success: true } }
  for (const endpoint of endpoints) addEndpoint(app, endpoint, surface)
  const document = documentOf({
    title: "Direct Delivery API",
    endpoints,
    baseUrl: options.baseUrl,
    bearer: "key",
    errors: ERRORS,
    headers: ["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
    describe: ({ permissions }) => `Needs ${permissions.map((one) => `\`${one}\``).join(" and ")}.`,
    webhooks: deliveryEvents,
    examples: examplesOf("dd"),
  })
  app.get("/openapi/dd.json", async () => document)
}

/** In the order of the contract's table. */
function endpointsOf(environment: Environment): readonly SiteEndpoint<DirectDeliverySurface>[] {
  const everywhere = [...deliveries, ...webhooks, ...webhookLog]
  return environment === "sandbox" ? [...everywhere, ...advance] : everywhere
}
