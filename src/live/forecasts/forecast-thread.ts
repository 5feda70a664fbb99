/**
 * The thread that computes a forecast, as the main thread sees it: it gets the texts of journals, then the order, and answers
 * once. A thread is started for each forecast and stopped after it, so that its memory is free in between.
 */

import type { PersistedGroup } from "../../engine/kernel/group.ts"
import type { DeliveryTerms, ForecastAnswer, ForecastOrder } from "../../model/requests/forecast-order.ts"
import { startComputingThread } from "./computing-thread.ts"
import type { ComputingThread } from "./computing-thread.ts"

export type ToForecastThread =
  | { readonly type: "entries"; readonly of: "past" | "present"; readonly texts: readonly string[] }
  | {
      readonly type: "fleet"
      readonly groups: readonly PersistedGroup[]
      readonly terms: readonly DeliveryTerms[]
    }
  | { readonly type: "order"; readonly order: ForecastOrder }

export type ForecastThread = ComputingThread<ToForecastThread, ForecastAnswer>

const SCRIPT = new URL("../forecasting.ts", import.meta.url)

/** Throws when the operating system has no more threads for this process. */
export function startForecastThread(script: URL = SCRIPT): ForecastThread {
  return startComputingThread<ToForecastThread, ForecastAnswer, ForecastAnswer>(script, (message) => message)
}
