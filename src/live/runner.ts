/** The runner's phone in one layer, over the live service and management. */

import { Effect, Layer } from "effect"
import type { MeasuredSites } from "../areas/analytics/sites.ts"
import { layerCatalogRows } from "../areas/catalog/catalog-repository.ts"
import type { ReservationRows } from "../areas/reservations/rows.ts"
import { layerRunnerCalls } from "../areas/runner-phones/runner-calls.ts"
import type { RunnerCalls } from "../areas/runner-phones/runner-calls.ts"
import { layerRunnerPhoneRows } from "../areas/runner-phones/runner-phone-repository.ts"
import type { RunnerPhones } from "../areas/runner-phones/runner-phones.ts"
import { runnerPhoneTasks } from "../composition/retention-tasks.ts"
import type { Places } from "../operations/places.ts"
import type { RunnerBoard } from "../operations/runner-board.ts"
import { layerPhoneTasks } from "../runner/phone-tasks.ts"
import type { PhoneTasks } from "../runner/phone-tasks.ts"
import type { OperatorActions } from "../operators/actions.ts"
import type { ActorHost } from "../services/host.ts"
import type { RetentionTask } from "../services/retention/retention.ts"
import type { Database } from "../store/database.ts"
import { layerTables } from "../store/sql-tables.ts"

const layerRows = layerRunnerPhoneRows.pipe(Layer.provide(layerTables))

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
  layerRunnerCalls.pipe(Layer.provide(layerCatalogRows.pipe(Layer.provide(layerTables)))),
).pipe(Layer.provide(layerRows))

export const runnerRetention: Effect.Effect<readonly RetentionTask[], never, Database> = Effect.provide(
  runnerPhoneTasks,
  layerRows,
)
