/** Direct delivery's repositories in memory. */

import { Effect, Layer } from "effect"
import { isFinal } from "../../../model/delivery.ts"
import { sites } from "../../catalog/rows.ts"
import { deliveryRowsOver, plainDeliveryReads } from "../delivery-repository.ts"
import { VehicleRows } from "../../dispatch/rows.ts"
import { vehicleRowsOver } from "../../dispatch/vehicle-repository.ts"
import { OptOutRows } from "../../messages/rows.ts"
import { DeliveryRows, deliveries, DeliverySites } from "../rows.ts"
import type { DeliveryRow } from "../rows.ts"
import type { RowOf } from "../../../engine/services/tables/table.ts"
import type { QueuedRun } from "../../dispatch/queue.ts"
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
  const pools = new MemoryVehiclePool(store, {
    runs: memoryRowsOf(store, deliveries),
    queueOf: queuesIn(store),
    holds,
  })
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

/** The open runs of each vehicle, and where they are collected. */
function queuesIn(store: MemoryStore): (fleetId: string, vehicleId: string) => readonly QueuedRun[] {
  const runs = memoryRowsOf(store, deliveries).indexBy(vehicleOfRun, ["fleetId", "vehicleId", "status"])
  const owned = memoryRowsOf(store, sites).indexBy(ownedSite, ["siteId", "organizationId"])
  return (fleetId, vehicleId) =>
    [...runs.rowsOf(runKey(fleetId, vehicleId))].map((run) => {
      const [site] = run.storePlace === null ? owned.rowsOf(run.siteId) : []
      const { number, status, readyByMs, pickupEtaMs, deliveryEtaMs, place: customer } = run
      const collectedAt = run.storePlace ?? site?.place ?? null
      return { number, status, readyByMs, pickupEtaMs, deliveryEtaMs, customer, store: collectedAt }
    })
}

function vehicleOfRun({ fleetId, vehicleId, status }: DeliveryRow): string | null {
  return isFinal(status) ? null : runKey(fleetId, vehicleId)
}

function runKey(fleetId: string, vehicleId: string): string {
  return `${fleetId}/${vehicleId}`
}

function ownedSite({ siteId, organizationId }: RowOf<typeof sites>): string | null {
  return organizationId === null ? null : siteId
}
