/**
 * Reports progress while the embedded database recovers from its log after a kill. The recovery is one call that blocks
 * this thread, so a small second thread writes a line to stderr from time to time and ends when the database is open.
 */

import { Worker } from "node:worker_threads"
import { RECOVERY_FIRST_MS, RECOVERY_NEXT_MS } from "../configuration/bounds.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { lineText } from "../observation/line-text.ts"

export interface RecoveryProgressOptions {
  readonly format: Configuration["logFormat"]
  readonly level: Configuration["logLevel"]
  /** A file descriptor; absent: stderr. */
  readonly file?: number
  /** When the first line is written; default in `bounds.ts`. */
  readonly firstMs?: number
  /** Interval of further lines; default in `bounds.ts`. */
  readonly nextMs?: number
}

/** The thread's settings: plain values, because they are copied. */
export interface RecoveryThreadSettings {
  /** The parts of a line between which the time and the seconds are inserted. */
  readonly line: readonly string[]
  readonly file: number
  readonly firstMs: number
  readonly nextMs: number
  /** Start time by `process.hrtime.bigint`, which all threads share. */
  readonly beganNs: bigint
  /** One shared 32-bit number: 0 until the database is open, then `IS_OPEN`. */
  readonly state: SharedArrayBuffer
}

const IS_OPEN = 1

/**
 * Begins to report. The returned function ends it; its promise resolves when the thread has ended. A failure of the
 * thread only ends the reports.
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
    // The thread gets none of this process's options: a preloaded module would only delay its start.
    const options = { workerData: settings, execArgv: [], env: {} }
    const worker = new Worker(new URL("./recovery-thread.js", import.meta.url), options)
    worker.on("error", () => undefined)
    ended = new Promise((resolve) => void worker.once("exit", () => resolve()))
    worker.unref()
  } catch {
    // The operating system has no more threads for this process: the recovery continues without reports.
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
