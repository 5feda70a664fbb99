/** A random run that broke something: kept as a scenario file that breaks it again. */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { digest } from "../../../src/engine/kernel/hash.ts"
import type { Program } from "../../../src/engine/kernel/program.ts"
import type { Scenario, Step } from "../../../src/simulation/scenario/language/language.ts"
import type { RunRefusal } from "../../../src/simulation/scenario/run-context.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { asItWasTaken, scenarioText } from "../../../src/simulation/scenario/language/scenario-text.ts"

/** Throws what broke: an invariant, or the engine itself. Refused commands break nothing. */
export function assertSound(scenario: Scenario, program: Program): void {
  const { violations } = runScenario(scenario, { program, isTolerant: true })
  const [first] = violations
  if (first !== undefined) throw new Error(`${first.sentence}: ${first.found}`)
}

/** Writes the scenario into the folder; its name comes from its content. Returns the path. */
export function keepSeed(
  scenario: Scenario,
  { program, folder }: { program: Program; folder: string },
): string {
  const text = scenarioText(asItWasTaken(scenario, refusalsOf(scenario, program)))
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `random-${digest(text).slice(0, 12)}.yaml`)
  writeFileSync(path, text)
  return path
}

/**
 * What is refused in the scenario. A run that ends in a fault of the engine has no result, so it is run step by step up
 * to the fault: the first refusal of each run becomes a refusal that the next one expects.
 */
function refusalsOf(scenario: Scenario, program: Program): readonly { step: Step; code: RunRefusal }[] {
  try {
    return runScenario(scenario, { program, isTolerant: true }).refused
  } catch {
    return refusalsUpToTheFault(scenario, program)
  }
}

function refusalsUpToTheFault(
  scenario: Scenario,
  program: Program,
): readonly { step: Step; code: RunRefusal }[] {
  const refused: { step: Step; code: RunRefusal }[] = []
  for (const [at] of scenario.steps.entries()) {
    try {
      const until = { ...scenario, steps: scenario.steps.slice(0, at + 1) }
      const { refused: known } = runScenario(until, { program, isTolerant: true })
      refused.splice(0, refused.length, ...known)
    } catch {
      // The fault comes before the end of these steps; what came before it is known from the steps before.
      return refused
    }
  }
  return refused
}
