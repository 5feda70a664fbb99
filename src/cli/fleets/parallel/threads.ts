/** Replications on worker threads, through a pool. */

import { threadPool } from "../../../engine/threads/thread-pool.ts"
import type { Replication } from "../../../simulation/fleet/world/replication.ts"
import type { Replicate, ReplicationTask } from "../../../simulation/fleet/search/evaluate.ts"
import { SentParts } from "./sent-parts.ts"
import type { SentModel } from "./sent-parts.ts"

export interface Threads {
  readonly replicate: Replicate
  readonly close: () => Promise<void>
}

/** What a thread gets. */
export interface ThreadTask extends Pick<ReplicationTask, "hasCourse" | "seed"> {
  readonly model: SentModel
}

/** A task waits until a thread is free. A replication that fails rejects only its own promise. */
export function startThreads(workers: number): Threads {
  const pool = threadPool(new URL("worker.ts", import.meta.url), { min: workers, max: workers })
  const sent = new SentParts()
  return {
    replicate: ({ model, seed, hasCourse }) => {
      const task: ThreadTask = { model: sent.of(model), seed, hasCourse }
      return pool.run(task) as Promise<Replication>
    },
    close: () => pool.destroy(),
  }
}
