/** Replications on worker threads, through a pool. */

import { threadPool } from "../../../engine/threads/thread-pool.ts"
import type { Replication } from "../../../simulation/fleet/world/replication.ts"
import type { Replicate } from "../../../simulation/fleet/search/evaluate.ts"

export interface Threads {
  readonly replicate: Replicate
  readonly close: () => Promise<void>
}

/** A task waits until a thread is free. A replication that fails rejects only its own promise. */
export function startThreads(workers: number): Threads {
  const pool = threadPool(new URL("worker.ts", import.meta.url), { min: workers, max: workers })
  return {
    replicate: (task) => pool.run(task) as Promise<Replication>,
    close: () => pool.destroy(),
  }
}
