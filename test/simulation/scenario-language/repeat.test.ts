import { describe, expect, test } from "vitest"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { scenario } from "../../../src/simulation/scenario/builder.ts"
import { NAMES } from "./names-in-tests.ts"

function read(steps: string) {
  const head = "scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\nsteps:\n"
  return readScenarios("x.yaml", `${head}${steps}\n`, NAMES)
}

function problemsOf(steps: string): readonly string[] {
  return read(steps).problems.map((problem) => formatProblem(problem))
}

const BOOKING = "do: reservation.create, as: visit, with: { window: [11:45, 12:15] }"

describe("repeat", () => {
  test("a step stands for several, whose names have numbers, and whose times follow each other", () => {
    const { scenarios, problems } = read(`  - { at: 11:31, ${BOOKING}, repeat: 3, every: 90s }
  - expect: { reservation: visit-3, status: confirmed }`)
    expect(problems).toEqual([])
    const steps = scenarios[0]?.steps ?? []
    expect(steps.map((step) => (step.verb === "do" ? [step.as, step.at] : [step.verb]))).toEqual([
      ["visit-1", { type: "clock", dayOffset: 0, msOfDay: (11 * 60 + 31) * 60_000 }],
      ["visit-2", { type: "offset", ms: 90_000 }],
      ["visit-3", { type: "offset", ms: 90_000 }],
      ["expect"],
    ])
    expect(new Set(steps.slice(0, 3).map(({ place }) => place.line))).toEqual(new Set([5]))
  })

  test("a matrix may say how often", () => {
    const { scenarios, problems } = read(`  - { ${BOOKING}, repeat: $times }
matrix: [{ name: few, times: 2 }, { name: many, times: 5 }]`)
    expect(problems).toEqual([])
    expect(scenarios.map(({ steps }) => steps.length)).toEqual([2, 5])
  })

  test("a refusal is repeated too, and programs write the same", () => {
    const { scenarios } = read(
      "  - { refuse: { do: reservation.create, with: { window: [11:00, 11:20] }, code: WINDOW_IN_PAST }, repeat: 2 }",
    )
    expect(scenarios[0]?.steps.map(({ verb }) => verb)).toEqual(["refuse", "refuse"])
    const built = scenario("S", { because: "B", clock: "2026-03-02T11:30 America/Chicago" })
      .do("reservation.create", { as: "visit", with: { window: ["11:45", "12:15"] }, repeat: 2 })
      .build()
    expect(built.steps.map((step) => (step.verb === "do" ? step.as : null))).toEqual(["visit-1", "visit-2"])
  })

  test.each([
    [`{ ${BOOKING}, repeat: 1 }`, "how many times"],
    [`{ ${BOOKING}, repeat: 101 }`, "from 2 to 100"],
    [`{ ${BOOKING}, repeat: often }`, "how many times"],
    [`{ ${BOOKING}, repeat: 3, every: 5 }`, "a duration such as"],
    [`{ ${BOOKING}, every: 5m }`, '"every" needs "repeat"'],
    ["{ wait: 5m, repeat: 3 }", '"repeat" does not go with "wait"'],
    ["{ inject: calls.lost, repeat: 3 }", '"repeat" does not go with "inject"'],
  ])("%s is a mistake", (step, said) => {
    const problems = problemsOf(`  - ${step}`)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(said)
  })

  test("the name without a number is not given", () => {
    const [problem = ""] = problemsOf(`  - { ${BOOKING}, repeat: 2 }
  - expect: { reservation: visit, status: confirmed }`)
    expect(problem).toContain('nothing is named "visit"')
    expect(problem).toContain("visit-1, visit-2")
  })

  test("too many steps with their repetitions are a mistake", () => {
    const steps = Array.from(
      { length: 21 },
      () => "  - { do: reservation.create, with: { window: [11:45, 12:15] }, repeat: 100 }",
    )
    expect(problemsOf(steps.join("\n"))).toEqual([
      expect.stringContaining("2100 steps with their repetitions"),
    ])
  })
})
