/** The bridge from Fastify's promises to Effect: the only place of this folder that runs effects. */

import { Cause, Effect, Exit, Runtime } from "effect"
import { inFiber, exitOf } from "../engine/services/answering.ts"
import type { Answering } from "../engine/services/answering.ts"
import { isRoutine, withRef } from "../engine/services/routine.ts"
import { CurrentRequester } from "../engine/services/requester.ts"
import { CurrentSpan } from "../engine/services/tracing.ts"
import { currentRequester } from "./request-requester.ts"
import { requestSpans } from "./request-span.ts"

/** Runs an effect; a routine without a fiber. Rejects with its tagged error, or with the defect that ended it. */
export type Run<R> = <A, E>(effect: Effect.Effect<A, E, R>) => Promise<A>

/** A client that disconnects interrupts nothing: a command in flight is finished. */
export function bridgeTo<R>(runtime: Runtime.Runtime<R>): Run<R> {
  const runExit = Runtime.runPromiseExit(runtime)
  const at: Answering = {
    services: runtime.context,
    clock: Runtime.runSync(runtime)(Effect.clock),
    refs: runtime.fiberRefs,
    run: inFiber,
  }
  return async <A, E>(effect: Effect.Effect<A, E, R>) => {
    const span = requestSpans.getStore()
    const requester = currentRequester()
    const exit = isRoutine(effect)
      ? await exitOf<A, E>(() => {
          const traced = span === undefined ? at : withRef(at, CurrentSpan, span)
          return effect.answer(requester === null ? traced : withRef(traced, CurrentRequester, requester))
        })
      : await runExit(
          Effect.locally(
            span === undefined ? effect : Effect.locally(effect, CurrentSpan, span),
            CurrentRequester,
            requester,
          ),
        )
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  }
}
