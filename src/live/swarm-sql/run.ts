/**
 * Runs the workload of a seed on the live service over a database, and then judges its journal: memory repeats every group in the order
 * in which the database committed, and its hash must be the same; invariants are checked over the repeated turns and the final rows.
 */

import { isDeepStrictEqual } from "node:util"
import { Cause, Context, Effect, Runtime } from "effect"
import { program } from "../../apps/composition/program.ts"
import { DAY_MS } from "../../model/values/time.ts"
import { SiteClock } from "../../simulation/scenario/language/site-clock.ts"
import { Database } from "../../engine/store/database.ts"
import { Coverage } from "../../simulation/swarm/coverage.ts"
import { CATALOGUE } from "../../simulation/swarm/catalogue.ts"
import { EVERYTHING_ENDS, NO_ENGINE_FAULT, drive, runPlan, scenarioOf } from "../../simulation/swarm/run.ts"
import type { Driving } from "../../simulation/swarm/run.ts"
import type { Answered, Broken } from "../../simulation/swarm/invariant.ts"
import { NO_FAULTS } from "../../simulation/scenario/machine-faults.ts"
import type { Plan } from "../../simulation/swarm/plan.ts"
import { DAYS_OF_SITES, wrongDayOfSites } from "../../simulation/swarm/invariants/sites.ts"
import { watch } from "../../simulation/swarm/watch.ts"
import { isAboutAnswers } from "./answers.ts"
import { SAME_DECISIONS, differsFrom, judged } from "./judged.ts"
import { ManualClock } from "./manual-clock.ts"
import { Mirror } from "./mirror.ts"
import { SqlFaults } from "./sql-faults.ts"
import { ServicesOfRun } from "./services-of-run.ts"
import { SECRET_KEY, prepareDatabase, runUntilQuiet } from "./sql-service.ts"
import { stageOf } from "./stage.ts"

/** As in memory: the longest window, its grace, and a day of repeated refunds. */
const ENDS_WITHIN_MS = 4 * DAY_MS

export interface SqlRun {
  readonly plan: Plan
  /** Of the database's journal; memory's is the same, else `broken` says so. */
  readonly hash: string
  readonly entries: number
  /** Whether memory's own run of the plan has the same hash; null with faults of the machine. */
  readonly isSameAsMemory: boolean | null
  readonly virtualMs: number
  readonly startMs: number
  readonly broken: readonly Broken[]
  readonly coverage: Coverage
}

export interface SqlOptions {
  /** Called with the faults before anything happens; tests change them to plant bugs. */
  readonly plant?: (faults: SqlFaults) => void
}

/** Runs the plan with the faults that a live host can have, and all of the outside world. */
export async function runOnSql(
  plan: Plan,
  context: Context.Context<Database>,
  { plant }: SqlOptions = {},
): Promise<SqlRun> {
  const manual = new ManualClock(new SiteClock(scenarioOf(plan).clock).startMs)
  const stage = stageOf(plan, () => manual.nowMs)
  const { run, store } = stage
  const coverage = new Coverage()
  const time = { nowMs: () => manual.nowMs, startMs: manual.nowMs, wakeOne: () => void manual.wakeOne() }
  const faults = new SqlFaults(plan, time, coverage)
  plant?.(faults)
  await prepareDatabase(context, run)
  const services = new ServicesOfRun({ stage, database: context, clock: manual, faults, plan })
  await services.open()
  const startMs = manual.nowMs
  const broken: Broken[] = []
  const note = (sentence: string, found: string): void => {
    broken.push({ sentence, found, atMs: manual.nowMs, group: null })
  }
  const seen = watch({ plan, run, program, invariants: CATALOGUE.filter(isAboutAnswers) })
  faults.restoreBy(services.restoring(seen))
  const mirror = new Mirror({ store, database: context, secretKey: SECRET_KEY })
  const answers: Answered[] = []
  const driving: Driving = {
    plan,
    faults,
    coverage,
    seen: keeping(answers, seen),
    before: mirror.ofCommands,
    services: () => services.now.runtime.context,
    isLost: (cause) => Cause.isInterrupted(cause) || faults.undid(cause),
  }
  try {
    const actors = Runtime.runFork(services.now.runtime)(drive(run, driving))
    const passedMs = await runUntilQuiet(
      { service: () => services.now, database: Context.get(context, Database), clock: manual, faults },
      actors,
      startMs + plan.faultsEndMs + ENDS_WITHIN_MS,
    )
    if (passedMs !== null) note(EVERYTHING_ENDS, `something is still due at ${passedMs - startMs} ms`)
    for (const fault of services.faults) note(NO_ENGINE_FAULT, fault)
    await Effect.runPromise(mirror.ofInvariants)
    const wrongDay = await Runtime.runPromise(services.now.runtime)(wrongDayOfSites(run))
    if (wrongDay !== null) note(DAYS_OF_SITES, wrongDay)
  } finally {
    await services.close()
  }
  const verdict = await judged({ plan, stage, context, mirror, coverage, program, answers })
  // A fault of the machine strikes at other moments in another host.
  const memory = isDeepStrictEqual(plan.faults, NO_FAULTS) ? runPlan(plan, { invariants: [] }) : null
  const difference = memory === null ? null : differsFrom(plan, memory.coverage, coverage)
  if (difference !== null) note(SAME_DECISIONS, difference)
  return {
    plan,
    isSameAsMemory: memory === null ? null : memory.hash === verdict.hash,
    hash: verdict.hash,
    entries: verdict.entries,
    virtualMs: manual.nowMs - startMs,
    startMs,
    broken: [...seen.broken, ...broken, ...verdict.broken],
    coverage,
  }
}

/** The same listeners, which also keep what callers were answered. */
function keeping(answers: Answered[], { asked, answered }: Driving["seen"]): Driving["seen"] {
  return {
    asked,
    answered: (one) => {
      answers.push(one)
      answered(one)
    },
  }
}
