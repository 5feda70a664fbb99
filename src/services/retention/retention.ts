/**
 * Retention: what is kept no longer than it must be. Each task purges one kind of row that is older than its period, in
 * batches of one transaction each, so that a purge of any size holds no lock for long and may stop anywhere. A purge that
 * runs twice finds nothing the second time. Machines and journal hold ids alone, so no history is touched.
 */

import { Clock, Context, Effect, Layer } from "effect"
import { PURGE_BATCHES_MAX, PURGE_ROWS_MAX } from "../../model/limits.ts"
import type { EpochMs } from "../../model/time.ts"
import { ActorHost } from "../host.ts"
import type { Transaction } from "../host.ts"

/** Which rows to purge: the oldest first, no more than `limit`. */
export interface PurgeOrder {
  /** Purged is what is as old as this, or older. */
  readonly beforeMs: EpochMs
  readonly limit: number
}

/** How many rows a purge has found. */
export type Purge = (order: PurgeOrder) => Effect.Effect<number, never, Transaction>

/** One kind of row and how long it is kept. */
export interface RetentionTask {
  readonly name: string
  readonly keepMs: number
  readonly purge: Purge
}

export interface Purged {
  readonly name: string
  readonly rows: number
}

export class Retention extends Context.Tag("Retention")<
  Retention,
  {
    /** Purges everything whose period has ended, up to a bound that leaves the rest to the next run. */
    readonly run: Effect.Effect<readonly Purged[]>
  }
>() {}

/** Retention over the tasks that a host has rows for. */
export function layerRetention<R>(
  tasks: Effect.Effect<readonly RetentionTask[], never, R>,
): Layer.Layer<Retention, never, ActorHost | R> {
  return Layer.effect(
    Retention,
    Effect.gen(function* () {
      const host = yield* ActorHost
      const known = yield* tasks
      return { run: Effect.forEach(known, (task) => purgeAll(host, task)) }
    }),
  )
}

const purgeAll = Effect.fnUntraced(function* (
  { transact }: ActorHost["Type"],
  { name, keepMs, purge }: RetentionTask,
) {
  const beforeMs = (yield* Clock.currentTimeMillis) - keepMs
  let rows = 0
  for (let batch = 0; batch < PURGE_BATCHES_MAX; batch += 1) {
    const found = yield* transact({}, purge({ beforeMs, limit: PURGE_ROWS_MAX }))
    rows += found
    if (found < PURGE_ROWS_MAX) break
  }
  return { name, rows }
})
