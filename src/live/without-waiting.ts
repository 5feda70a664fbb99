/** The clock of a transaction's body: it shows the time, but every sleep is a fault. */

import { Clock, Effect } from "effect"
import { EngineFault } from "../kernel/faults.ts"

/** A sleep inside a transaction would keep its locks for that time. */
export function withoutWaiting<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
  return Effect.clockWith((clock) =>
    Effect.withClock(effect, {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
      unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
      currentTimeMillis: clock.currentTimeMillis,
      currentTimeNanos: clock.currentTimeNanos,
      sleep: () =>
        Effect.die(new EngineFault({ reason: "a transaction suspended", at: null, found: "its body waits" })),
    }),
  )
}
