/** The answer to a caller who made too many attempts, such as to sign in. */

import { Effect } from "effect"
import type { FastifyReply } from "fastify"
import { TurnedAway } from "../../model/values/errors.ts"
import { TooManyAttempts } from "../../engine/services/rate-limits/attempts.ts"

/** Sets `Retry-After` for a caller over its limit. */
export function tellingWhen<A, E, R>(
  reply: FastifyReply,
  effect: Effect.Effect<A, E | TooManyAttempts, R>,
): Effect.Effect<A, E | TurnedAway, R> {
  return Effect.catchAll(effect, (failure): Effect.Effect<never, E | TurnedAway> => {
    if (!(failure instanceof TooManyAttempts)) return Effect.fail(failure)
    reply.header("Retry-After", String(failure.retryAfterSeconds))
    return new TurnedAway({ code: "RATE_LIMITED" })
  })
}
