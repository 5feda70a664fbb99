/**
 * Calls that are held: in a restored database no webhook, open link, payment, mail or text leaves until an operator says
 * so, because the original may have made the same calls already. While they are held the wake-up takes nothing, so no
 * attempt is counted and no timer ends a call that was never made. Every node asks the database.
 */

import { Effect, Layer } from "effect"
import { Database } from "../store/database.ts"
import type { DatabaseFault } from "../store/database.ts"
import { heldSinceMs, resumeCalls } from "../store/call-hold.ts"
import { CALL_HOLD_LOOK_MS } from "./bounds.ts"

/** What one process knows of it. True until the database was asked. */
export class CallHold {
  isHeld = true
}

/** Asks before anything that may call is built, then once a second. */
export function layerCallHold(hold: CallHold): Layer.Layer<never, DatabaseFault, Database> {
  const look = Effect.gen(function* () {
    const sinceMs = yield* heldSinceMs(yield* Database)
    const wasHeld = hold.isHeld
    hold.isHeld = sinceMs !== null
    return { sinceMs, wasHeld }
  })
  const lookAgain = Effect.gen(function* () {
    const { sinceMs, wasHeld } = yield* look
    if (sinceMs === null && wasHeld) yield* Effect.logInfo("calls to the outside leave again")
    if (sinceMs !== null && !wasHeld) yield* Effect.logWarning(heldText(sinceMs))
  })
  return Layer.scopedDiscard(
    Effect.gen(function* () {
      const { sinceMs } = yield* look
      if (sinceMs !== null) yield* Effect.logWarning(heldText(sinceMs))
      // A database that is away for a while changes nothing: what is known stays.
      const watching = Effect.forever(
        Effect.zipRight(Effect.sleep(CALL_HOLD_LOOK_MS), Effect.ignore(lookAgain)),
      )
      yield* Effect.forkScoped(Effect.interruptible(watching))
    }),
  )
}

function heldText(sinceMs: number): string {
  return (
    `calls to the outside are held since ${new Date(sinceMs).toISOString()}: ` +
    "let them leave with `curbline restore --resume-calls`"
  )
}

/** Lets calls leave; true when they were held. */
export function resume(hold: CallHold): Effect.Effect<boolean, DatabaseFault, Database> {
  return Effect.flatMap(Database, resumeCalls).pipe(
    Effect.tap(() => Effect.sync(() => void (hold.isHeld = false))),
  )
}
