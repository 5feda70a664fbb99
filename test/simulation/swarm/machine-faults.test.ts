/** Scenarios with faults of the machines: reading, mistakes, and a run that is the plan's run. */

import { describe, expect, test } from "vitest"
import { recordContext } from "../../../src/live/configuration/build.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { languageNames } from "../../../src/cli/scenarios/scenario-files.ts"
import { explain } from "../../../src/simulation/scenario/words/explain.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { scenarioText, withoutPlaces } from "../../../src/simulation/scenario/language/scenario-text.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import { recordOf } from "../../../src/simulation/scenario/run.ts"
import { CATALOGUE } from "../../../src/simulation/swarm/catalogue.ts"
import { drawPlan } from "../../../src/simulation/swarm/draw.ts"
import { runPlan } from "../../../src/simulation/swarm/run.ts"
import { runAnyScenario } from "../../../src/simulation/swarm/scenario-run.ts"
import { withFaults } from "../../../src/simulation/swarm/written.ts"
import { isLong } from "../../long-tests.ts"
import { curblineHere } from "../../cli/same-process.ts"

const SEEDS = Array.from({ length: 40 }, (_, at) => at + 1)
/** Runs that are compared with their plan's; `npm run test:long` compares all that can be. */
const COMPARED = isLong ? SEEDS.length : 8
const HEAD = "scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\n"
const BOOK = "{ do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }"

function read(text: string) {
  return readScenarios("x.yaml", text, languageNames())
}

describe("a drawn plan as a scenario", () => {
  test("is read again as it was written", () => {
    for (const seed of SEEDS) {
      const scenario = withFaults(drawPlan(seed))
      const { scenarios, problems } = read(scenarioText(scenario))
      expect(problems.map((one) => formatProblem(one))).toEqual([])
      expect(withoutPlaces(scenarios[0] ?? scenario)).toEqual(
        withoutPlaces({ ...scenario, tags: scenarios[0]?.tags ?? [] }),
      )
    }
  })

  test("has each step before the first entry of its own command, also when a later one was taken first", () => {
    const text = `${HEAD}seed: 4
machine_faults: { last: 1h, lost_commits: 700 }
steps:
  - { at: 11:31, do: reservation.create, as: lunch, actor: one, with: { window: [11:45, 12:15] } }
  - { at: 11:31, do: reservation.create, as: coffee, actor: two, with: { window: [11:45, 12:15] } }
`
    const [scenario] = read(text).scenarios
    if (scenario === undefined) throw new Error("no scenario")
    const { marks, entries, names } = runAnyScenario(scenario)
    const steps = marks
      .filter(({ level }) => level === "step")
      .map(({ place, afterEntries }) => {
        const group = entries[afterEntries]?.entry.group
        return [place?.line, group === undefined ? null : names?.[group]]
      })
    expect(steps).toEqual([
      [8, "coffee"],
      [7, "lunch"],
    ])
  })

  test("runs as the plan does, where no name is given twice", () => {
    let compared = 0
    for (const seed of SEEDS) {
      const plan = drawPlan(seed)
      const scenario = withFaults(plan)
      const names = scenario.steps.flatMap((step) =>
        step.verb === "do" && step.as !== null ? [step.as] : [],
      )
      const drawn = plan.moves.flatMap(({ act }) => (act.verb === "do" && act.as !== null ? [act.as] : []))
      if (names.join() !== drawn.join() || scenario.steps.length !== plan.moves.length) continue
      if (compared === COMPARED) break
      compared += 1
      expect(runAnyScenario(scenario).hash).toBe(runPlan(plan, { invariants: CATALOGUE }).hash)
    }
    expect(compared).toBeGreaterThan(5)
  })

  test("leaves a record that replays to the same bytes", () => {
    const context = recordContext()
    for (const seed of SEEDS.slice(0, 12)) {
      const plan = drawPlan(seed)
      // After a restore, groups may have had messages that the backup does not know.
      const faults = { ...plan.faults, restoresAtMs: null }
      const run = runAnyScenario(withFaults({ ...plan, faults }))
      expect(run.failures).toEqual([])
      expect(replayRecord(recordOf(run, context), program).difference).toBeNull()
    }
  })
})

describe("mistakes", () => {
  test.each([
    ["machine_faults: {}", 'the key "last" is missing'],
    ["machine_faults: { last: 1h, lost_results: 1001 }", "1001 is out of range"],
    ["machine_faults: { last: 1h, lost_result: 5 }", 'did you mean "lost_results"?'],
    ["machine_faults: { last: 60 }", "the bare number 60 is not a duration"],
    ["machine_faults: { last: 1h, late_timers: 5 }", "late_timers without late_timer_max"],
    ["machine_faults: { last: 1h, late_results: 5 }", "late_results without late_result_max"],
    ["machine_faults: { last: 1h, deferred_calls: 5 }", "deferred_calls without deferred_max"],
    ["machine_faults: { last: 1h, restore_at: 5m, backup_age: 6m }", "backup_age is longer than restore_at"],
  ])("%s", (key, said) => {
    const { scenarios, problems } = read(`${HEAD}${key}\nsteps:\n  - ${BOOK}\n`)
    expect(scenarios).toEqual([])
    expect(problems.map((one) => formatProblem(one)).join("\n")).toContain(said)
  })

  test.each([
    ["- expect: { reservation: lunch, status: confirmed }", '"expect" does not go with machine_faults'],
    [
      "- refuse: { do: reservation.read, for: lunch, code: NOT_FOUND }",
      '"refuse" does not go with machine_faults',
    ],
    ["- { wait: 5m, actor: runner }", '"actor" does not go with "wait"'],
  ])("%s beside them", (step, said) => {
    const text = `${HEAD}machine_faults: { last: 1h }\nsteps:\n  - ${BOOK}\n  ${step}\n`
    const [problem] = read(text).problems
    expect(problem === undefined ? "" : formatProblem(problem)).toContain(said)
    expect(problem?.place.line).toBe(7)
  })

  test("an actor without them, and a course with them", () => {
    const alone = read(`${HEAD}steps:\n  - ${BOOK.replace(/ \}$/, ", actor: partner }")}\n`)
    expect(alone.problems.map((one) => one.message)).toEqual(['"actor" goes with machine_faults alone'])
    const course = read(
      `${HEAD}machine_faults: { last: 1h }\ncourse: { name: early, for: lunch, from: [confirmed] }\nsteps:\n  - ${BOOK}\n`,
    )
    expect(course.problems.map((one) => one.message)).toContain(
      "a scenario with machine_faults cannot be a course",
    )
  })
})

test("a sentence says each fault, and that every invariant is checked", () => {
  const [scenario] = read(
    `${HEAD}machine_faults: { last: 1h, crashes: 3, late_timers: 5, late_timer_max: 30s }\nsteps:\n  - ${BOOK}\n`,
  ).scenarios
  const said = scenario === undefined ? "" : explain(scenario)
  expect(said).toContain(
    "for 1 hour the machines that run the service fail, and every invariant of the swarm is checked.",
  )
  expect(said).toContain("And the service crashes before 3 of a thousand agenda entries.")
  expect(said).toContain("And 5 of a thousand timers are taken late, by at most 30s.")
})

test("the command runs it twice to the same journal", async () => {
  const file = "scenarios/reservations/the-machines-fail-for-an-hour.yaml"
  const { status, out } = await curblineHere("run", file, "--check-determinism")
  expect({ status, out }).toEqual({ status: 0, out: expect.stringContaining("1 passed, 0 failed") })
})
