/** Changes of environments' policies over their declared table. */

import { Effect, Layer } from "effect"
import { PolicyRows, environmentPolicies } from "./policies.ts"
import { Tables } from "./tables/tables.ts"
import { Routine } from "./routine.ts"

export const layerPolicyRows: Layer.Layer<PolicyRows, never, Tables> = Layer.effect(
  PolicyRows,
  Effect.map(Tables, (tables): PolicyRows["Type"] => {
    const policies = tables.of(environmentPolicies)
    return {
      changes: (environment) => Routine.map(policies.get({ environment }), (row) => row?.changes ?? {}),
      put: (environment, changes) => policies.upsert({ environment, changes }),
    }
  }),
)
