/**
 * The node's clock beside that of PostgreSQL, which all nodes share. Timers fire by the node's clock, so a node whose clock
 * is wrong ends holds and windows early or late, also those of other nodes. The clocks are compared at the start, before
 * anything is due, and each minute. A running service only warns: the wrong clock may be the database's.
 */

import { Clock, Context, Effect, Layer } from "effect"
import { sql } from "drizzle-orm"
import { repeatedFailures } from "../../engine/services/repeated-failures.ts"
import { Database } from "../../engine/store/database.ts"
import { sqlOver } from "../../engine/store/transaction.ts"
import { MINUTE_MS, SECOND_MS } from "../../model/values/time.ts"
import { CLOCK_NOTED_MS, CLOCK_TRIES } from "../configuration/bounds.ts"
import { StartFault } from "../start/start-fault.ts"

export class DatabaseClock extends Context.Tag("DatabaseClock")<
  DatabaseClock,
  {
    /**
     * By how much the node's clock was last ahead of the database's for certain; negative: behind. Null when it is
     * unknown, and on the embedded database, which has the node's clock.
     */
    readonly aheadMs: () => number | null
  }
>() {}

/** A start fails when the clocks differ by more than `differenceMsMax`; null: it does not. */
export function layerDatabaseClock(
  differenceMsMax: number | null,
): Layer.Layer<DatabaseClock, StartFault, Database> {
  return Layer.scoped(
    DatabaseClock,
    Effect.gen(function* () {
      const database = yield* Database
      if (database.type === "pglite") return { aheadMs: () => null }
      let aheadMs = yield* difference(database, CLOCK_TRIES)
      if (differenceMsMax !== null && Math.abs(aheadMs) > differenceMsMax)
        return yield* new StartFault({ problem: refusal(aheadMs) })
      yield* logChange(0, aheadMs)
      const inRounds = repeatedFailures("the comparison with the database's clock")
      const comparing = Effect.gen(function* () {
        const found = yield* difference(database, 1)
        yield* logChange(aheadMs, found)
        aheadMs = found
      })
      yield* Effect.forkScoped(
        Effect.forever(Effect.zipRight(Effect.sleep(MINUTE_MS), inRounds(comparing, undefined))),
      )
      return { aheadMs: () => aheadMs }
    }),
  )
}

/** For people; null when the difference is small enough. */
export function clockNote(aheadMs: number | null): string | null {
  if (aheadMs === null || Math.abs(aheadMs) <= CLOCK_NOTED_MS) return null
  return `${differenceText(aheadMs)}: what is due happens ${aheadMs > 0 ? "early" : "late"} on this node`
}

function refusal(aheadMs: number): string {
  return (
    `${differenceText(aheadMs)}, so timers of every node would fire ${aheadMs > 0 ? "early" : "late"}: set both clocks by a ` +
    "time server, or set CURBLINE_CLOCK_SECONDS_MAX"
  )
}

function differenceText(aheadMs: number): string {
  const seconds = (Math.abs(aheadMs) / SECOND_MS).toFixed(1)
  return `the clock of this node is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} the database's`
}

/** One line at each comparison while the clocks differ, and one when they agree again. */
function logChange(beforeMs: number, nowMs: number): Effect.Effect<void> {
  const note = clockNote(nowMs)
  if (note !== null) return Effect.logWarning(note)
  return clockNote(beforeMs) === null
    ? Effect.void
    : Effect.logInfo("the clock of this node agrees with the database's again")
}

/** The least difference of several tries: a slow answer hides as much as it took. */
function difference(database: Database["Type"], tries: number): Effect.Effect<number> {
  return Effect.map(Effect.all(Array.from({ length: tries }, () => differenceOf(database))), (found) =>
    found.reduce((one, other) => (Math.abs(other) < Math.abs(one) ? other : one)),
  )
}

function differenceOf(database: Database["Type"]): Effect.Effect<number> {
  return Effect.gen(function* () {
    const sentMs = yield* Clock.currentTimeMillis
    const [row] = yield* sqlOver(database).read("reading the database's clock", (orm) =>
      orm
        .select({ ms: sql<string>`extract(epoch from clock_timestamp()) * 1000` })
        .from(sql`(select) as one`),
    )
    const databaseMs = Number(row?.ms)
    const receivedMs = yield* Clock.currentTimeMillis
    if (databaseMs < sentMs) return sentMs - databaseMs
    return databaseMs > receivedMs ? receivedMs - databaseMs : 0
  })
}
