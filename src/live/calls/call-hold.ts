/**
 * The hold on calls: in a restored database no webhook, open link, payment, mail or SMS is sent until an operator
 * allows it, because the original may already have made the same calls. During the hold the wake-up takes nothing, so
 * no attempt is counted and no timer ends a call that was never made. Every node reads the hold from the database.
 */

import { Effect, Layer } from "effect"
import type { EpochMs } from "../../model/values/time.ts"
import { CallHoldControl } from "../../engine/services/outbound/call-hold.ts"
import { Database } from "../../engine/store/database.ts"
import type { DatabaseFault } from "../../engine/store/database.ts"
import { callHoldStatus, heldSinceMs, resumeCalls } from "../../apps/operations/store/call-hold.ts"
import { CALL_HOLD_LOOK_MS } from "../configuration/bounds.ts"

/** One process's copy of the hold. True until the database was read. */
export class CallHold {
  isHeld = true
  sinceMs: EpochMs | null = null

  know(sinceMs: EpochMs | null): void {
    this.isHeld = sinceMs !== null
    this.sinceMs = sinceMs
  }

  /** Notes for operators beside the checks of `/readyz`; empty when calls are allowed. */
  get notes(): Readonly<Record<string, string>> {
    return this.sinceMs === null ? {} : { calls: `held since ${new Date(this.sinceMs).toISOString()}` }
  }
}

/** Lets operators read and end the hold. It needs only the database, so the command line can use it too. */
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

/** Reads the hold before anything that may make calls is built, then once a second. */
export function layerCallHold(hold: CallHold): Layer.Layer<never, DatabaseFault, Database> {
  const look = Effect.gen(function* () {
    const sinceMs = yield* heldSinceMs(yield* Database)
    const wasHeld = hold.isHeld
    hold.know(sinceMs)
    return { sinceMs, wasHeld }
  })
  const lookAgain = Effect.gen(function* () {
    const { sinceMs, wasHeld } = yield* look
    if (sinceMs === null && wasHeld) yield* Effect.logInfo("outbound calls are allowed again")
    if (sinceMs !== null && !wasHeld) yield* Effect.logWarning(heldText(sinceMs))
  })
  return Layer.scopedDiscard(
    Effect.gen(function* () {
      const { sinceMs } = yield* look
      if (sinceMs !== null) yield* Effect.logWarning(heldText(sinceMs))
      // During a database outage the last known value stays.
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
    "allow them with `curbline calls release`"
  )
}

/** Allows calls; true when they were held. */
export function resume(hold: CallHold): Effect.Effect<boolean, DatabaseFault, Database> {
  return Effect.flatMap(Database, (database) => resumeCalls(database)).pipe(
    Effect.tap(() => Effect.sync(() => hold.know(null))),
  )
}
