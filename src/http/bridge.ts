/** The bridge from Fastify's promises to Effect: the one place of this folder in which effects are run. */

import { Cause, Exit, Runtime } from "effect"
import type { Effect } from "effect"

/** Runs an effect to its end. Rejects with its tagged error, or with the defect that ended it. */
export type Run<R> = <A, E>(effect: Effect.Effect<A, E, R>) => Promise<A>

/** A caller who hangs up interrupts nothing: a command that was begun is finished. */
export function bridgeTo<R>(runtime: Runtime.Runtime<R>): Run<R> {
  const runExit = Runtime.runPromiseExit(runtime)
  return async (effect) => {
    const exit = await runExit(effect)
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  }
}
