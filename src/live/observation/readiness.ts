/** Whether this process can serve: each check by name, null when it passes, otherwise the problem. */

import { Effect } from "effect"
import { Database, schemaDifference } from "../../engine/store/database.ts"
import type { SchemaDifference } from "../../engine/store/database.ts"
import { sqlOver, writeProblem } from "../../engine/store/transaction.ts"
import { OVERLOADED_MS_MAX, PROBE_MS_MAX, WAKE_UP_SILENT_MS_MAX } from "../configuration/bounds.ts"
import type { LiveObserver } from "./observer.ts"

/** A type, not an interface, so that it also reads as a record. */
export type Readiness = {
  readonly database: string | null
  readonly migrations: string | null
  readonly writes: string | null
  readonly wake_up: string | null
  readonly stop: string | null
  readonly load: string | null
}

export interface ProcessState {
  readonly isStopping: boolean
  /** How long ago the wake-up last completed a round; null before the first. */
  readonly silentMs: number | null
  /** For how long requests have been rejected without a pause; 0 when none are. */
  readonly sheddingMs: number
  readonly notes: ReadinessNotes
}

/** What the last look found that keeps no node from serving. */
export class ReadinessNotes {
  /** Of a newer program beside which this one may run; null without one. */
  migrations: string | null = null
}

/** Only beside a failed check `database`, so it changes no status code. */
const UNKNOWN = "unknown: the database does not answer"

/** What reading and writing the database found. */
export interface DatabaseFound {
  /** Null when there was no answer. */
  readonly schema: SchemaDifference | null
  readonly writes: string | null
}

/** Reads, then writes. Ends within a time limit, even if the database does not answer. */
export const databaseFound: Effect.Effect<DatabaseFound, never, Database> = Effect.gen(function* () {
  const schema = yield* schemaFound
  return { schema, writes: schema === null ? UNKNOWN : yield* writesFound }
})

export function readinessOf(process: ProcessState, { schema, writes }: DatabaseFound): Readiness {
  const { isStopping, silentMs, sheddingMs, notes } = process
  if (schema !== null) notes.migrations = schema.unknown.length === 0 ? null : newerText(schema.unknown)
  return {
    database: schema === null ? "does not answer" : null,
    migrations: schema === null ? UNKNOWN : migrationsFound(schema),
    writes,
    wake_up: wakeUpFound(silentMs),
    stop: isStopping ? "has begun" : null,
    load:
      sheddingMs < OVERLOADED_MS_MAX
        ? null
        : `has turned requests away for ${Math.floor(sheddingMs / 1000)} s`,
  }
}

function migrationsFound({ missing, forbidding }: SchemaDifference): string | null {
  if (missing.length > 0) return `lacks ${missing.join(", ")}`
  return forbidding.length === 0 ? null : newerText(forbidding)
}

function newerText(names: readonly string[]): string {
  return `a newer program has added ${names.join(", ")}: upgrade this node`
}

/**
 * Null when what requests do can be done: a write over the same connections. Where the trial only waits for its turn behind
 * transactions that succeed, writing works.
 */
const writesFound = Effect.flatMap(Database, (database) => {
  const { committed } = database.writing
  return writeProblem(database).pipe(
    Effect.disconnect,
    Effect.timeoutTo({
      duration: PROBE_MS_MAX,
      onSuccess: (problem) => problem,
      onTimeout: () => (database.writing.committed > committed ? null : "does not answer"),
    }),
  )
})

/** One query answers both checks; null when there was no answer. */
const schemaFound = Effect.gen(function* () {
  const database = yield* Database
  return yield* sqlOver(database).read("reading migrations", schemaDifference)
}).pipe(
  Effect.disconnect,
  Effect.timeoutTo({ duration: PROBE_MS_MAX, onSuccess: (found) => found, onTimeout: () => null }),
  Effect.catchAllCause(() => Effect.succeed(null)),
)

function wakeUpFound(silentMs: number | null): string | null {
  if (silentMs === null) return "has not come around yet"
  return silentMs <= WAKE_UP_SILENT_MS_MAX ? null : `came around ${Math.floor(silentMs / 1000)} s ago`
}

/** Passes all events on and records when the wake-up last completed a round. */
export function watchWakeUp(
  observer: LiveObserver,
  now: () => number,
): { readonly observer: LiveObserver; readonly silentMs: () => number | null } {
  let last: number | null = null
  const onWakeUp = (): void => {
    last = now()
    observer.onWakeUp()
  }
  return { observer: { ...observer, onWakeUp }, silentMs: () => (last === null ? null : now() - last) }
}
