/** The runner's phone in one layer, over the live service and management. */

import { Effect, Layer } from "effect"
import type { MeasuredSites } from "../../areas/analytics/sites.ts"
import { CatalogRows } from "../../areas/catalog/rows.ts"
import type { ReservationRows } from "../../areas/reservations/rows.ts"
import { RunnerCalls } from "../../areas/runner-phones/runner-calls.ts"
import { RunnerPhoneRows } from "../../areas/runner-phones/rows.ts"
import type { RunnerPhones } from "../../areas/runner-phones/runner-phones.ts"
import { runnerPhoneTasks } from "../../apps/composition/retention-tasks.ts"
import type { Places } from "../../apps/operations/places.ts"
import type { RunnerBoard } from "../../apps/operations/runner-board.ts"
import { layerPhoneTasks } from "../../apps/runner/phone-tasks.ts"
import type { PhoneTasks } from "../../apps/runner/phone-tasks.ts"
import type { OperatorActions } from "../../apps/operators/actions.ts"
import type { ActorHost } from "../../engine/services/host.ts"
import type { RetentionTask } from "../../engine/services/retention/retention.ts"
import type { Database } from "../../engine/store/database.ts"
import { layerTables } from "../../engine/store/sql-tables.ts"

const layerRows = RunnerPhoneRows.layer.pipe(Layer.provide(layerTables))

type Below =
  | ActorHost
  | Database
  | MeasuredSites
  | OperatorActions
  | Places
  | ReservationRows
  | RunnerBoard
  | RunnerPhones

export const layerRunner: Layer.Layer<PhoneTasks | RunnerCalls, never, Below> = Layer.merge(
  layerPhoneTasks,
  RunnerCalls.layer.pipe(Layer.provide(CatalogRows.layer.pipe(Layer.provide(layerTables)))),
).pipe(Layer.provide(layerRows))

export const runnerRetention: Effect.Effect<readonly RetentionTask[], never, Database> = Effect.provide(
  runnerPhoneTasks,
  layerRows,
)
