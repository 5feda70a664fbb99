/** The clock of a transaction's body: it shows the time, but every sleep is a fault. */

import { Effect } from "effect"
import { EngineFault } from "../../engine/kernel/faults.ts"
import { withSleep } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"

/** A sleep inside a transaction would keep its locks for that time. */
export function withoutWaiting<A, E, R>(routine: Effect.Effect<A, E, R>): Routine<A, E, R> {
  return Routine.withClock(routine, (clock) =>
    withSleep(clock, () =>
      Effect.die(new EngineFault({ reason: "a transaction suspended", at: null, found: "its body waits" })),
    ),
  )
}
