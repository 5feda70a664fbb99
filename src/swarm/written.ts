/** A failing plan for people: a scenario file if the language can say it, and in any case its course in plain words. */

import { counted } from "../simulation/scenario/counted.ts"
import { explain } from "../simulation/scenario/explain.ts"
import type { Scenario, Step } from "../simulation/scenario/language.ts"
import { runScenario } from "../simulation/scenario/run.ts"
import type { RunOptions, ScenarioRun } from "../simulation/scenario/run.ts"
import { asItWasTaken, scenarioText } from "../simulation/scenario/scenario-text.ts"
import { showDuration } from "../simulation/scenario/shown-duration.ts"
import { NOWHERE } from "./draw.ts"
import { NO_ENGINE_FAULT, scenarioOf } from "./run.ts"
import { NO_FAULTS } from "./plan.ts"
import type { Faults, Plan } from "./plan.ts"

export interface Written {
  /** The text of a scenario file; null when the language cannot say the faults, or the file does not show the failure. */
  readonly file: string | null
  /** Why there is no file. */
  readonly why: string | null
  readonly words: string
}

/** What the scenario language cannot say of the machine's faults. */
const SAYS: Readonly<Record<keyof Faults, (faults: Faults) => string>> = {
  crashes: ({ crashes }) => `the service crashes before ${crashes} of a thousand agenda entries`,
  nodesLost: ({ nodesLost }) => `a node is lost before ${nodesLost} of a thousand agenda entries`,
  lostResults: ({ lostResults }) => `${lostResults} of a thousand results of calls are lost`,
  doubledResults: ({ doubledResults }) => `${doubledResults} of a thousand results of calls come twice`,
  lateResults: ({ lateResults, lateResultMsMax }) =>
    `${lateResults} of a thousand results of calls come late, by at most ${showDuration(lateResultMsMax)}`,
  lateResultMsMax: () => "",
  lateTimers: ({ lateTimers, lateTimerMsMax }) =>
    `${lateTimers} of a thousand timers are taken late, by at most ${showDuration(lateTimerMsMax)}`,
  lateTimerMsMax: () => "",
  lostAnswers: ({ lostAnswers }) =>
    `${lostAnswers} of a thousand answers are lost, and the caller asks again`,
  lostCommits: ({ lostCommits }) => `${lostCommits} of a thousand commits of commands fail`,
  runsBodiesTwice: () => "every body of a transaction runs twice",
  mailboxEntriesMax: ({ mailboxEntriesMax }) =>
    `a mailbox holds ${counted(mailboxEntriesMax ?? 0, "entry", "entries")}`,
  restoresAtMs: ({ restoresAtMs, backupAgeMs, heldMs }) =>
    `the database is replaced after ${showDuration(restoresAtMs ?? 0)} by a backup that is ${showDuration(backupAgeMs)} old, and calls are held for ${showDuration(heldMs)}`,
  backupAgeMs: () => "",
  heldMs: () => "",
  upgradesAtMs: ({ upgradesAtMs }) => `the program is upgraded after ${showDuration(upgradesAtMs ?? 0)}`,
}

/** What the machine's faults are, in words. */
export function faultWords(faults: Faults): readonly string[] {
  return (Object.keys(SAYS) as (keyof Faults)[])
    .filter((kind) => faults[kind] !== NO_FAULTS[kind])
    .map((kind) => SAYS[kind](faults))
    .filter((said) => said !== "")
}

export function written(plan: Plan, sentence: string, options: Pick<RunOptions, "program"> = {}): Written {
  const scenario = asScenario(plan)
  const said = faultWords(plan.faults)
  const words = [explain(scenario).trimEnd(), ...said.map((one) => `  Fault: ${one}.`)].join("\n")
  if (said.length > 0) {
    return { file: null, why: `the scenario language has no word for: ${said.join("; ")}`, words }
  }
  const run = tried(scenario, options)
  if (!run.broke.has(sentence)) {
    return { file: null, why: "a scenario's steps wait for each other or do not check this sentence", words }
  }
  return { file: scenarioText(asItWasTaken(scenario, run.refused)), why: null, words }
}

function tried(
  scenario: Scenario,
  options: Pick<RunOptions, "program">,
): { readonly broke: ReadonlySet<string>; readonly refused: ScenarioRun["refused"] } {
  try {
    const run = runScenario(scenario, { ...options, isTolerant: true })
    return { broke: new Set(run.violations.map(({ sentence }) => sentence)), refused: run.refused }
  } catch {
    return { broke: new Set([NO_ENGINE_FAULT]), refused: [] }
  }
}

/**
 * The moves one after the other. A name is given once: a booking that is sent again gets a name of its own, and what is
 * about a name before it exists is left out.
 */
function asScenario(plan: Plan): Scenario {
  const { webhooks, pickupWebhooks, delivery } = plan.world
  const known = new Set([...webhooks, ...pickupWebhooks, ...(delivery?.vehicles ?? [])].map(({ as }) => as))
  const steps: Step[] = []
  let lastMs = 0
  for (const { atMs, act } of plan.moves) {
    if (act.for !== null && !known.has(act.for)) continue
    const step = { at: { type: "offset", ms: atMs - lastMs }, place: NOWHERE } as const
    lastMs = atMs
    if (act.verb === "inject") steps.push({ ...step, ...act })
    else steps.push({ ...step, ...act, as: act.as === null ? null : nameFor(act.as, known) })
  }
  return { ...scenarioOf(plan), steps }
}

function nameFor(wanted: string, known: Set<string>): string {
  let name = wanted
  for (let number = 2; known.has(name); number += 1) name = `${wanted}-${number}`
  known.add(name)
  return name
}
