/** The composition root of the thread that finds the moment of one case: it takes journals, then an order, and answers once. */

import { constants, setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import { program } from "../apps/composition/program.ts"
import { eventName } from "../pages/inspection/event-name.ts"
import { JournalObserver } from "../simulation/fleet/fit/observations.ts"
import { momentFromJournals, turnsOf } from "../simulation/fleet/moment/from-journals.ts"
import type { PlacedText } from "../simulation/fleet/moment/from-journals.ts"
import type { EntryBody } from "../engine/kernel/journal.ts"
import type { FromMomentThread, ToMomentThread } from "./moments/moment-thread.ts"

// On Linux a priority belongs to the thread; elsewhere it would be that of the whole process.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

/** A message after each future would be thousands. */
const SAID_EVERY = 25

const past = new JournalObserver()
const present: PlacedText[] = []

parentPort?.on("message", (message: ToMomentThread) => {
  if (message.type === "past") {
    for (const text of message.texts)
      if ((JSON.parse(text) as EntryBody).instantMs < message.beforeMs) past.take(text)
    return
  }
  if (message.type === "present") return void present.push(...message.entries)
  let futures = 0
  const answer = momentFromJournals(message.order, {
    past: past.seen(),
    turns: turnsOf(program, present),
    terms: new Map(message.terms.map(({ deliveryId, ...said }) => [deliveryId, said])),
    eventName,
    onDone: () => {
      futures += 1
      if (futures % SAID_EVERY === 0) say({ type: "simulated", futures })
    },
  })
  say({ type: "answer", answer })
})

function say(message: FromMomentThread): void {
  parentPort?.postMessage(message)
}
