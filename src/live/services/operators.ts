/** Signing in with operators' accounts, over a database. */

import { Effect, Layer } from "effect"
import { layerArgon2 } from "../gateways/argon2.ts"
import { OPERATOR_PASSWORDS_AT_ONCE_MAX } from "../../model/values/limits.ts"
import { operatorTasks } from "../../apps/composition/retention-tasks.ts"
import { DeviceKey } from "../../apps/portal/people/sign-in-policy.ts"
import type { MessageRows } from "../../areas/messages/rows.ts"
import { OperatorActionRows } from "../../apps/operators/actions.ts"
import { OperatorAccountRows, OperatorFactorRows } from "../../apps/operators/rows.ts"
import type { OperatorNotices } from "../../apps/operators/notices.ts"
import { layerOperatorNotices } from "../../apps/operators/notices.ts"
import { OperatorSignIn } from "../../apps/operators/sign-in.ts"
import type { ActorHost } from "../../engine/services/host.ts"
import type { RetentionTask } from "../../engine/services/retention/retention.ts"
import type { Database } from "../../engine/store/database.ts"
import { layerSealedTables, layerTables } from "../../engine/store/sql-tables.ts"
import { layerAttemptCounter } from "../../engine/store/window-counter.ts"

/** The key seals the secrets of second factors and signs the tokens of known devices. */
export function layerOperators(
  secretKey: string,
): Layer.Layer<OperatorNotices | OperatorSignIn, never, ActorHost | Database | MessageRows> {
  const rows = Layer.merge(
    OperatorAccountRows.layer,
    OperatorFactorRows.layer.pipe(Layer.provide(layerSealedTables(secretKey))),
  )
  return Layer.merge(OperatorSignIn.layer, layerOperatorNotices).pipe(
    Layer.provide(
      Layer.mergeAll(
        layerArgon2(OPERATOR_PASSWORDS_AT_ONCE_MAX),
        layerAttemptCounter,
        Layer.succeed(DeviceKey, { key: `devices ${secretKey}` }),
        rows.pipe(Layer.provide(layerTables)),
      ),
    ),
  )
}

/** Retention tasks of operators' accounts. */
export const operatorRetention: Effect.Effect<readonly RetentionTask[], never, Database> = Effect.provide(
  operatorTasks,
  Layer.merge(OperatorAccountRows.layer, OperatorActionRows.layer).pipe(Layer.provide(layerTables)),
)
