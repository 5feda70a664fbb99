/** Direct delivery's repositories in memory. */

import { Effect, Layer } from "effect"
import { deliveryRowsOver, plainDeliveryReads } from "../delivery-repository.ts"
import { VehicleRows } from "../../dispatch/rows.ts"
import { vehicleRowsOver } from "../../dispatch/vehicle-repository.ts"
import { OptOutRows } from "../../messages/rows.ts"
import { DeliveryRows, deliveries, DeliverySites } from "../rows.ts"
import { Tables } from "../../../engine/services/tables/tables.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { Notices } from "../../webhooks/notices.ts"
import type { MemoryStore } from "../../../engine/memory/memory-store.ts"
import { layerMemoryTables, memoryRowsOf } from "../../../engine/memory/memory-tables.ts"
import type { CountHolds } from "../../dispatch/holds.ts"
import { MemoryVehiclePool } from "../../dispatch/memory/vehicle-pool.ts"

/** Every port of direct delivery over one store. */
export function layerMemoryDeliveries(
  store: MemoryStore,
  holds: CountHolds,
): Layer.Layer<DeliveryRows | DeliverySites | Notices | OptOutRows | VehicleRows> {
  const pools = new MemoryVehiclePool(store, { runs: memoryRowsOf(store, deliveries), holds })
  const rows = Layer.mergeAll(
    Layer.effect(
      DeliveryRows,
      Effect.map(Tables, (tables) => deliveryRowsOver(tables, plainDeliveryReads(tables))),
    ),
    Layer.effect(
      VehicleRows,
      Effect.map(Tables, (tables) =>
        vehicleRowsOver(tables, (fleetId, asked) => Routine.sync(() => pools.pool(fleetId, asked))),
      ),
    ),
    DeliverySites.layer,
    Notices.layer,
    OptOutRows.layer,
  )
  return Layer.provide(rows, layerMemoryTables(store))
}
