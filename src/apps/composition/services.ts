/** The services of every host, listed once: what a caller may use is what this layer provides, over the ports of the host. */

import { Layer } from "effect"
import { Analytics } from "../../areas/analytics/analytics.ts"
import { Compartments } from "../../areas/compartments/compartments.ts"
import { Charges } from "../../areas/direct-delivery/charges.ts"
import { DeliveryOperations } from "../../areas/direct-delivery/delivery-operations.ts"
import { DirectDelivery } from "../../areas/direct-delivery/direct-delivery.ts"
import { layerRuns } from "../../areas/direct-delivery/runs.ts"
import { FleetSettings } from "../../areas/dispatch/fleet-settings.ts"
import { Vehicles } from "../../areas/dispatch/vehicles.ts"
import { SmsConsent } from "../../areas/messages/consent.ts"
import { OpenLinkSecrets } from "../../areas/reservations/open-link-secrets.ts"
import { Reservations } from "../../areas/reservations/reservations.ts"
import { RunnerTasks } from "../../areas/reservations/runner-tasks.ts"
import { SandboxWalk } from "../../areas/reservations/sandbox-walk.ts"
import { WebhookLog } from "../../areas/webhooks/webhook-log.ts"
import { PickupWebhooks, Webhooks } from "../../areas/webhooks/webhooks.ts"
import { RunnerBoard } from "../operations/runner-board.ts"
import { WindowPolicy } from "../operations/window-policy.ts"
import { layerAreas } from "./areas.ts"
import { layerDryRun } from "./dry-run.ts"

/** A host adds what it alone has: the live service boards, forecasts and the sandbox's clock, a simulated run its people. */
export const layerServices = Layer.mergeAll(
  Analytics.layer,
  Charges.layer,
  Compartments.layer,
  DeliveryOperations.layer,
  DirectDelivery.layer,
  FleetSettings.layer,
  OpenLinkSecrets.layer,
  PickupWebhooks.layer,
  Reservations.layer,
  RunnerBoard.layer.pipe(Layer.provide(layerDryRun)),
  RunnerTasks.layer,
  SandboxWalk.layer,
  Vehicles.layer,
  WebhookLog.layer,
  Webhooks.layer,
  WindowPolicy.layer,
  layerAreas,
).pipe(Layer.provideMerge(Layer.merge(layerRuns, SmsConsent.layer)))
