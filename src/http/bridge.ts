/** The bridge from Fastify's promises to Effect: the only place of this folder that runs effects. */

import { Cause, Effect, Exit, Runtime } from "effect"
import { CurrentSpan } from "../services/tracing.ts"
import { requestSpans } from "./request-span.ts"

/** Runs an effect. Rejects with its tagged error, or with the defect that ended it. */
export type Run<R> = <A, E>(effect: Effect.Effect<A, E, R>) => Promise<A>

/** A client that disconnects interrupts nothing: a command in flight is finished. */
export function bridgeTo<R>(runtime: Runtime.Runtime<R>): Run<R> {
  const runExit = Runtime.runPromiseExit(runtime)
  return async (effect) => {
    const span = requestSpans.getStore()
    const exit = await runExit(span === undefined ? effect : Effect.locally(effect, CurrentSpan, span))
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  }
}
