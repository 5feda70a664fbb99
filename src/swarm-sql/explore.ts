/** Seeds over an embedded database in memory, one after the other: each leaves no rows to the next. */

import { ManagedRuntime } from "effect"
import { layerPglite } from "../store/database.ts"
import { drawPlan } from "../swarm/draw.ts"
import type { SeedResult } from "../swarm/explore.ts"
import { NO_FAULTS } from "../swarm/plan.ts"
import type { Plan } from "../swarm/plan.ts"
import { runOnSql } from "./run.ts"
import type { SqlRun } from "./run.ts"

/**
 * The plan of a seed for a live host. Every second seed has no fault of the machine, so that its decisions can be compared with those
 * in memory; the others keep the faults that a live host can have.
 */
export function sqlPlanOf(seed: number): Plan {
  const plan = drawPlan(seed)
  if (seed % 2 === 0) return { ...plan, faults: NO_FAULTS }
  const { crashes, nodesLost, lostAnswers, runsBodiesTwice } = plan.faults
  return { ...plan, faults: { ...NO_FAULTS, crashes: crashes + nodesLost, lostAnswers, runsBodiesTwice } }
}

export interface SqlSeeds {
  readonly trySeed: (seed: number) => Promise<SeedResult>
  readonly close: () => Promise<void>
}

export function startSqlSeeds(): SqlSeeds {
  const runtime = ManagedRuntime.make(layerPglite("memory"))
  return {
    trySeed: async (seed) => {
      const { context } = await runtime.runtime()
      return resultOf(seed, await runOnSql(sqlPlanOf(seed), context))
    },
    close: () => runtime.dispose(),
  }
}

function resultOf(seed: number, run: SqlRun): SeedResult {
  const { hash, entries, virtualMs, startMs, broken, coverage } = run
  return {
    seed,
    hash,
    events: entries,
    virtualMs,
    broken: broken.map((one) => ({ ...one, afterMs: one.atMs - startMs })),
    covered: [...coverage.counts].map(([kind, names]) => [kind, [...names]]),
  }
}
