/** The composition root of the thread that computes one forecast: it takes journals, then an order, and answers once. */

import { constants, setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import { program } from "../apps/composition/program.ts"
import { JournalObserver } from "../simulation/fleet/fit/observations.ts"
import { ReplayedGroups } from "../simulation/fleet/forecast/replayed-groups.ts"
import { forecastFromJournals } from "../simulation/fleet/forecast/from-journals.ts"
import type { ToForecastThread } from "./forecasts/forecast-thread.ts"
import type { PersistedGroup } from "../engine/kernel/group.ts"
import type { DeliveryTerms, ForecastAnswer, ForecastOrder } from "../model/requests/forecast-order.ts"

// On Linux a priority belongs to the thread; elsewhere it would be that of the whole process.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

const past = new JournalObserver()
const present = new ReplayedGroups(program)
const fleet: { readonly groups: PersistedGroup[]; readonly terms: DeliveryTerms[] } = {
  groups: [],
  terms: [],
}

parentPort?.on("message", (message: ToForecastThread) => {
  if (message.type === "order") return parentPort?.postMessage(answerTo(message.order))
  if (message.type === "fleet") {
    fleet.groups.push(...message.groups)
    fleet.terms.push(...message.terms)
    return
  }
  for (const text of message.texts) {
    if (message.of === "past") past.take(text)
    else present.take(text)
  }
})

function answerTo(order: ForecastOrder): ForecastAnswer {
  return forecastFromJournals(order, {
    past: () => past.seen(),
    present: [...present.groups(), ...fleet.groups],
    terms: new Map(fleet.terms.map(({ deliveryId, ...said }) => [deliveryId, said])),
    beginRuns: () => {
      const beganMs = performance.now()
      return () => performance.now() - beganMs > order.runsMsMax
    },
  })
}
