/** A plan's world outside the service, and what the words of scenarios see of a run over a database. */

import type { Runtime } from "effect"
import { Streams } from "../../engine/kernel/random.ts"
import type { MemoryHost } from "../../engine/memory/memory-host.ts"
import { MemoryStore } from "../../engine/memory/memory-store.ts"
import { OutsideWorld } from "../../simulation/outside-world.ts"
import { RunContext } from "../../simulation/scenario/run-context.ts"
import { SiteClock } from "../../simulation/scenario/language/site-clock.ts"
import { worldOf } from "../../simulation/scenario/language/worlds.ts"
import type { SimulatedServices } from "../../simulation/simulated-service.ts"
import type { Plan } from "../../simulation/swarm/plan.ts"
import { scenarioOf } from "../../simulation/swarm/run.ts"

/** What a plan's words see of a run over a database. */
export interface Stage {
  readonly run: RunContext
  readonly outside: OutsideWorld
  readonly store: MemoryStore
  readonly clock: SiteClock
}

/** The parts of a run that do not depend on how its time passes. */
export function stageOf(plan: Plan, nowMs: () => number): Stage {
  const scenario = scenarioOf(plan)
  const clock = new SiteClock(scenario.clock)
  const world = worldOf(scenario)
  const outside = new OutsideWorld()
  const store = new MemoryStore()
  const host = {
    time: {
      get nowMs() {
        return nowMs()
      },
    },
    store,
    streams: new Streams(plan.seed),
    entries: [],
    onTurn: () => undefined,
  } as unknown as MemoryHost
  const runtime = null as unknown as Runtime.Runtime<SimulatedServices>
  const run = new RunContext({
    scenario,
    service: { host, world: outside, runtime, writtenBy: new Map() },
    clock,
    world,
    isTolerant: true,
  })
  return { run, outside, store, clock }
}
