import { describe, expect, test } from "vitest"
import { recordContext } from "../../../src/live/configuration/build.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { deliveryParts } from "../../../src/simulation/from-journal/recorded-delivery.ts"
import { repeated } from "../../../src/simulation/from-journal/repeated.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import type { ReplayedTurn } from "../../../src/simulation/replay.ts"
import { languageNames, readPaths } from "../../../src/cli/scenarios/scenario-files.ts"
import { scenarioOfRecord } from "../../../src/simulation/from-journal/from-record.ts"
import { recordOf } from "../../../src/simulation/scenario/run.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { courseOf, groupsOf, nameOf } from "./course-of-group.ts"

const TWO_STEPS = `scenario: S
because: B
clock: 2026-03-02T11:30 America/Chicago
steps:
  - { do: delivery.quote, as: groceries }
  - { do: delivery.create, for: groceries }
  - { at: 11:31, do: delivery.cancel, for: groceries }
`

const KINDS = ["delivery", "courier-order"] as const

const context = { ...recordContext(), charts: {} }

const { scenarios } = await readPaths(["scenarios"])
const runs = scenarios.flatMap((scenario) => {
  if ((scenario.machineFaults ?? null) !== null || !asksForOne(scenario)) return []
  const run = runScenario(scenario)
  return KINDS.flatMap((kind) => (groupsOf(run, kind).length === 0 ? [] : [{ scenario, run, kind }]))
})

/** Without these commands there is neither a delivery nor an errand. */
function asksForOne({ steps }: Scenario): boolean {
  return steps.some((step) => step.verb === "do" && /^(delivery|errand)\./.test(step.command))
}

describe("what cannot be repeated", () => {
  test("the first difference is said in words, with its time", () => {
    const read = readScenarios("s.yaml", TWO_STEPS, languageNames())
    const [scenario] = read.scenarios
    if (scenario === undefined) throw new Error("no scenario was read")
    const run = runScenario(scenario)
    const turns: ReplayedTurn[] = []
    replayRecord(recordOf(run, context), program, null, (turn) => turns.push(turn))
    const [group = "none"] = groupsOf(run, "delivery")
    const own = turns.filter(({ result }) => result.group.address === group)
    const parts = deliveryParts({
      group,
      turns: own,
      timeZone: "America/Chicago",
      webhookDeliveries: 0,
    })
    const results = own.map(({ result }) => result)
    const without = parts.steps.filter((step) => !JSON.stringify(step).includes("delivery.cancel"))
    expect(repeated(parts, results).text).toContain("delivery.cancel")
    expect(() => repeated({ ...parts, steps: without }, results)).toThrow(
      "in the journal it is in cancelled after 1m, in the repetition nothing more happens",
    )
  })
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
    (_, { run, kind }) => {
      const record = recordOf(run, context)
      for (const group of groupsOf(run, kind)) {
        const { text } = scenarioOfRecord(record, "run.ndjson", { group, because: null })
        const read = readScenarios("written.yaml", text, languageNames())
        expect(read.problems.map((problem) => `${formatProblem(problem)}\n${text}`)).toEqual([])
        const [written] = read.scenarios
        if (written === undefined) throw new Error("no scenario was read")
        const again = runScenario(written)
        expect(again.failures.map(({ message }) => `${message}\n${text}`)).toEqual([])
        const [same = "none"] = groupsOf(again, kind)
        expect(courseOf(again, same)).toEqual(courseOf(run, group))
      }
    },
  )
})
