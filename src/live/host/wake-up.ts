/**
 * Wake-up: takes due entries from mailboxes, on any number of nodes over one database. The node that locks a group
 * takes its entries; the others skip it. Calls of a stopped node return here through their lease timers.
 */

import { Chunk, Clock, Effect } from "effect"
import type { GroupAddress } from "../../model/address.ts"
import { FULL_MAILBOX_RETRY_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import {
  WAKE_UP_BATCHES_MAX,
  WAKE_UP_GROUPS_MAX,
  WAKE_UP_MS_MAX,
  WAKE_UP_MS_MIN,
} from "../configuration/bounds.ts"
import type { LiveHost } from "./live-host.ts"
import { repeatedFailures } from "../../engine/services/repeated-failures.ts"

/** Takes what is due now, once. Returns the number of groups; 0 also when other nodes hold everything that is due. */
export function takeWhatIsDue(host: LiveHost): Effect.Effect<number> {
  return Effect.gen(function* () {
    const due = yield* host.dueGroups(WAKE_UP_GROUPS_MAX * WAKE_UP_BATCHES_MAX)
    const batches = Chunk.chunksOf(Chunk.fromIterable(due), WAKE_UP_GROUPS_MAX)
    const take = (batch: Chunk.Chunk<GroupAddress>): Effect.Effect<number> =>
      Effect.tap(host.takeDue([...batch]), (count) => Effect.sync(() => host.observer.onBatch(count)))
    const taken = yield* Effect.forEach(batches, take, { concurrency: WAKE_UP_BATCHES_MAX })
    return taken.reduce((sum, count) => sum + count, 0)
  })
}

/** Runs until it is interrupted. A database outage is logged, and the next round tries again. */
export function wakeUp(host: LiveHost): Effect.Effect<never> {
  // How long until the next round.
  const round = Effect.gen(function* () {
    const taken = yield* takeWhatIsDue(host)
    host.observer.onWakeUp()
    // The taken entries may have armed timers that are due already, and there may be more due groups than the limit.
    return taken === 0 ? pauseMs(yield* host.nextDueMs, yield* Clock.currentTimeMillis) : 0
  })
  const inRounds = repeatedFailures("the wake-up")
  const pause = (ms: number): Effect.Effect<void> => (ms === 0 ? Effect.void : Effect.sleep(ms))
  return Effect.forever(Effect.flatMap(inRounds(round, WAKE_UP_MS_MAX), pause))
}

/** Runs until it is interrupted: a full mailbox gets room again, so the groups that it stopped are tried again. */
export function retryFull(host: LiveHost): Effect.Effect<never> {
  const inRounds = repeatedFailures("trying groups again that met a full mailbox")
  const round = inRounds(host.clearFullStops, undefined)
  return Effect.forever(Effect.zipRight(Effect.sleep(FULL_MAILBOX_RETRY_MS), round))
}

function pauseMs(nextDueMs: EpochMs | null, nowMs: EpochMs): number {
  if (nextDueMs === null) return WAKE_UP_MS_MAX
  return Math.min(Math.max(nextDueMs - nowMs, WAKE_UP_MS_MIN), WAKE_UP_MS_MAX)
}
