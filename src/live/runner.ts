/** The runner's phone in one layer, over the live service and management. */

import { Effect, Layer } from "effect"
import { layerRunnerPhoneRows } from "../areas/runner-phones/runner-phone-repository.ts"
import type { RunnerPhones } from "../areas/runner-phones/runner-phones.ts"
import { runnerPhoneTasks } from "../composition/retention-tasks.ts"
import type { Places } from "../operations/places.ts"
import type { RunnerBoard } from "../operations/runner-board.ts"
import { layerPhoneTasks } from "../runner/phone-tasks.ts"
import type { PhoneTasks } from "../runner/phone-tasks.ts"
import type { RetentionTask } from "../services/retention/retention.ts"
import type { Database } from "../store/database.ts"
import { layerTables } from "../store/sql-tables.ts"

const layerRows = layerRunnerPhoneRows.pipe(Layer.provide(layerTables))

export const layerRunner: Layer.Layer<PhoneTasks, never, Database | Places | RunnerBoard | RunnerPhones> =
  layerPhoneTasks.pipe(Layer.provide(layerRows))

export const runnerRetention: Effect.Effect<readonly RetentionTask[], never, Database> = Effect.provide(
  runnerPhoneTasks,
  layerRows,
)
