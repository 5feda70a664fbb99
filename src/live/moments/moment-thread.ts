/**
 * The thread that finds the moment of one case, as the main thread sees it: it gets the texts of journals, then the order; it says how many
 * futures it has simulated, and answers once.
 */

import type { MomentFound, MomentOrder, PlacedText } from "../../simulation/fleet/moment/from-journals.ts"
import type { DeliveryTerms } from "../../model/requests/forecast-order.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { startComputingThread } from "../forecasts/computing-thread.ts"
import type { ComputingThread } from "../forecasts/computing-thread.ts"

export type ToMomentThread =
  /** Each group's in order; later entries than `beforeMs` say nothing. */
  | { readonly type: "past"; readonly texts: readonly string[]; readonly beforeMs: EpochMs }
  | { readonly type: "present"; readonly entries: readonly PlacedText[] }
  | { readonly type: "order"; readonly order: MomentOrder; readonly terms: readonly DeliveryTerms[] }

export type FromMomentThread =
  | { readonly type: "simulated"; readonly futures: number }
  | { readonly type: "answer"; readonly answer: MomentFound }

export type MomentThread = ComputingThread<ToMomentThread, MomentFound>

const SCRIPT = new URL("../finding-moment.ts", import.meta.url)

/** Throws when the operating system has no more threads for this process. */
export function startMomentThread(
  onSimulated: (futures: number) => void,
  script: URL = SCRIPT,
): MomentThread {
  return startComputingThread<ToMomentThread, FromMomentThread, MomentFound>(script, (message) => {
    if (message.type === "answer") return message.answer
    onSimulated(message.futures)
    return null
  })
}
