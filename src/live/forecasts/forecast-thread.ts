/**
 * The thread that computes a forecast, as the main thread sees it: it gets the texts of journals, then the order, and answers
 * once. A thread is started for each forecast and stopped after it, so that its memory is free in between.
 */

import { Worker } from "node:worker_threads"
import { THREAD_ARGUMENTS } from "../../engine/threads/module-places.ts"
import type { PersistedGroup } from "../../engine/kernel/group.ts"
import type { DeliveryTerms, ForecastAnswer, ForecastOrder } from "../../model/requests/forecast-order.ts"
import { FORECAST_HEAP_MIB, FORECAST_YOUNG_MIB } from "../configuration/bounds.ts"

export type ToForecastThread =
  | { readonly type: "entries"; readonly of: "past" | "present"; readonly texts: readonly string[] }
  | {
      readonly type: "fleet"
      readonly groups: readonly PersistedGroup[]
      readonly terms: readonly DeliveryTerms[]
    }
  | { readonly type: "order"; readonly order: ForecastOrder }

export interface ForecastThread {
  readonly give: (message: ToForecastThread) => void
  /** Rejects when the thread ends without an answer. */
  readonly answer: Promise<ForecastAnswer>
  /** Stops it at once. */
  readonly stop: () => Promise<void>
}

const SCRIPT = new URL("../forecasting.ts", import.meta.url)

/** Throws when the operating system has no more threads for this process. */
export function startForecastThread(script: URL = SCRIPT): ForecastThread {
  const worker = new Worker(script, {
    execArgv: THREAD_ARGUMENTS,
    resourceLimits: {
      maxOldGenerationSizeMb: FORECAST_HEAP_MIB,
      maxYoungGenerationSizeMb: FORECAST_YOUNG_MIB,
    },
  })
  const answer = new Promise<ForecastAnswer>((resolve, reject) => {
    worker.once("message", resolve)
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
