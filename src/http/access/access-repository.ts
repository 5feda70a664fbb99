/** Organizations and API keys over their declared tables. */

import { Effect, Layer } from "effect"
import { among } from "../../engine/services/tables/conditions.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { AccessRows, apiKeyUses, apiKeys, organizations } from "./rows.ts"

type Rows = AccessRows["Type"]

/** `holder`: the query that reads a key with its organization. */
export function accessRowsOver(tables: Tables["Type"], holder: Rows["holder"]): Rows {
  const all = tables.of(organizations)
  const keys = tables.of(apiKeys)
  const uses = tables.of(apiKeyUses)
  return {
    holder,
    organization: (organizationId) => all.get({ organizationId }),
    organizations: all.list({}, { order: ["organizationId"] }),
    organizationsOf: (ids) => all.list({ organizationId: among(...ids) }, { order: "any" }),
    insertOrganization: all.insert,
    changeOrganization: (organizationId, change) => all.update({ organizationId }, change),
    key: (keyId) => keys.get({ keyId }),
    keys: (organizationId) => keys.list({ organizationId }, { order: ["number"] }),
    insertKey: keys.insert,
    changeKey: (keyId, change) => keys.update({ keyId }, change),
    putKeyUse: uses.upsert,
    keyUses: (organizationId) => uses.list({ organizationId }, { order: "any" }),
  }
}

/** Reads one table after the other; `./store` uses a join. */
export function plainHolder(tables: Tables["Type"]): Rows["holder"] {
  const all = tables.of(organizations)
  const keys = tables.of(apiKeys)
  return Routine.fn(function* (hash) {
    const key = yield* keys.first({ hash })
    const organization = key === null ? null : yield* all.get({ organizationId: key.organizationId })
    return key === null || organization === null ? null : { key, organization, clock: null }
  })
}

export const layerPlainAccessRows: Layer.Layer<AccessRows, never, Tables> = Layer.effect(
  AccessRows,
  Effect.map(Tables, (tables) => accessRowsOver(tables, plainHolder(tables))),
)
