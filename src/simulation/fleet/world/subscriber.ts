/** A partner that subscribes to every webhook of both areas, and always answers at once. */

import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import { PickupWebhooks, Webhooks } from "../../../areas/webhooks/webhooks.ts"
import { callsOf } from "./calls.ts"
import { PARTNER } from "./fleet-world.ts"
import type { FleetWorld } from "./fleet-world.ts"

export function subscribe(world: FleetWorld): void {
  const url = "https://partner.example/webhooks"
  callsOf(world, Webhooks).register([PARTNER, { url, subscribed_events: EVENT_TYPES }])
  callsOf(world, PickupWebhooks).register([PARTNER, { url, events: PICKUP_EVENT_TYPES }])
}
