/** When a host on a clock of its owner has nothing left to do. */

import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises"
import type { Database } from "../../engine/store/database.ts"

/** Turns of the event loop without a query, after which nothing begins any more: answers become queries within one or two. */
const CALM_TURNS = 3

/** Resolves when everything that can happen at this instant has happened: what still waits, waits for the clock. */
export async function settled({ inFlight }: Pick<Database["Type"], "inFlight">): Promise<void> {
  for (let calm = 0; calm < CALM_TURNS;) {
    await nextTurnOfTheLoop()
    if (inFlight.count === 0) {
      calm += 1
    } else {
      await inFlight.none()
      calm = 0
    }
  }
}
