/** Settings of fleets over their declared table. */

import { Effect, Layer } from "effect"
import { SealedTables } from "../../engine/services/tables/tables.ts"
import { FleetSettingsRows, fleetSettings } from "./fleet-settings.ts"

export const layerFleetSettingsRows: Layer.Layer<FleetSettingsRows, never, SealedTables> = Layer.effect(
  FleetSettingsRows,
  Effect.map(SealedTables, (tables): FleetSettingsRows["Type"] => {
    const rows = tables.of(fleetSettings)
    return { find: (environment, fleetId) => rows.get({ environment, fleetId }), put: rows.upsert }
  }),
)
