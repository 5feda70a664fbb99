/** Seeds over an embedded database in memory, one after the other: each leaves no rows to the next. */

import { ManagedRuntime, Struct } from "effect"
import type { Context } from "effect"
import { layerPglite } from "../../engine/store/database.ts"
import type { Database } from "../../engine/store/database.ts"
import { CATALOGUE } from "../../simulation/swarm/catalogue.ts"
import { drawPlan } from "../../simulation/swarm/draw.ts"
import { findingFrom } from "../../simulation/swarm/explore.ts"
import type { Finding, SeedResult } from "../../simulation/swarm/explore.ts"
import { NO_FAULTS } from "../../simulation/scenario/machine-faults.ts"
import type { Move, Plan } from "../../simulation/swarm/plan.ts"
import { shrinkLater } from "../../simulation/swarm/shrink.ts"
import { runOnSql } from "./run.ts"
import type { SqlRun } from "./run.ts"

/**
 * The plan of a seed for a live host. Every second seed has no fault of the machine, so that its decisions can be compared with those
 * in memory; the others keep the faults that a live host can have.
 */
export function sqlPlanOf(seed: number): Plan {
  const plan = drawPlan(seed)
  if (seed % 2 === 0) return { ...plan, faults: NO_FAULTS, moves: plan.moves.filter(isNoLostNode) }
  const { crashes, nodesLost } = plan.faults
  return {
    ...plan,
    faults: { ...NO_FAULTS, ...Struct.pick(plan.faults, ...OF_A_LIVE_HOST), crashes: crashes + nodesLost },
  }
}

/** One host over a database has no other node that would make its calls again. */
function isNoLostNode({ act }: Move): boolean {
  return act.verb !== "inject" || act.fault !== "node.lost"
}

const OF_A_LIVE_HOST = [
  "backupAgeMs",
  "heldMs",
  "lateResultMsMax",
  "lateResults",
  "lateTimerMsMax",
  "lateTimers",
  "lostAnswers",
  "lostCommits",
  "lostResults",
  "mailboxEntriesMax",
  "restoresAtMs",
  "runsBodiesTwice",
  "upgradesAtMs",
] as const

export interface SqlSeeds {
  readonly trySeed: (seed: number) => Promise<SeedResult>
  /** Makes a failing seed small; null when the same run does not fail again. */
  readonly findingOf: (seed: number, sentence: string) => Promise<Finding | null>
  readonly close: () => Promise<void>
}

export function startSqlSeeds(): SqlSeeds {
  const runtime = ManagedRuntime.make(layerPglite("memory"))
  return {
    trySeed: async (seed) => {
      const { context } = await runtime.runtime()
      return resultOf(seed, await runOnSql(sqlPlanOf(seed), context))
    },
    findingOf: async (seed, sentence) => {
      const { context } = await runtime.runtime()
      return sqlFindingOf(sqlPlanOf(seed), sentence, context)
    },
    close: () => runtime.dispose(),
  }
}

/** A run over a database takes seconds, so fewer are tried than in memory. */
const SHRINK_RUNS_MAX = 60

/** The plan made small, while it breaks the sentence over the database. */
export async function sqlFindingOf(
  plan: Plan,
  sentence: string,
  context: Context.Context<Database>,
  runsMax = SHRINK_RUNS_MAX,
): Promise<Finding | null> {
  let found: string | null = null
  const breaks = async (smaller: Plan): Promise<boolean> => {
    const { broken } = await runOnSql(smaller, context)
    const again = broken.find((one) => one.sentence === sentence)
    found = again?.found ?? found
    return again !== undefined
  }
  if (!(await breaks(plan)) || found === null) return null
  const shrunk = await shrinkLater(plan, breaks, { runsMax })
  return findingFrom({ plan, shrunk, sentence, found }, { invariants: CATALOGUE })
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
