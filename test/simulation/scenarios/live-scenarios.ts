/** The scenario files of this checkout, read once, and how two runs of one scenario differ. */

import { readPaths } from "../../../src/cli/scenarios/scenario-files.ts"
import { titleOf } from "../../../src/cli/scenarios/report.ts"
import type { Program } from "../../../src/engine/kernel/program.ts"
import { machines } from "../../../machines/index.ts"
import { decisions } from "../../../src/apps/composition/areas.ts"
import { runAnyScenario } from "../../../src/simulation/swarm/scenario-run.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import type { ScenarioRun } from "../../../src/simulation/scenario/run.ts"

export const { files, scenarios, problems } = await readPaths(["scenarios"])

/** The program as it is; planted bugs change copies of it. */
export const liveProgram: Program = { machines, decisions }

/** Scenarios whose machines do not fail by themselves, so that tests can stop them where they like. */
export const scenariosWithoutFaults = scenarios.filter(({ machineFaults = null }) => machineFaults === null)

/** Each of them with its title for a table of tests. */
export const namedScenarios = scenariosWithoutFaults.map(
  (scenario) => [`${scenario.file}, ${labelOf(scenario)}`, scenario] as const,
)

/** Before an agenda entry: the journal's entries so far, and the calls in flight. After the last one there is another moment. */
export interface Moment {
  readonly entries: number
  readonly calls: number
}

interface Surveyed {
  readonly run: ScenarioRun
  readonly moments: readonly Moment[]
}

const runs = new Map<Scenario, Surveyed>()

/** The run of a scenario of this checkout, made once for all test files of a process. */
export function runOf(scenario: Scenario): ScenarioRun {
  return surveyed(scenario).run
}

/** A moment for each position at which a run of the scenario can be stopped. */
export function momentsOf(scenario: Scenario): readonly Moment[] {
  return surveyed(scenario).moments
}

function surveyed(scenario: Scenario): Surveyed {
  const known = runs.get(scenario)
  if (known !== undefined) return known
  const moments: Moment[] = []
  const run = runAnyScenario(scenario, {
    watch: ({ host }) => ({
      beforeEntry: () => void moments.push({ entries: host.entries.length, calls: host.callsInFlight }),
    }),
  })
  const made = { run, moments }
  runs.set(scenario, made)
  return made
}

/** Every scenario, run once. */
export function cleanRuns(): readonly ScenarioRun[] {
  return scenarios.map((scenario) => runOf(scenario))
}

/** Where two runs part: the first entry that differs, else the hashes; null when they are the same. */
export function firstDifference(one: ScenarioRun, other: ScenarioRun): string | null {
  const count = Math.max(one.entries.length, other.entries.length)
  for (let at = 0; at < count; at += 1) {
    const first = entryText(one, at)
    const second = entryText(other, at)
    if (first !== second) return `${titleOf(one)}: entry ${at + 1} is\n${first}\nand then\n${second}`
  }
  return one.hash === other.hash ? null : `${titleOf(one)}: hash ${one.hash} and then ${other.hash}`
}

function entryText(run: ScenarioRun, at: number): string {
  const entry = run.entries[at]?.entry
  return entry === undefined ? "nothing" : `${entry.group} r${entry.revision} ${entry.text}`
}

function labelOf({ title, variant }: { readonly title: string; readonly variant: string | null }): string {
  return variant === null ? title : `${title} (${variant})`
}
