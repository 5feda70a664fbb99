/** Turns as text, so that those of a fleet and of a scenario can be compared. */

import { expect } from "vitest"
import type { EntryBody } from "../../../src/engine/kernel/journal.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"

export interface Turn {
  readonly instantMs: number
  readonly to: string
  readonly by: string
  readonly event: { readonly type: string } | undefined
  readonly start: { readonly machine: string } | undefined
}

/** Without the ids, which are drawn. */
export function turnText({ instantMs, to, by, event, start }: Turn): string {
  const [kind = "", , part = ""] = to.split("/")
  return `${new Date(instantMs).toISOString()} ${kind} ${part} ${by} ${event?.type ?? start?.machine ?? ""}`
}

/** Every turn of a scripted scenario, which must hold. */
export function turnsOf(scenario: Scenario | undefined): readonly string[] {
  if (scenario === undefined) throw new Error("the scenario is read")
  const run = runScenario(scenario)
  expect(run.failures).toEqual([])
  return run.entries.map(({ entry, instantMs }) => {
    const { to, by, event, start } = JSON.parse(entry.text) as EntryBody
    return turnText({ instantMs, to, by, event, start })
  })
}
