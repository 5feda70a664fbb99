// The thread of `recovery-progress.ts`. It waits without an event loop and writes synchronously, because the main
// thread is blocked. Plain JavaScript without imports of ours: type stripping would take most of its start-up time,
// while the database needs the processor.
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
    // The reader is full or gone: this line is lost.
  }
}

let waitMs = Math.max(0, firstMs - elapsedMs())
while (Atomics.wait(word, 0, 0, waitMs) === "timed-out") {
  report()
  waitMs = nextMs
}
