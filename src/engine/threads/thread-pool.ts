/** A pool of worker threads that run one script of the program. */

import { fileURLToPath } from "node:url"
import { Tinypool } from "tinypool"
import { THREAD_ARGUMENTS } from "./module-places.ts"

export interface ThreadCounts {
  /** Threads that start at once. */
  readonly min: number
  readonly max: number
}

/** A task waits until a thread is free; one that fails rejects only its own promise. */
export function threadPool(script: URL, { min, max }: ThreadCounts): Tinypool {
  return new Tinypool({
    filename: fileURLToPath(script),
    minThreads: min,
    maxThreads: max,
    execArgv: THREAD_ARGUMENTS,
    runtime: "worker_threads",
  })
}
