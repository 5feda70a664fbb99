/**
 * Calls that are held: in a restored database no webhook, open link, payment, mail or text leaves until an operator says
 * so, because the original may have made the same calls already. While they are held the wake-up takes nothing, so no
 * attempt is counted and no timer ends a call that was never made. Every node asks the database.
 */

import { Effect, Layer } from "effect"
import type { EpochMs } from "../model/time.ts"
import { CallHoldControl } from "../services/operations/call-hold.ts"
import { Database } from "../store/database.ts"
import type { DatabaseFault } from "../store/database.ts"
import { callHoldStatus, heldSinceMs, resumeCalls } from "../store/call-hold.ts"
import { CALL_HOLD_LOOK_MS } from "./bounds.ts"

/** What one process knows of it. True until the database was asked. */
export class CallHold {
  isHeld = true
  sinceMs: EpochMs | null = null

  know(sinceMs: EpochMs | null): void {
    this.isHeld = sinceMs !== null
    this.sinceMs = sinceMs
  }

  /** For operators, beside what `/readyz` checks; empty when calls leave. */
  get notes(): Readonly<Record<string, string>> {
    return this.sinceMs === null ? {} : { calls: `held since ${new Date(this.sinceMs).toISOString()}` }
  }
}

/** What operators see of it and do about it, over the database alone: so a command has it too. */
export const layerCallHoldControl: Layer.Layer<CallHoldControl, never, Database> = Layer.effect(
  CallHoldControl,
  Effect.map(Database, (database) => {
    const status = Effect.orDie(callHoldStatus(database))
    return {
      status,
      release: ({ tokenId }) => Effect.zipRight(Effect.orDie(resumeCalls(database, tokenId)), status),
    }
  }),
)

/** Asks before anything that may call is built, then once a second. */
export function layerCallHold(hold: CallHold): Layer.Layer<never, DatabaseFault, Database> {
  const look = Effect.gen(function* () {
    const sinceMs = yield* heldSinceMs(yield* Database)
    const wasHeld = hold.isHeld
    hold.know(sinceMs)
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
    "let them leave with `curbline calls release`"
  )
}

/** Lets calls leave; true when they were held. */
export function resume(hold: CallHold): Effect.Effect<boolean, DatabaseFault, Database> {
  return Effect.flatMap(Database, (database) => resumeCalls(database)).pipe(
    Effect.tap(() => Effect.sync(() => hold.know(null))),
  )
}
