/** Lets deferred calls go as there is room for them at their endpoints. */

import { Effect } from "effect"
import { DEFERRED_LOOK_MS } from "./bounds.ts"
import type { LiveHost } from "./live-host.ts"

/** Until it is interrupted. */
export function releaseDeferred(host: LiveHost): Effect.Effect<never> {
  const look = Effect.catchAllCause(host.releaseDeferred, (cause) =>
    Effect.logError("letting deferred calls go failed", cause),
  )
  return Effect.forever(Effect.zipRight(look, Effect.sleep(DEFERRED_LOOK_MS)))
}
