/**
 * The thread that computes a forecast, as the main thread sees it: it gets the texts of journals, then the order, and answers
 * once. A thread is started for each forecast and stopped after it, so that its memory is free in between.
 */

import { Worker } from "node:worker_threads"
import { THREAD_ARGUMENTS } from "../module-places.ts"
import type { Place } from "../model/place.ts"
import type { ForecastFigures } from "../model/site-forecast.ts"
import type { EpochMs } from "../model/time.ts"
import { FORECAST_HEAP_MIB, FORECAST_YOUNG_MIB } from "./bounds.ts"

/** What was learned from the past of a site. Plain, because it is copied. */
export interface LearnedModel {
  /** A fleet model as a file would have it. */
  readonly text: string
  readonly fromMs: EpochMs
  readonly reservations: number
  /** Who had a task lately. */
  readonly runnersLately: number
  readonly notKnown: readonly string[]
}

export interface ForecastOrder {
  readonly type: "order"
  readonly name: string
  readonly timeZone: string
  readonly place: Place | null
  /** Null: learn from the entries of the past, which were passed before. */
  readonly learned: LearnedModel | null
  /** The booking of the first past reservation that was passed; of no meaning with `learned`. */
  readonly fromMs: EpochMs
  readonly atMs: EpochMs
  readonly aheadMs: number
  /** Runners with a paired phone; 0: not known. */
  readonly pairedRunners: number
  /** False: more is under way than was passed. */
  readonly isPresentComplete: boolean
  readonly replications: number
  readonly turnsMax: number
  /** No further replication begins after this time. */
  readonly runsMsMax: number
}

export type ToForecastThread =
  | { readonly type: "entries"; readonly of: "past" | "present"; readonly texts: readonly string[] }
  | ForecastOrder

export interface MadeForecast {
  readonly type: "made"
  readonly learned: LearnedModel
  readonly figures: ForecastFigures
}

export type FromForecastThread =
  MadeForecast | { readonly type: "too little history"; readonly reservations: number }

export interface ForecastThread {
  readonly give: (message: ToForecastThread) => void
  /** Rejects when the thread ends without an answer. */
  readonly answer: Promise<FromForecastThread>
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
  const answer = new Promise<FromForecastThread>((resolve, reject) => {
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
