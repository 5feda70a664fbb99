/** Whom the courier connector serves in these tests, the same on every host. */

import { Effect, Layer } from "effect"
import type { CourierCheckout } from "../../src/services/courier/checkout.ts"
import type { CourierOperations } from "../../src/services/courier/courier-operations.ts"
import type { Courier } from "../../src/services/courier/courier.ts"
import type { CourierRows } from "../../src/services/courier/rows.ts"
import type { CourierTracking } from "../../src/services/courier/tracking.ts"
import { LinkedUsers } from "../../src/services/linking/linked-users.ts"

export type CourierTags = Courier | CourierCheckout | CourierOperations | CourierRows | CourierTracking

/** A fleet of its own, so that its vehicles are those that a test parks. */
export const COURIER = { fleetId: "fleet_courier", baseUrl: "https://courier.example", linkKey: "links" }

export const USERS: Readonly<Record<string, string>> = {
  usr_one: "+15125550100",
  usr_two: "+15125550101",
}

export const layerTestUsers: Layer.Layer<LinkedUsers> = Layer.succeed(LinkedUsers, {
  phoneOf: (userId) => Effect.succeed(USERS[userId] ?? null),
  isEnabled: (userId) => Effect.succeed(userId in USERS),
})
