/** Records of the scenarios that the tests of the inspector read, each made once. */

import { recordContext } from "../../../src/live/configuration/build.ts"
import { readPaths } from "../../../src/cli/scenarios/scenario-files.ts"
import { readRecord } from "../../../src/pages/inspection/run-reader.ts"
import type { ReadRun } from "../../../src/pages/inspection/run-reader.ts"
import { recordOf } from "../../../src/simulation/scenario/run.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import type { ScenarioRun } from "../../../src/simulation/scenario/run.ts"

export interface Recorded {
  readonly text: string
  /** Lines of the run's rows: entries and marks. */
  readonly rows: readonly string[]
  readonly run: ReadRun
}

const contexts = { full: recordContext("full"), states: recordContext("states") }

export function recorded(run: ScenarioRun, recording: "full" | "states" = "full"): Recorded {
  return readAgain(recordOf(run, contexts[recording]))
}

/** The record of one run, from its text. */
export function readAgain(text: string): Recorded {
  const [run] = readRecord(text)
  if (run === undefined) throw new Error("the record holds no run")
  return { text, rows: text.split("\n").filter((line) => /^{"k":"(?:turn|mark)"/.test(line)), run }
}

export async function scenarioNamed(name: string): Promise<Scenario> {
  const { scenarios } = await readPaths([`scenarios/${name}.yaml`])
  const [scenario] = scenarios
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`)
  return scenario
}
