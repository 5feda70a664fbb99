/** Seeds on worker threads, through a pool. */

import { threadPool } from "../../engine/threads/thread-pool.ts"
import type { SeedResult } from "./explore.ts"

export interface Threads {
  readonly trySeed: (seed: number) => Promise<SeedResult>
  readonly close: () => Promise<void>
}

/** A seed waits until a thread is free. */
export function startThreads(workers: number): Threads {
  const pool = threadPool(new URL("worker.ts", import.meta.url), { min: workers, max: workers })
  return {
    trySeed: (seed) => pool.run(seed) as Promise<SeedResult>,
    close: () => pool.destroy(),
  }
}
