/** The clock of a transaction's body: it shows the time, but every sleep is a fault. */

import { Effect } from "effect"
import { EngineFault } from "../kernel/faults.ts"
import { withSleep } from "../services/organization-clock.ts"

/** A sleep inside a transaction would keep its locks for that time. */
export function withoutWaiting<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
  return Effect.clockWith((clock) =>
    Effect.withClock(
      effect,
      withSleep(clock, () =>
        Effect.die(new EngineFault({ reason: "a transaction suspended", at: null, found: "its body waits" })),
      ),
    ),
  )
}
