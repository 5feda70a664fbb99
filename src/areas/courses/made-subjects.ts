/** What the sandbox made for a run ends with it, so that starts without an id use up neither vehicles nor phone numbers. */

import { Effect } from "effect"
import type { Refused } from "../../model/values/errors.ts"
import { ClockRows, stateOf } from "../clock/rows.ts"
import { SmsConsent } from "../messages/consent.ts"
import { inTimeOf } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"
import { command } from "./commands.ts"
import type { CommandOf } from "./commands.ts"
import { deliveryOf, isDone, subjectOf } from "./subject.ts"

const REASON = "the scenario is over"

/**
 * Cancels the test delivery or reservation of a run unless it is over, and takes back the STOP of its customer. May be repeated. Never
 * fails: what cannot be cancelled stays as it is.
 */
export const endMade = Routine.fn(function* (made: CommandOf) {
  const clock = yield* (yield* ClockRows).clock(made.ref.organizationId)
  const isDelivery = made.ref.kind === "delivery"
  const steps = Routine.zipRight(tried(cancelled(made)), isDelivery ? tried(heard(made)) : Routine.void)
  yield* inTimeOf(clock === null ? null : stateOf(clock), steps)
})

function tried<R>(step: Effect.Effect<unknown, Refused, R>): Effect.Effect<void, never, R> {
  return step.pipe(
    Effect.catchAll(() => Routine.void),
    Effect.catchAllDefect((fault) => Effect.logError("ending what a scenario made failed", fault)),
    Routine.asVoid,
  )
}

const cancelled = Effect.fnUntraced(function* (made: CommandOf) {
  const act = { do: `${made.ref.kind}.cancel`, reason: REASON } as const
  if (!isDone(act, yield* subjectOf(made.ref))) yield* command(act, made)
})

/** Consent is one of the number, not of the delivery. */
const heard = Effect.fnUntraced(function* ({ ref, key }: CommandOf) {
  const { customer, organizationId, environment } = yield* deliveryOf(ref)
  if (!(yield* (yield* SmsConsent).hasStopped({ organizationId, environment }, customer.phone))) return
  yield* command({ do: "customer.reply", text: "START" }, { ref, key: `${key}-start` })
})
