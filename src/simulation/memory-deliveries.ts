/** Direct delivery's repositories in memory. */

import { Effect, Layer } from "effect"
import { deliveryRowsOver, plainDeliveryReads } from "../areas/direct-delivery/delivery-repository.ts"
import { VehicleRows } from "../areas/dispatch/rows.ts"
import { vehicleRowsOver } from "../areas/dispatch/vehicle-repository.ts"
import { layerOptOutRows } from "../areas/messages/opt-out-repository.ts"
import type { OptOutRows } from "../areas/messages/rows.ts"
import { DeliveryRows } from "../areas/direct-delivery/rows.ts"
import type { DeliverySites } from "../areas/direct-delivery/rows.ts"
import { layerDeliverySites } from "../areas/direct-delivery/site-repository.ts"
import { Tables } from "../services/tables/tables.ts"
import { layerNotices } from "../areas/webhooks/notice-repository.ts"
import type { Notices } from "../areas/webhooks/notices.ts"
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
