/**
 * Retention: purges data at the end of its retention period. Each task purges one kind of row, in batches of one
 * transaction each, so that a purge of any size holds no lock for long and may stop anywhere. A second run finds
 * nothing. Machines and journal contain only ids, so they are not changed.
 */

import { Context, Effect, Layer } from "effect"
import { PURGE_BATCHES_MAX, PURGE_ROWS_MAX } from "../../../model/values/limits.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { ActorHost } from "../host.ts"
import type { Transaction } from "../host.ts"
import { Routine } from "../routine.ts"

/** Which rows to purge: the oldest first, at most `limit`. */
export interface PurgeOrder {
  /** Rows of this age or older are purged. */
  readonly beforeMs: EpochMs
  readonly limit: number
}

/** Returns how many rows a purge found. */
export type Purge = (order: PurgeOrder) => Routine<number, never, Transaction>

/** One kind of row and its retention period. */
export interface RetentionTask {
  readonly name: string
  /** Read before each run where operations may set it. */
  readonly keepMs: number | Routine<number>
  readonly purge: Purge
}

export interface Purged {
  readonly name: string
  readonly rows: number
}

export class Retention extends Context.Tag("Retention")<
  Retention,
  {
    /** Purges rows at the end of their period, up to a bound; the rest is left for the next run. */
    readonly run: Routine<readonly Purged[]>
  }
>() {}

/** Retention of the given tasks. */
export function layerRetention<R>(
  tasks: Effect.Effect<readonly RetentionTask[], never, R>,
): Layer.Layer<Retention, never, ActorHost | R> {
  return Layer.effect(
    Retention,
    Effect.gen(function* () {
      const host = yield* ActorHost
      const known = yield* tasks
      return { run: Routine.forEach(known, (task) => purgeAll(host, task)) }
    }),
  )
}

const purgeAll = Routine.fn(function* ({ run }: ActorHost["Type"], { name, keepMs, purge }: RetentionTask) {
  const beforeMs = (yield* Routine.nowMs) - (typeof keepMs === "number" ? keepMs : yield* keepMs)
  let rows = 0
  for (let batch = 0; batch < PURGE_BATCHES_MAX; batch += 1) {
    const found = yield* run({
      name: "purge old rows",
      locks: {},
      body: () => purge({ beforeMs, limit: PURGE_ROWS_MAX }),
    })
    rows += found
    if (found < PURGE_ROWS_MAX) break
  }
  return { name, rows }
})
