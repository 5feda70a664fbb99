/** A thread that computes beside the service, with bounded memory. It is started for one computation and stopped after it. */

import { Worker } from "node:worker_threads"
import { THREAD_ARGUMENTS } from "../../engine/threads/module-places.ts"
import { FORECAST_HEAP_MIB, FORECAST_YOUNG_MIB } from "../configuration/bounds.ts"

export interface ComputingThread<To, Answer> {
  readonly give: (message: To) => void
  /** Rejects when the thread ends without an answer. */
  readonly answer: Promise<Answer>
  /** Stops it at once. */
  readonly stop: () => Promise<void>
}

/**
 * The first message for which `answerIn` is not null is the answer. Throws when the operating system has no more threads for this
 * process.
 */
export function startComputingThread<To, From, Answer>(
  script: URL,
  answerIn: (message: From) => Answer | null,
): ComputingThread<To, Answer> {
  const worker = new Worker(script, {
    execArgv: THREAD_ARGUMENTS,
    resourceLimits: {
      maxOldGenerationSizeMb: FORECAST_HEAP_MIB,
      maxYoungGenerationSizeMb: FORECAST_YOUNG_MIB,
    },
  })
  const answer = new Promise<Answer>((resolve, reject) => {
    worker.on("message", (message: From) => {
      const found = answerIn(message)
      if (found !== null) resolve(found)
    })
    worker.once("error", reject)
    worker.once("exit", (status) => reject(new Error(`it ended without an answer, with ${status}`)))
  })
  // The caller may have left before it ends.
  answer.catch(() => undefined)
  worker.unref()
  return {
    give: (message) => worker.postMessage(message),
    answer,
    stop: async () => {
      await worker.terminate()
    },
  }
}
