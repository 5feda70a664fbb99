/** A failing plan for people: a scenario file that shows the failure, and in any case its course in plain words. */

import { SECOND_MS } from "../../model/values/time.ts"
import { explain } from "../scenario/words/explain.ts"
import type { Scenario, Step } from "../scenario/language/language.ts"
import { NO_FAULTS } from "../scenario/machine-faults.ts"
import { readSource } from "../scenario/language/read.ts"
import type { ScenarioRun } from "../scenario/run.ts"
import { asItWasTaken, scenarioText } from "../scenario/language/scenario-text.ts"
import { movesKept, namesGiven } from "./known-names.ts"
import { NOWHERE } from "./nowhere.ts"
import type { Plan } from "./plan.ts"
import { NO_ENGINE_FAULT, scenarioOf } from "./run.ts"
import type { PlanOptions } from "./run.ts"
import { runAnyScenario } from "./scenario-run.ts"
import type { AnyRunOptions } from "./scenario-run.ts"

export interface Written {
  /** The text of a scenario file; null when no file shows the failure. */
  readonly file: string | null
  /** Why there is no file. */
  readonly why: string | null
  readonly words: string
}

/**
 * A scenario without faults of the machines is tried first: its steps say what they expect. Else it has them, runs as the plan does,
 * and every invariant of the swarm is checked.
 */
export function written(plan: Plan, sentence: string, options: PlanOptions): Written {
  const because = `Seed ${plan.seed} of the swarm broke this: ${sentence}.`
  const plain = { ...asScenario(plan), because }
  const faulty = { ...withFaults(plan), because }
  const hasFaults = JSON.stringify(plan.faults) !== JSON.stringify(NO_FAULTS)
  const plainText = hasFaults ? null : plainFile(plain, sentence, options)
  if (plainText !== null) return { file: plainText, why: null, words: explain(plain).trimEnd() }
  const file = faultyFile(faulty, sentence, options)
  return { file, why: file === null ? NOT_SHOWN : null, words: explain(faulty).trimEnd() }
}

/** The plan as a scenario with faults of the machines and with actors. */
export function withFaults(plan: Plan): Scenario {
  const scenario = asScenario(plan)
  const kept = movesKept(plan)
  return {
    ...scenario,
    machineFaults: { faults: plan.faults, endMs: plan.faultsEndMs },
    steps: scenario.steps.map((step, at): Step => {
      const { actor } = kept[at] ?? {}
      return (step.verb === "do" || step.verb === "inject") && actor !== undefined ? { ...step, actor } : step
    }),
  }
}

const NOT_SHOWN =
  "in a scenario a name is given once, and this failure needs one that is given again, or a fault of a database"

function plainFile(scenario: Scenario, sentence: string, options: PlanOptions): string | null {
  const { broke, refused } = tried(scenario, options)
  return broke.has(sentence) ? scenarioText(asItWasTaken(scenario, refused)) : null
}

/** Null when its text, read again, does not show the failure. */
function faultyFile(scenario: Scenario, sentence: string, options: PlanOptions): string | null {
  const text = scenarioText(scenario)
  const [read] = readSource({ file: scenario.file, text }, null).scenarios
  return read !== undefined && tried(read, options).broke.has(sentence) ? text : null
}

function tried(
  scenario: Scenario,
  { invariants, program, plant }: PlanOptions,
): { readonly broke: ReadonlySet<string>; readonly refused: ScenarioRun["refused"] } {
  const options: AnyRunOptions = {
    invariants,
    isTolerant: true,
    ...(program === undefined ? {} : { program }),
    ...(plant === undefined ? {} : { plant }),
  }
  try {
    const run = runAnyScenario(scenario, options)
    return { broke: new Set(run.violations.map(({ sentence }) => sentence)), refused: run.refused }
  } catch {
    return { broke: new Set([NO_ENGINE_FAULT]), refused: [] }
  }
}

/** The moves one after the other. A name is given once: a booking that is sent again gets a name of its own. */
function asScenario(plan: Plan): Scenario {
  const names = namesGiven(plan)
  let lastMs = 0
  const steps = movesKept(plan).map(({ atMs, act }): Step => {
    const pause = { type: "offset", ms: atMs - lastMs } as const
    const step = { at: pause.ms === 0 ? null : pause, place: NOWHERE } as const
    lastMs = atMs
    if (act.verb === "inject") return { ...step, ...act }
    return { ...step, ...act, as: act.as === null ? null : nameFor(act.as, names) }
  })
  // A scenario has a step; this plan fails before its first.
  const wait: Step = { at: null, place: NOWHERE, verb: "wait", until: { type: "offset", ms: SECOND_MS } }
  return { ...scenarioOf(plan), steps: steps.length === 0 ? [wait] : steps }
}

function nameFor(wanted: string, known: Set<string>): string {
  let name = wanted
  for (let number = 2; known.has(name); number += 1) name = `${wanted}-${number}`
  known.add(name)
  return name
}
