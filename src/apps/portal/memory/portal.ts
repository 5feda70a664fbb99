/** The portal's sessions in memory. */

import { Effect, Layer } from "effect"
import { plainSession, portalRowsOver } from "../portal-repository.ts"
import { PortalRows } from "../rows.ts"
import { Tables } from "../../../engine/services/tables/tables.ts"

export const layerMemoryPortalRows: Layer.Layer<PortalRows, never, Tables> = Layer.effect(
  PortalRows,
  Effect.map(Tables, (tables) => portalRowsOver(tables, plainSession(tables))),
)
