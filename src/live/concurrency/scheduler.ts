/**
 * The scheduler of the running service: Effect's default one, which yields to other fibers after a fixed number of
 * steps. It reads that number once; the default one reads it at every step, some eight hundred times for each request.
 */

import { Scheduler } from "effect"
import type { RuntimeFiber } from "effect/Fiber"

/** Effect's own values: steps before a fiber yields, and promise turns before timers run. */
const STEPS_MAX = 2_048
const PROMISE_TURNS_MAX = 2_048

class ServiceScheduler extends Scheduler.MixedScheduler {
  override shouldYield(fiber: RuntimeFiber<unknown, unknown>): number | false {
    return fiber.currentOpCount > STEPS_MAX ? 0 : false
  }
}

export const serviceScheduler: Scheduler.Scheduler = new ServiceScheduler(PROMISE_TURNS_MAX)
