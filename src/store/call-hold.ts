/** Whether calls to the outside are held in this database, as after a restore. One row says so. */

import { Clock, Effect } from "effect"
import type { EpochMs } from "../model/time.ts"
import { databaseFault } from "./database.ts"
import type { Database, DatabaseFault, Orm } from "./database.ts"
import { callHold } from "./schema.ts"

/** Since when; null when calls leave. */
export function heldSinceMs(database: Database["Type"]): Effect.Effect<EpochMs | null, DatabaseFault> {
  return asked(database, "reading whether calls are held", async (orm) => {
    const [row] = await orm.select().from(callHold)
    return row?.sinceMs ?? null
  })
}

/** Again is fine, and keeps the first instant. */
export function holdCalls(database: Database["Type"]): Effect.Effect<void, DatabaseFault> {
  return Effect.flatMap(Clock.currentTimeMillis, (sinceMs) =>
    asked(database, "holding calls", async (orm) => {
      await orm.insert(callHold).values({ sinceMs }).onConflictDoNothing()
    }),
  )
}

/** True when they were held. */
export function resumeCalls(database: Database["Type"]): Effect.Effect<boolean, DatabaseFault> {
  return asked(database, "letting calls leave again", async (orm) => {
    const ended = await orm.delete(callHold).returning()
    return ended.length > 0
  })
}

function asked<A>(
  { orm }: Database["Type"],
  doing: string,
  ask: (orm: Orm) => Promise<A>,
): Effect.Effect<A, DatabaseFault> {
  return Effect.tryPromise({ try: () => ask(orm), catch: (cause) => databaseFault(doing, cause) })
}
