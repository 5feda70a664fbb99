/** Calls of one node, some of which the webhook thread makes. */

import { Effect, FiberSet } from "effect"
import type { Scope } from "effect"
import { Routine } from "../../engine/services/routine.ts"
import { CurrentSpan } from "../../engine/services/tracing.ts"
import type { CallThread } from "./call-thread.ts"
import type { Calls, OutgoingCalls, OutgoingCallsOptions } from "./outgoing-calls.ts"

/** Closing the scope ends the thread as a crash would. */
export function divideCalls(
  own: OutgoingCalls,
  thread: CallThread,
  { node, observer, onFault }: OutgoingCallsOptions & { readonly node: string },
): Effect.Effect<Calls, never, Scope.Scope> {
  return Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime()
    thread.attach({ node, observer, onFault: (fault) => void run(onFault(fault)) })
    yield* Effect.addFinalizer(() => Effect.promise(() => thread.end()))
    return {
      attach: (performers) => own.attach(performers),
      begin: (calls, ready) =>
        Routine.flatMap(Routine.ref(CurrentSpan), (span) => {
          const { given = [], kept = [] } = Object.groupBy(calls, (call) =>
            thread.takes(call) ? "given" : "kept",
          )
          thread.give(given, span?.traceparent ?? null)
          return own.begin(kept, ready)
        }),
      get free() {
        return Math.min(own.free, thread.free)
      },
      beginUnqueued: (calls) => own.beginUnqueued(calls),
      // When the thread is ready it releases deferred calls itself, because it knows which endpoints fail.
      roomFor: (endpoint) => (thread.isReady ? 0 : own.roomFor(endpoint)),
      expect: (endpoint, actors) => own.expect(endpoint, actors),
      expectNoMore: (actors) => own.expectNoMore(actors),
      forgetIdle: Effect.suspend(() => (thread.isReady ? Effect.void : own.forgetIdle)),
      get inFlight() {
        return own.inFlight + thread.inFlight
      },
      drain: Effect.all([own.drain, Effect.promise(() => thread.stop())], {
        concurrency: "unbounded",
        discard: true,
      }),
      drop: Effect.tap(own.drop, () => Effect.promise(() => thread.end())),
    }
  })
}
