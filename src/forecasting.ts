/** The composition root of the thread that computes one forecast: it takes journals, then an order, and answers once. */

import { constants, setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import { program } from "./composition/program.ts"
import { JournalObserver } from "./fleet/fit/observations.ts"
import { ReplayedGroups } from "./fleet/forecast/replayed-groups.ts"
import { forecastFromJournals } from "./fleet/forecast/from-journals.ts"
import type { ToForecastThread } from "./live/forecast-thread.ts"
import type { ForecastAnswer, ForecastOrder } from "./model/forecast-order.ts"

// On Linux a priority belongs to the thread; elsewhere it would be that of the whole process.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

const past = new JournalObserver()
const present = new ReplayedGroups(program)

parentPort?.on("message", (message: ToForecastThread) => {
  if (message.type === "order") return parentPort?.postMessage(answerTo(message.order))
  for (const text of message.texts) {
    if (message.of === "past") past.take(text)
    else present.take(text)
  }
})

function answerTo(order: ForecastOrder): ForecastAnswer {
  return forecastFromJournals(order, {
    past: () => past.seen(),
    present: present.groups(),
    beginRuns: () => {
      const beganMs = performance.now()
      return () => performance.now() - beganMs > order.runsMsMax
    },
  })
}
