/**
 * Progress while the embedded database replays its log after a kill. The replay is one call that blocks this thread, so a
 * small thread beside it writes a line to stderr from time to time and ends when the database is open.
 */

import { Worker } from "node:worker_threads"
import { RECOVERY_FIRST_MS, RECOVERY_NEXT_MS } from "./bounds.ts"
import type { Configuration } from "./configuration.ts"
import { lineText } from "./line-text.ts"

export interface RecoveryProgressOptions {
  readonly format: Configuration["logFormat"]
  readonly level: Configuration["logLevel"]
  /** A file descriptor; absent: stderr. */
  readonly file?: number
  /** When the first line is written; absent: as in `bounds.ts`. */
  readonly firstMs?: number
  /** And each one after it; absent: as in `bounds.ts`. */
  readonly nextMs?: number
}

/** The thread's settings: plain values, because they are copied. */
export interface RecoveryThreadSettings {
  /** The pieces of a line around its time and its seconds. */
  readonly line: readonly string[]
  readonly file: number
  readonly firstMs: number
  readonly nextMs: number
  /** By `process.hrtime.bigint`, which is the same in every thread. */
  readonly beganNs: bigint
  /** One shared 32-bit number: 0 until the database is open, then `IS_OPEN`. */
  readonly state: SharedArrayBuffer
}

const IS_OPEN = 1

/**
 * Begins to report; the returned function ends it, and its promise waits for the end of the thread. A failure of the thread
 * ends the reports and nothing else.
 */
export function reportRecovery({
  format,
  level,
  file = process.stderr.fd,
  firstMs = RECOVERY_FIRST_MS,
  nextMs = RECOVERY_NEXT_MS,
}: RecoveryProgressOptions): () => Promise<void> {
  if (level === "warn" || level === "error") return () => Promise.resolve()
  const state = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const beganNs = process.hrtime.bigint()
  const settings: RecoveryThreadSettings = { line: piecesOf(format), file, firstMs, nextMs, beganNs, state }
  let ended = Promise.resolve()
  try {
    // It takes none of this process's options: a preloaded module would only make its start slower.
    const options = { workerData: settings, execArgv: [], env: {} }
    const worker = new Worker(new URL("./recovery-thread.js", import.meta.url), options)
    worker.on("error", () => undefined)
    ended = new Promise((resolve) => void worker.once("exit", () => resolve()))
    worker.unref()
  } catch {
    // The machine has no more threads for this process: the replay goes on without reports.
  }
  return () => {
    const word = new Int32Array(state)
    Atomics.store(word, 0, IS_OPEN)
    Atomics.notify(word, 0)
    return ended
  }
}

function piecesOf(format: Configuration["logFormat"]): readonly string[] {
  const msg = "the embedded database is still recovering"
  return lineText(format, { time: "TIME", level: "info", msg, fields: { seconds: 0 } }).split(/TIME|0/)
}
