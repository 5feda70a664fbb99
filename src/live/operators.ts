/** Signing in with operators' accounts, over a database. */

import { Effect, Layer } from "effect"
import { layerArgon2 } from "../gateways/argon2.ts"
import { operatorTasks } from "../composition/retention-tasks.ts"
import {
  layerOperatorAccountRows,
  layerOperatorActionRows,
  layerOperatorFactorRows,
} from "../operators/operator-repository.ts"
import { layerOperatorSignIn } from "../operators/sign-in.ts"
import type { OperatorSignIn } from "../operators/sign-in.ts"
import type { ActorHost } from "../services/host.ts"
import type { RetentionTask } from "../services/retention/retention.ts"
import type { Database } from "../store/database.ts"
import { layerSealedTables, layerTables } from "../store/sql-tables.ts"
import { layerAttemptCounter } from "../store/window-counter.ts"

/** The key seals the secrets of second factors. */
export function layerOperators(secretKey: string): Layer.Layer<OperatorSignIn, never, ActorHost | Database> {
  const rows = Layer.merge(
    layerOperatorAccountRows,
    layerOperatorFactorRows.pipe(Layer.provide(layerSealedTables(secretKey))),
  )
  return layerOperatorSignIn.pipe(
    Layer.provide(Layer.mergeAll(layerArgon2, layerAttemptCounter, rows.pipe(Layer.provide(layerTables)))),
  )
}

/** Retention tasks of operators' accounts. */
export const operatorRetention: Effect.Effect<readonly RetentionTask[], never, Database> = Effect.provide(
  operatorTasks,
  Layer.merge(layerOperatorAccountRows, layerOperatorActionRows).pipe(Layer.provide(layerTables)),
)
