/**
 * Nodes watch each other. Each counts its own heartbeats; a node whose count does not change while `NODE_GONE_MS` pass at the
 * watcher is considered stopped, so clocks may differ, and may be set. Calls of a stopped node are sent
 * again, as the same attempts.
 */

import { Clock, Effect } from "effect"
import type { Database } from "../../engine/store/database.ts"
import type { NodeRow, NodeRows } from "../../engine/store/node-rows.ts"
import { NODE_BEAT_MS, NODE_GONE_MS, WAKE_UP_MS_MIN } from "../configuration/bounds.ts"
import type { LiveHost, LostCallsLeft } from "./live-host.ts"
import { elapsedMs } from "../../engine/services/elapsed-time.ts"
import { repeatedFailures } from "../../engine/services/repeated-failures.ts"

interface Seen {
  readonly beats: number
  /** By the watcher's `elapsedMs`. */
  readonly sinceMs: number
}

export interface NodeWatchOptions {
  readonly host: LiveHost
  readonly rows: NodeRows
  readonly type: Database["Type"]["type"]
}

/**
 * Runs until it is interrupted. Over the embedded database it ends when no lost call of an earlier process remains;
 * while calls are held it continues, because lost calls are sent after the release.
 */
export function watchNodes({ host, rows, type }: NodeWatchOptions): Effect.Effect<void> {
  const seen = new Map<string, Seen>()
  const round = Effect.gen(function* () {
    if (type === "postgres") {
      yield* rows.beat(host.node, yield* Clock.currentTimeMillis)
      for (const { nodeId, beats } of goneSince(seen, yield* rows.all, yield* elapsedMs)) {
        if (nodeId === host.node) continue
        yield* rows.remove(nodeId, beats)
        yield* Effect.logWarning("a node is gone").pipe(Effect.annotateLogs({ node: nodeId }))
      }
    }
    return yield* host.resendLost
  })
  const inRounds = repeatedFailures("the watch over the nodes")
  const again = Effect.flatMap(inRounds<LostCallsLeft | "failed", never>(round, "failed"), (left) =>
    type === "pglite" && left === "none"
      ? Effect.succeed(true)
      : Effect.as(Effect.sleep(left === "some" ? WAKE_UP_MS_MIN : NODE_BEAT_MS), false),
  )
  return Effect.asVoid(Effect.repeat(again, { until: (hasEnded) => hasEnded }))
}

/** The nodes without a new heartbeat for too long. Remembers the heartbeats that it gets. */
export function goneSince(
  seen: Map<string, Seen>,
  nodes: readonly NodeRow[],
  nowMs: number,
): readonly NodeRow[] {
  const ids = new Set(nodes.map(({ nodeId }) => nodeId))
  for (const nodeId of seen.keys()) if (!ids.has(nodeId)) seen.delete(nodeId)
  return nodes.filter(({ nodeId, beats }) => {
    const last = seen.get(nodeId)
    if (last?.beats === beats) return nowMs - last.sinceMs >= NODE_GONE_MS
    seen.set(nodeId, { beats, sinceMs: nowMs })
    return false
  })
}
