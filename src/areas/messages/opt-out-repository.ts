/** Opt-outs over their declared table. */

import { Effect, Layer } from "effect"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { OptOutScope } from "./rows.ts"
import { OptOutRows, optOuts } from "./rows.ts"

export const layerOptOutRows: Layer.Layer<OptOutRows, never, Tables> = Layer.effect(
  OptOutRows,
  Effect.map(Tables, (tables): OptOutRows["Type"] => {
    const rows = tables.of(optOuts)
    const keyed = ({ environment, organizationId }: OptOutScope, digest: string) => ({
      environment,
      organizationId: organizationId ?? "",
      digest,
    })
    return {
      put: (scope, digest) => rows.insertOrIgnore(keyed(scope, digest)),
      remove: (scope, digest) => rows.delete(keyed(scope, digest)),
      has: (scope, digest) => Routine.map(rows.get(keyed(scope, digest)), (row) => row !== null),
    }
  }),
)
