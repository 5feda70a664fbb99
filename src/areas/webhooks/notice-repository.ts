/** Notices over their declared table. */

import { Effect, Layer } from "effect"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Notices, notices } from "./notices.ts"

export const layerNotices: Layer.Layer<Notices, never, Tables> = Layer.effect(
  Notices,
  Effect.map(Tables, (tables): Notices["Type"] => {
    const rows = tables.of(notices)
    return {
      add: rows.insert,
      list: ({ organizationId, environment }) =>
        rows.list({ environment, organizationId }, { order: ["number"] }),
    }
  }),
)
