/**
 * The scheduler of the running service: Effect's usual one, which gives way to other fibers after as many steps. It asks for
 * that number once, where the usual one looks it up at every step: some eight hundred times a request.
 */

import { Scheduler } from "effect"
import type { RuntimeFiber } from "effect/Fiber"

/** Effect's own numbers: steps before a fiber gives way, and turns of promises before timers have theirs. */
const STEPS_MAX = 2_048
const PROMISE_TURNS_MAX = 2_048

class ServiceScheduler extends Scheduler.MixedScheduler {
  override shouldYield(fiber: RuntimeFiber<unknown, unknown>): number | false {
    return fiber.currentOpCount > STEPS_MAX ? 0 : false
  }
}

export const serviceScheduler: Scheduler.Scheduler = new ServiceScheduler(PROMISE_TURNS_MAX)
