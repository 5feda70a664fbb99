/** Whom the courier connector serves in these tests, the same on every host. */

import { Layer } from "effect"
import type { CourierCheckout } from "../../src/areas/courier/checkout.ts"
import type { CourierOperations } from "../../src/areas/courier/courier-operations.ts"
import type { Courier } from "../../src/areas/courier/courier.ts"
import type { CourierRows } from "../../src/areas/courier/rows.ts"
import type { Tracking } from "../../src/areas/tracking/tracking.ts"
import { LinkedUsers } from "../../src/areas/linking/linked-users.ts"
import { Routine } from "../../src/engine/services/routine.ts"

export type CourierTags = Courier | CourierCheckout | CourierOperations | CourierRows | Tracking

/** A fleet of its own, so that its vehicles are those that a test parks. */
export const COURIER = { fleetId: "fleet_courier", baseUrl: "https://courier.example", linkKey: "links" }

export const USERS: Readonly<Record<string, string>> = {
  usr_one: "+15125550100",
  usr_two: "+15125550101",
}

export const layerTestUsers: Layer.Layer<LinkedUsers> = Layer.succeed(LinkedUsers, {
  phoneOf: (userId) => Routine.succeed(USERS[userId] ?? null),
  organizationOf: () => Routine.succeed(null),
  isEnabled: (userId) => Routine.succeed(userId in USERS),
})
