/** Replications on worker threads, through a pool. */

import { Tinypool } from "tinypool"
import { fileURLToPath } from "node:url"
import { THREAD_ARGUMENTS } from "../../module-places.ts"
import type { Replication } from "../world/replication.ts"
import type { Replicate } from "../search/evaluate.ts"

export interface Threads {
  readonly replicate: Replicate
  readonly close: () => Promise<void>
}

/** A task waits until a thread is free. A replication that fails rejects only its own promise. */
export function startThreads(workers: number): Threads {
  const pool = new Tinypool({
    filename: fileURLToPath(new URL("worker.ts", import.meta.url)),
    minThreads: workers,
    maxThreads: workers,
    execArgv: THREAD_ARGUMENTS,
    runtime: "worker_threads",
  })
  return {
    replicate: (task) => pool.run(task) as Promise<Replication>,
    close: () => pool.destroy(),
  }
}
