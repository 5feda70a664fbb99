import { describe, expect, test } from "vitest"
import { recordContext } from "../../src/build.ts"
import { languageNames, readPaths } from "../../src/cli/scenario-files.ts"
import { scenarioFrom } from "../../src/cli/scenario-from.ts"
import type { EntryBody } from "../../src/kernel/journal.ts"
import { recordOf } from "../../src/simulation/run-record.ts"
import type { Scenario } from "../../src/simulation/scenario/language.ts"
import { formatProblem } from "../../src/simulation/scenario/problems.ts"
import { readScenarios } from "../../src/simulation/scenario/read.ts"
import { runScenario } from "../../src/simulation/scenario/run.ts"
import type { ScenarioRun } from "../../src/simulation/scenario/run.ts"

const { scenarios } = await readPaths(["scenarios/reservations"])

/** What the group went through: each change of an actor's state, each published event and refusal, with its instant. */
function courseOf(run: ScenarioRun, group: string): readonly string[] {
  const states = new Map<string, string>()
  let startMs: number | null = null
  return run.entries.flatMap(({ entry, instantMs }) => {
    if (entry.group !== group) return []
    const { steps, refused, to } = JSON.parse(entry.text) as EntryBody
    startMs ??= instantMs
    const at = instantMs - startMs
    const changes = steps.flatMap(({ a, value, asked }) => {
      const actor = a.slice(group.length)
      const state = JSON.stringify(value)
      const isSame = states.get(actor) === state
      states.set(actor, state)
      const events = asked.flatMap((one) => {
        if (one.type !== "kernel.publish") return []
        const { reason_code: code, milestone } = one.extras as { reason_code?: string; milestone?: string }
        return [`${at} publishes ${one.event} ${code ?? milestone ?? ""}`]
      })
      return [...(isSame ? [] : [`${at} ${actor} ${state}`]), ...events]
    })
    return [...changes, ...(refused === null ? [] : [`${at} ${to.slice(group.length)} refuses ${refused}`])]
  })
}

function reservationsOf(run: ScenarioRun): readonly string[] {
  return [...new Set(run.entries.map(({ entry }) => entry.group))].filter((group) =>
    group.startsWith("reservation/"),
  )
}

function nameOf({ title, variant }: Scenario): string {
  return variant === null ? title : `${title}, ${variant}`
}

/** Other bookings at its time are made before the written one. */
function othersIn({ steps }: Scenario): number {
  return steps.filter((step) => step.verb === "do" && step.as?.startsWith("other-") === true).length
}

describe("a scenario written from a journal repeats what a reservation went through", () => {
  test.each(scenarios.map((scenario) => [nameOf(scenario), scenario] as const))("%s", (_, scenario) => {
    const run = runScenario(scenario)
    const record = recordOf(run, recordContext())
    for (const group of reservationsOf(run)) {
      const { text } = scenarioFrom(record, { file: "run.ndjson", group })
      const read = readScenarios("written.yaml", text, languageNames())
      expect(read.problems.map((problem) => `${formatProblem(problem)}\n${text}`)).toEqual([])
      const [written] = read.scenarios
      if (written === undefined) throw new Error("no scenario was read")
      const again = runScenario(written)
      expect(again.failures.map(({ message }) => `${message}\n${text}`)).toEqual([])
      const repeated = reservationsOf(again).at(othersIn(written)) ?? "none"
      expect(courseOf(again, repeated)).toEqual(courseOf(run, group))
    }
  })
})
