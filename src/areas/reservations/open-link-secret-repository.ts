/** Open-link secrets over their declared table. */

import { Effect, Layer } from "effect"
import { SealedTables } from "../../engine/services/tables/tables.ts"
import { OpenLinkSecretRows, openLinkSecrets } from "./open-link-secrets.ts"

export const layerOpenLinkSecretRows: Layer.Layer<OpenLinkSecretRows, never, SealedTables> = Layer.effect(
  OpenLinkSecretRows,
  Effect.map(SealedTables, (tables): OpenLinkSecretRows["Type"] => {
    const rows = tables.of(openLinkSecrets)
    return {
      find: ({ environment, organizationId }) => rows.get({ environment, organizationId }),
      put: rows.upsert,
      remove: ({ environment, organizationId }) => rows.delete({ environment, organizationId }),
    }
  }),
)
