/** Harnesses of the memory host on virtual time. */

import { Cause, Exit, Runtime } from "effect"
import type { Effect, Fiber } from "effect"
import type { EpochMs } from "../../src/model/values/time.ts"
import { DEMO_STORES } from "../../src/areas/courier/directory/demo-stores.ts"
import { putStore, putUser } from "../../src/areas/courier/memory/courier-rows.ts"
import { simulateService } from "../../src/simulation/simulated-service.ts"
import type { SimulatedService, SimulatedServiceOptions } from "../../src/simulation/simulated-service.ts"
import type { SimulatedTime } from "../../src/engine/kernel/simulated-time.ts"
import type { ServicesHarness } from "./harness.ts"
import { COURIER, USERS } from "./courier-world.ts"
import { deliverySites } from "./delivery-world.ts"
import { world } from "./world.ts"

export const START_MS: EpochMs = Date.parse("2026-06-01T15:00:00Z")

export interface MemoryHarness extends ServicesHarness {
  readonly service: SimulatedService
}

function memoryService(options: Partial<SimulatedServiceOptions> = {}): SimulatedService {
  const service = simulateService({
    seed: 7,
    startMs: START_MS,
    sites: world,
    recording: "full",
    deliverySites,
    courier: COURIER,
    ...options,
  })
  const { store } = service.host
  for (const one of DEMO_STORES) putStore(store, one)
  for (const [userId, phone] of Object.entries(USERS)) putUser(store, userId, { phone, isEnabled: true })
  return service
}

/** The services in memory. */
export function memoryHarness(options: Partial<SimulatedServiceOptions> = {}): MemoryHarness {
  const service = memoryService(options)
  const { host, world: outside, runtime } = service
  const { time } = host
  return {
    service,
    run: (effect) => runToEnd(effect, { runtime, time }),
    now: () => time.nowMs,
    advance: async (ms) => {
      const untilMs = time.nowMs + ms
      time.run(untilMs)
      time.advanceTo(untilMs)
    },
    standAt: async (instantMs) => {
      time.run(instantMs - 1)
      time.advanceTo(instantMs)
    },
    received: (url) => outside.receivedAt(url),
    script: (url, answers) => outside.script(url, answers),
    breakHost: (name, fault) => outside.breakHost(name, fault),
    breakPhotoSigning: (isBroken) => {
      outside.isSigningBroken = isBroken
    },
    stopProcessor: (isDown) => {
      outside.processor.isDown = isDown
    },
  }
}

/** Runs an effect on virtual time: the agenda moves while the effect waits, and no further. */
export async function runToEnd<A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { runtime, time }: { readonly runtime: Runtime.Runtime<R>; readonly time: SimulatedTime },
): Promise<A> {
  const fiber: Fiber.RuntimeFiber<A, E> = Runtime.runFork(runtime)(effect)
  time.run(time.nowMs - 1)
  for (;;) {
    const exit = fiber.unsafePoll()
    if (exit !== null) return valueOf(exit)
    const next = time.agenda.peek()
    if (next === undefined) throw new Error("the effect waits for something that never happens")
    time.run(next.dueMs)
  }
}

function valueOf<A, E>(exit: Exit.Exit<A, E>): A {
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}
