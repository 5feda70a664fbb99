/**
 * Writes the log's lines to stderr in order, without ever blocking the service: lines are lost when the reader is slow,
 * and all further lines are lost when it has gone. Pino's own destination is not used, because its last flush
 * (sonic-boom 4.2.1) retries forever when the reader of a pipe has gone, so the process would not end.
 */

import { writeSync } from "node:fs"
import { LOG_BYTES_MAX, LOG_FLUSH_MS_MAX, LOG_RETRY_MS } from "../configuration/bounds.ts"
import { lineText } from "./line-text.ts"

export interface LogLines {
  readonly write: (line: string) => void
  /** Writes the remaining lines before the process ends. Gives up on a reader that does not read. */
  readonly flush: () => void
}

/** `file` is a file descriptor; `put` writes to it at once and returns how many bytes it took. */
export interface LineFile {
  readonly file: number
  readonly put: (file: number, bytes: Uint8Array) => number
}

export function stderrLines(format: "json" | "logfmt"): LogLines {
  // Access to `process.stderr` makes a pipe non-blocking, so that a full pipe gives EAGAIN.
  const { fd: file } = process.stderr
  return logLines({ file, put: (to, bytes) => writeSync(to, bytes) }, format)
}

export function logLines({ file, put }: LineFile, format: "json" | "logfmt"): LogLines {
  let waiting: Buffer[] = []
  let bytes = 0
  let dropped = 0
  let isGone = false
  let timer: NodeJS.Timeout | NodeJS.Immediate | null = null

  const keep = (line: string): void => {
    const text = Buffer.from(line)
    waiting.push(text)
    bytes += text.length
  }
  /** True when all lines are written; false when the reader accepts no more for now. */
  const drain = (): boolean => {
    while (bytes > 0) {
      const [first = Buffer.alloc(0)] = waiting
      const next = waiting.length === 1 ? first : Buffer.concat(waiting, bytes)
      try {
        const taken = put(file, next)
        waiting = [next.subarray(taken)]
        bytes -= taken
      } catch (cause) {
        waiting = [next]
        if (isFull(cause)) return false
        forget()
      }
    }
    waiting = []
    if (dropped > 0 && !isGone) {
      const count = dropped
      dropped = 0
      keep(droppedLine(count, format))
      return drain()
    }
    return true
  }
  /** The pipe or terminal is closed: further lines are dropped. */
  const forget = (): void => {
    isGone = true
    waiting = []
    bytes = 0
  }
  const drainLater = (): void => {
    timer = null
    if (!drain()) timer = setTimeout(drainLater, LOG_RETRY_MS).unref()
  }
  return {
    write: (line) => {
      if (isGone) return
      if (bytes >= LOG_BYTES_MAX) {
        dropped += 1
        return
      }
      keep(line)
      timer ??= setImmediate(drainLater)
    },
    flush: () => {
      const pause = new Int32Array(new SharedArrayBuffer(4))
      for (let leftMs = LOG_FLUSH_MS_MAX; !drain() && leftMs > 0; leftMs -= LOG_RETRY_MS) {
        Atomics.wait(pause, 0, 0, LOG_RETRY_MS)
      }
    },
  }
}

function isFull(cause: unknown): boolean {
  return ["EAGAIN", "EBUSY", "EINTR"].includes(String((cause as NodeJS.ErrnoException).code))
}

function droppedLine(count: number, format: "json" | "logfmt"): string {
  const msg = `${count} lines of the log were dropped: their reader was too slow`
  const time = new Date().toISOString()
  return lineText(format, { time, level: "warn", msg, fields: { dropped: count } })
}
