/** Direct delivery's repositories in memory. */

import { Effect, Layer } from "effect"
import { deliveryRowsOver, plainDeliveryReads } from "../services/direct-delivery/delivery-repository.ts"
import { VehicleRows } from "../services/dispatch/rows.ts"
import { vehicleRowsOver } from "../services/dispatch/vehicle-repository.ts"
import { layerOptOutRows } from "../services/messages/opt-out-repository.ts"
import type { OptOutRows } from "../services/messages/rows.ts"
import { DeliveryRows } from "../services/direct-delivery/rows.ts"
import type { DeliverySites } from "../services/direct-delivery/rows.ts"
import { layerDeliverySites } from "../services/direct-delivery/site-repository.ts"
import { Tables } from "../services/tables/tables.ts"
import { layerNotices } from "../services/webhooks/notice-repository.ts"
import type { Notices } from "../services/webhooks/notices.ts"
import type { MemoryStore } from "./memory-store.ts"
import { layerMemoryTables } from "./memory-tables.ts"
import { MemoryVehiclePool } from "./memory-vehicle-pool.ts"

/** Every port of direct delivery over one store. */
export function layerMemoryDeliveries(
  store: MemoryStore,
): Layer.Layer<DeliveryRows | DeliverySites | Notices | OptOutRows | VehicleRows> {
  const pools = new MemoryVehiclePool(store)
  const rows = Layer.mergeAll(
    Layer.effect(
      DeliveryRows,
      Effect.map(Tables, (tables) => deliveryRowsOver(tables, plainDeliveryReads(tables))),
    ),
    Layer.effect(
      VehicleRows,
      Effect.map(Tables, (tables) =>
        vehicleRowsOver(tables, (fleetId, asked) => Effect.sync(() => pools.pool(fleetId, asked))),
      ),
    ),
    layerDeliverySites,
    layerNotices,
    layerOptOutRows,
  )
  return Layer.provide(rows, layerMemoryTables(store))
}
