/** The Direct Delivery API as a Fastify plugin: its endpoints and its document. */

import type { FastifyInstance } from "fastify"
import type { Environment } from "../../../model/caller.ts"
import type { Admission } from "../../../http/access/admission.ts"
import type { DirectDelivery } from "../direct-delivery.ts"
import type { PickupWebhooks } from "../../webhooks/webhooks.ts"
import type { WebhookLog } from "../../webhooks/webhook-log.ts"
import type { Run } from "../../../http/bridge.ts"
import { addKeyedApi } from "../../../http/keyed-api.ts"
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

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function directDeliveryPlugin(
  app: FastifyInstance,
  options: DirectDeliveryOptions,
): Promise<void> {
  addKeyedApi(app, {
    ...options,
    name: "dd",
    title: "Direct Delivery API",
    endpoints: endpointsOf(options.environment).map((one) => atSite(one)),
    webhooks: deliveryEvents,
    examples: examplesOf("dd"),
  })
}

/** In the order of the contract's table. */
function endpointsOf(environment: Environment): readonly SiteEndpoint<DirectDeliverySurface>[] {
  const everywhere = [...deliveries, ...webhooks, ...webhookLog]
  return environment === "sandbox" ? [...everywhere, ...advance] : everywhere
}
