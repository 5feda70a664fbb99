/** Fibers for routines that run without one, in hosts of the live service. */

import { Effect, Runtime } from "effect"
import type { Answering } from "./routine.ts"

/** Runs an Effect that a routine requests. Returns a promise only if the Effect waits. */
export const inFiber: Answering["run"] = (effect, { services, clock, refs }) => {
  const runtime = Runtime.make({
    context: services,
    fiberRefs: refs,
    runtimeFlags: Runtime.defaultRuntimeFlags,
  })
  const fiber = Runtime.runFork(runtime)(Effect.withClock(effect, clock), { immediate: true })
  return fiber.unsafePoll() ?? new Promise((resolve) => fiber.addObserver(resolve))
}
