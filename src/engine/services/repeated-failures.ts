/**
 * The failures of work that is done again and again, such as a look at the database every second. While the database is away the log
 * has the first of them, then one line a minute, and a line when the work is done again.
 */

import { Effect } from "effect"
import { MINUTE_MS } from "../../model/values/time.ts"
import { elapsedMs } from "./elapsed-time.ts"

/** Does one round of the work; when it fails, gives this value instead. */
export type Rounds = <A, R>(round: Effect.Effect<A, never, R>, instead: A) => Effect.Effect<A, never, R>

/** `what`: what fails, as the subject of a sentence, such as `the wake-up`. */
export function repeatedFailures(what: string): Rounds {
  let failures = 0
  let loggedAtMs = 0
  const failed = Effect.fnUntraced(function* (cause: Parameters<typeof Effect.logError>[0]) {
    failures += 1
    const nowMs = yield* elapsedMs
    if (failures > 1 && nowMs - loggedAtMs < MINUTE_MS) return
    loggedAtMs = nowMs
    yield* Effect.annotateLogs(Effect.logError(`${what} failed`, cause), failures > 1 ? { failures } : {})
  })
  const worked = Effect.suspend(() => {
    if (failures === 0) return Effect.void
    const before = { failures }
    failures = 0
    return Effect.annotateLogs(Effect.logInfo(`${what} works again`), before)
  })
  return (round, instead) =>
    Effect.tap(round, () => worked).pipe(Effect.catchAllCause((cause) => Effect.as(failed(cause), instead)))
}
