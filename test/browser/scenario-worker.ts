/** The script of a web worker that reads and runs the scenarios of a file, for `replay-worker.test.ts`. */

import type { OpenFragments } from "../../src/simulation/scenario/language/fragments.ts"
import type { Scenario } from "../../src/simulation/scenario/language/language.ts"
import { readScenarios } from "../../src/simulation/scenario/language/read.ts"
import { runAnyScenario } from "../../src/simulation/swarm/scenario-run.ts"

export interface ScenarioOrder {
  readonly file: string
  /** What is in the file; scenarios when it is a program. */
  readonly written: string | readonly Scenario[]
  readonly names: Parameters<typeof readScenarios>[2]
  /** Fragments by the two texts that open them, joined by a line break. */
  readonly fragments: Readonly<Record<string, ReturnType<OpenFragments>>>
}

interface WorkerScope {
  readonly addEventListener: (
    type: "message",
    listener: (message: { readonly data: ScenarioOrder }) => void,
  ) => void
  readonly postMessage: (answer: object) => void
}

const scope = globalThis as unknown as WorkerScope

scope.addEventListener("message", ({ data }) => scope.postMessage(answerTo(data)))

/** Runs without their entries, of which the hash tells enough. */
function answerTo({ file, written, names, fragments }: ScenarioOrder): object {
  const open: OpenFragments = (from, path) => fragments[`${from}\n${path}`] ?? { refused: "is not there" }
  const { scenarios, problems } =
    typeof written === "string"
      ? readScenarios(file, written, names, open)
      : { scenarios: written, problems: [] }
  return { problems, runs: scenarios.map((scenario) => ({ ...runAnyScenario(scenario), entries: [] })) }
}
