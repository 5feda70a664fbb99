/** Runs a scenario of any kind. One with faults of the machines is a plan of the swarm, and runs as one. */

import type { EpochMs } from "../../model/values/time.ts"
import type { Scenario, Step } from "../scenario/language/language.ts"
import type { MachineFaultsGiven } from "../scenario/machine-faults.ts"
import { checkPromises, failViolated, resultOfRun, runScenario } from "../scenario/run.ts"
import type { RunOptions, ScenarioRun } from "../scenario/run.ts"
import { SiteClock } from "../scenario/language/site-clock.ts"
import { CATALOGUE } from "./catalogue.ts"
import type { SwarmInvariant } from "./invariant.ts"
import type { Act, Move, Plan } from "./plan.ts"
import { runPlan } from "./run.ts"
import type { PlanOptions } from "./run.ts"

export type AnyRunOptions = Pick<PlanOptions, "plant"> &
  RunOptions & {
    /** Those of a run with faults of the machines: the whole catalogue without it. */
    readonly invariants?: readonly SwarmInvariant[]
  }

/** The actor of steps that name none: they wait for each other. */
const STEPS = "steps"

/** Throws EngineFault when the engine or a machine breaks in a run without such faults. */
export function runAnyScenario(scenario: Scenario, options: AnyRunOptions = {}): ScenarioRun {
  const faults = scenario.machineFaults ?? null
  if (faults !== null) return runWithFaults(scenario, faults, options)
  const { plant } = options
  if (plant === undefined) return runScenario(scenario, options)
  return runScenario(scenario, {
    ...options,
    watch: (service) => {
      plant(service)
      return options.watch?.(service) ?? {}
    },
  })
}

/** Refused commands are no failures; the broken invariants are. */
function runWithFaults(scenario: Scenario, faults: MachineFaultsGiven, options: AnyRunOptions): ScenarioRun {
  const { seed = scenario.seed, invariants = chosen(scenario), program, plant, watch, atEnd } = options
  const { broken, run } = runPlan(planOf(scenario, faults, seed), {
    invariants,
    scenario,
    ...(program === undefined ? {} : { program }),
    ...(plant === undefined ? {} : { plant }),
    ...(watch === undefined ? {} : { watch }),
  })
  failViolated(run, broken)
  checkPromises(run)
  atEnd?.(run)
  const result = resultOfRun(run, seed, broken)
  // A restored backup has fewer entries than there were.
  const last = result.entries.length
  return {
    ...result,
    marks: result.marks.map((mark) => ({ ...mark, afterEntries: Math.min(last, mark.afterEntries) })),
  }
}

function chosen({ always }: Scenario): readonly SwarmInvariant[] {
  if (always.length === 0) return CATALOGUE
  return CATALOGUE.filter(({ sentence }) => always.some(({ name }) => name === sentence))
}

function planOf(scenario: Scenario, { faults, endMs }: MachineFaultsGiven, seed: number): Plan {
  const clock = new SiteClock(scenario.clock)
  return { seed, world: scenario, faults, moves: movesOf(scenario.steps, clock), faultsEndMs: endMs }
}

/** Times count from the step before, whenever that one is answered. */
function movesOf(steps: readonly Step[], clock: SiteClock): readonly Move[] {
  const moves: Move[] = []
  let nowMs: EpochMs = clock.startMs
  for (const step of steps) {
    if (step.at !== null) nowMs = Math.max(nowMs, clock.resolve(step.at, nowMs))
    if (step.verb === "wait") nowMs = Math.max(nowMs, clock.resolve(step.until, nowMs))
    if (step.verb !== "do" && step.verb !== "inject") continue
    const { actor = STEPS, place } = step
    moves.push({ atMs: nowMs - clock.startMs, actor, act: actOf(step), place })
  }
  return moves
}

function actOf(step: Extract<Step, { readonly verb: "do" | "inject" }>): Act {
  if (step.verb === "inject") {
    const { verb, fault, for: target, with: values } = step
    return { verb, fault, for: target, with: values }
  }
  const { verb, command, as, by, for: target, with: values } = step
  return { verb, command, as, for: target, with: values, ...(by === undefined ? {} : { by }) }
}
