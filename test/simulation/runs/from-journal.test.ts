import { describe, expect, test } from "vitest"
import { recordContext } from "../../../src/live/configuration/build.ts"
import { languageNames, readPaths } from "../../../src/cli/scenarios/scenario-files.ts"
import { scenarioOfRecord } from "../../../src/simulation/from-journal/from-record.ts"
import { recordOf } from "../../../src/simulation/scenario/run.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { courseOf, groupsOf, nameOf } from "./course-of-group.ts"

const context = { ...recordContext(), charts: {} }

const shipped = await readPaths(["scenarios/reservations"])
/** Those without faults of the machines, which a scenario from a journal does not have. */
const scenarios = shipped.scenarios.filter(({ machineFaults = null }) => machineFaults === null)

/** Other bookings at its time are made before the written one. */
function othersIn({ steps }: Scenario): number {
  return steps.filter((step) => step.verb === "do" && step.as?.startsWith("other-") === true).length
}

describe("a scenario written from a journal repeats what a reservation went through", () => {
  test.each(scenarios.map((scenario) => [nameOf(scenario), scenario] as const))("%s", (_, scenario) => {
    const run = runScenario(scenario)
    const record = recordOf(run, context)
    for (const group of groupsOf(run, "reservation")) {
      const { text } = scenarioOfRecord(record, "run.ndjson", { group, because: null })
      const read = readScenarios("written.yaml", text, languageNames())
      expect(read.problems.map((problem) => `${formatProblem(problem)}\n${text}`)).toEqual([])
      const [written] = read.scenarios
      if (written === undefined) throw new Error("no scenario was read")
      const again = runScenario(written)
      expect(again.failures.map(({ message }) => `${message}\n${text}`)).toEqual([])
      const repeated = groupsOf(again, "reservation").at(othersIn(written)) ?? "none"
      expect(courseOf(again, repeated)).toEqual(courseOf(run, group))
    }
  })
})
