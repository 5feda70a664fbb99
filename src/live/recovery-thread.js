// The thread of `recovery-progress.ts`. It waits without an event loop and writes by itself, because the main thread is blocked.
// Plain JavaScript without imports of ours: removing types would take most of its start, while the database needs the processor.
import { writeSync } from "node:fs"
import { workerData } from "node:worker_threads"

/** @type {import("./recovery-progress.ts").RecoveryThreadSettings} */
const { line, file, firstMs, nextMs, beganNs, state } = workerData
const word = new Int32Array(state)

function elapsedMs() {
  return Number((process.hrtime.bigint() - beganNs) / 1_000_000n)
}

function report() {
  const [beforeTime, beforeSeconds, end] = line
  const seconds = Math.round(elapsedMs() / 1_000)
  try {
    writeSync(file, `${beforeTime}${new Date().toISOString()}${beforeSeconds}${seconds}${end}`)
  } catch {
    // A reader that is full or gone loses this line.
  }
}

let waitMs = Math.max(0, firstMs - elapsedMs())
while (Atomics.wait(word, 0, 0, waitMs) === "timed-out") {
  report()
  waitMs = nextMs
}
