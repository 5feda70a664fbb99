/** Fibers for routines that run without one, in hosts of the live service. */

import { Effect, Exit, FiberId, Runtime } from "effect"
import type { Answering } from "./routine.ts"

/** Runs an Effect that a routine requests. Returns a promise only if the Effect waits. Nothing begins after an abort. */
export const inFiber: Answering["run"] = (effect, { services, clock, refs, signal }) => {
  if (signal?.aborted === true) return Exit.interrupt(FiberId.none)
  const runtime = Runtime.make({
    context: services,
    fiberRefs: refs,
    runtimeFlags: Runtime.defaultRuntimeFlags,
  })
  const fiber = Runtime.runFork(runtime)(Effect.withClock(effect, clock), { immediate: true })
  const ended = fiber.unsafePoll()
  if (ended !== null) return ended
  const interrupt = (): void => fiber.unsafeInterruptAsFork(FiberId.none)
  signal?.addEventListener("abort", interrupt)
  return new Promise((resolve) => {
    fiber.addObserver((exit) => {
      signal?.removeEventListener("abort", interrupt)
      resolve(exit)
    })
  })
}

/** What a fiber gives to a routine that it runs without another one. */
export const answeringHere: Effect.Effect<Answering> = Effect.gen(function* () {
  const services = yield* Effect.context<never>()
  const clock = yield* Effect.clock
  return { services, clock, refs: yield* Effect.getFiberRefs, run: inFiber }
})
