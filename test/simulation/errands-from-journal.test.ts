import { describe, expect, test } from "vitest"
import { recordContext } from "../../src/build.ts"
import { languageNames, readPaths } from "../../src/cli/scenario-files.ts"
import { scenarioFrom } from "../../src/cli/scenario-from.ts"
import { recordOf } from "../../src/simulation/run-record.ts"
import { formatProblem } from "../../src/simulation/scenario/problems.ts"
import { readScenarios } from "../../src/simulation/scenario/read.ts"
import { runScenario } from "../../src/simulation/scenario/run.ts"
import { courseOf, groupsOf, nameOf } from "./course-of-group.ts"

const KINDS = ["delivery", "courier-order"] as const

/** Groups that cannot be repeated, by scenario and kind, with the beginning of what the command says. */
const NOT_REPEATED: ReadonlyMap<string, string> = new Map([
  [
    "A capture without an answer: courier-order",
    "in the journal it is in {open:authorizing} after 4s, in the repetition its payment is in {voiding:calling}",
  ],
])

const { scenarios } = await readPaths(["scenarios"])
const runs = scenarios.flatMap((scenario) => {
  const run = runScenario(scenario)
  return KINDS.flatMap((kind) => (groupsOf(run, kind).length === 0 ? [] : [{ scenario, run, kind }]))
})

describe("a scenario written from a journal repeats what a delivery or an errand went through", () => {
  test("the shipped scenarios have enough of both to learn from", () => {
    const countOf = (kind: string) =>
      runs.reduce((sum, one) => sum + (one.kind === kind ? groupsOf(one.run, kind).length : 0), 0)
    expect(countOf("delivery")).toBeGreaterThanOrEqual(85)
    expect(countOf("courier-order")).toBeGreaterThanOrEqual(96)
  })

  test.each(runs.map(({ scenario, run, kind }) => [`${nameOf(scenario)}: ${kind}`, { run, kind }] as const))(
    "%s",
    (name, { run, kind }) => {
      const record = recordOf(run, recordContext())
      const why = NOT_REPEATED.get(name)
      for (const group of groupsOf(run, kind)) {
        const asked = { file: "run.ndjson", group }
        if (why !== undefined) {
          expect(() => scenarioFrom(record, asked)).toThrow(`${group} cannot be repeated: ${why}`)
          continue
        }
        const { text } = scenarioFrom(record, asked)
        const read = readScenarios("written.yaml", text, languageNames())
        expect(read.problems.map((problem) => `${formatProblem(problem)}\n${text}`)).toEqual([])
        const [written] = read.scenarios
        if (written === undefined) throw new Error("no scenario was read")
        const again = runScenario(written)
        expect(again.failures.map(({ message }) => `${message}\n${text}`)).toEqual([])
        const [repeated = "none"] = groupsOf(again, kind)
        expect(courseOf(again, repeated)).toEqual(courseOf(run, group))
      }
    },
  )
})
