/** Seeds on worker threads, through a pool. */

import { Tinypool } from "tinypool"
import { fileURLToPath } from "node:url"
import { THREAD_ARGUMENTS } from "../module-places.ts"
import type { SeedResult } from "./explore.ts"

export interface Threads {
  readonly trySeed: (seed: number) => Promise<SeedResult>
  readonly close: () => Promise<void>
}

/** A seed waits until a thread is free. */
export function startThreads(workers: number): Threads {
  const pool = new Tinypool({
    filename: fileURLToPath(new URL("worker.ts", import.meta.url)),
    minThreads: workers,
    maxThreads: workers,
    execArgv: THREAD_ARGUMENTS,
    runtime: "worker_threads",
  })
  return {
    trySeed: (seed) => pool.run(seed) as Promise<SeedResult>,
    close: () => pool.destroy(),
  }
}
