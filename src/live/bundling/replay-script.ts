/**
 * The script of a web worker that runs one replay: it takes the messages of `src/model/replay/messages.ts` and sends them. A host, so it
 * reads the clock; what it runs does not. A new `open` ends the run before; a message about another run is dropped.
 */

import { ReplayRun } from "../../simulation/fleet/replay/replay-run.ts"
import { chartsOf } from "./machine-charts.ts"
import type { CourseChunk } from "../../model/replay/course.ts"
import type { FromReplayWorker, ToReplayWorker } from "../../model/replay/messages.ts"

/** How long a run goes on before messages are looked at. */
const BREATHES_AFTER_MS = 30

/** The part of a worker's global object that is used. Source: HTML, "DedicatedWorkerGlobalScope". */
interface WorkerScope {
  readonly addEventListener: (
    type: "message",
    listener: (message: { readonly data: ToReplayWorker }) => void,
  ) => void
  readonly postMessage: (message: FromReplayWorker, transferred: ArrayBuffer[]) => void
}

const scope = globalThis as unknown as WorkerScope

let run: ReplayRun | null = null
/** Runs of the model on other seeds; they have their turn when the watched run is over. */
let seeds: { readonly token: number; readonly steps: Iterator<unknown> } | null = null
let isWaiting = false
// A timer would wait for 4 ms each time.
const { port1: wake, port2: woken } = new MessageChannel()

scope.addEventListener("message", ({ data: message }) => {
  switch (message.type) {
    case "open":
      run = new ReplayRun({ ...message, tell, chartsOf })
      seeds = null
      goOnLater()
      break
    case "journal":
      if (run?.token === message.token) run.journal(message.address)
      break
    case "seeds":
      seeds = run === null ? null : { token: message.token, steps: run.onSeeds(message) }
      goOnLater()
      break
    case "cancel":
      if (seeds?.token === message.token) seeds = null
      break
  }
})

woken.addEventListener("message", () => {
  isWaiting = false
  const untilMs = performance.now() + BREATHES_AFTER_MS
  const isTime = (): boolean => performance.now() >= untilMs
  if (run?.isOver === false) run.advance(isTime)
  else if (seeds !== null && areOver(seeds.steps, isTime)) seeds = null
  if (run?.isOver === false || seeds !== null) goOnLater()
})
woken.start()

/** Goes on until it is time; true when there is no further step. */
function areOver(steps: Iterator<unknown>, isTime: () => boolean): boolean {
  while (steps.next().done !== true) if (isTime()) return false
  return true
}

function goOnLater(): void {
  if (isWaiting) return
  isWaiting = true
  wake.postMessage(null)
}

function tell(message: FromReplayWorker): void {
  scope.postMessage(message, message.type === "chunk" ? buffersOf(message.chunk) : [])
}

/** Each buffer once: the columns of a chunk may share one. */
function buffersOf({ legs, changes, levels, breaks }: CourseChunk): ArrayBuffer[] {
  const columns = [legs, changes, levels, breaks].flatMap(
    (table) => Object.values(table) as ArrayBufferView[],
  )
  return [...new Set(columns.map(({ buffer }) => buffer as ArrayBuffer))]
}
