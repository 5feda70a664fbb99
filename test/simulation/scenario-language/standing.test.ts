/** `never` and `at_most`: conditions that hold from their step on. */

import { describe, expect, test } from "vitest"
import { explain } from "../../../src/simulation/scenario/words/explain.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { NAMES } from "./names-in-tests.ts"

const HEAD = `scenario: S
because: B
clock: 2026-03-02T11:30 America/Chicago
given: { webhooks: [{ as: partner, events: all, answers: [500, 200] }] }
steps:
  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
`

const ARRIVES = "  - { at: 11:50, do: bot.report, for: lunch, with: { status: ARRIVED } }\n"

function read(steps: string) {
  return readScenarios("x.yaml", `${HEAD}${steps}`, NAMES)
}

function runOf(steps: string) {
  const { scenarios, problems } = read(steps)
  expect(problems.map((problem) => formatProblem(problem))).toEqual([])
  const [scenario] = scenarios
  if (scenario === undefined) throw new Error("there is no scenario")
  return runScenario(scenario)
}

/** Verdict, messages of failures, and marks of conditions. */
function outcome(steps: string) {
  const { verdict, failures, marks } = runOf(steps)
  return {
    verdict,
    failures: failures.map(({ message, place }) => `${message} (line ${place?.line})`),
    marks: marks.flatMap(({ level, text }) => (/^(?:never|at_most) /.test(text) ? [`${level} ${text}`] : [])),
  }
}

describe("never", () => {
  test("fails at the moment at which the fact holds, also between two steps", () => {
    expect(outcome(`  - never: { reservation: lunch, status: canceled }\n  - wait: 3h\n`)).toEqual({
      verdict: "failed",
      failures: [
        'expected "from here on never: lunch has the status canceled", found that at 12:30 lunch has the status canceled (line 7)',
      ],
      marks: ["fail never reservation"],
    })
  })

  test("fails at once if the fact holds when it begins", () => {
    const { failures } = outcome(`${ARRIVES}  - never: { reservation: lunch, status: arrived }\n`)
    expect(failures).toHaveLength(1)
    expect(failures[0]).toContain("at 11:50 lunch has the status arrived (line 8)")
  })

  test("a fact that holds only for a while is found", () => {
    const { failures } = outcome(`  - never: { reservation: lunch, status: arrived }
${ARRIVES}  - expect: { reservation: lunch, status: canceled, within: 2h }
`)
    expect(failures).toHaveLength(1)
    expect(failures[0]).toContain("at 11:50 lunch has the status arrived (line 7)")
  })

  test("goes on after the last step, to the end of the run", () => {
    expect(outcome("  - never: { reservation: lunch, status: canceled }\n").verdict).toBe("failed")
    expect(outcome("  - never: { reservation: lunch, status: arrived }\n")).toEqual({
      verdict: "passed",
      failures: [],
      marks: ["pass never reservation"],
    })
  })

  test("with within it ends after that long", () => {
    const until = (within: string) =>
      outcome(`  - never: { reservation: lunch, status: canceled, within: ${within} }\n`).verdict
    expect([until("59m"), until("60m")]).toEqual(["passed", "failed"])
  })
})

describe("at_most", () => {
  test("fails at the moment at which the count is passed", () => {
    const bounded = (times: number) =>
      outcome(
        `  - at_most: { webhook: reservation.status_changed, to: partner, times: ${times} }\n${ARRIVES}`,
      )
    // The booking, the arrival and the end.
    expect(bounded(3)).toMatchObject({ verdict: "passed", marks: ["pass at_most webhook"] })
    const { failures } = bounded(2)
    expect(failures).toHaveLength(1)
    expect(failures[0]).toContain("found that at 12:30 it was accepted 3 times and requested 4 times")
  })

  test("zero means never", () => {
    const { verdict, failures } = outcome(
      "  - at_most: { webhook: reservation.status_changed, to: partner, attempts: 0 }\n",
    )
    expect([verdict, failures.length]).toEqual(["failed", 1])
  })
})

test("both are explained in words", () => {
  const { scenarios } = read(`  - never: { reservation: lunch, status: canceled, within: 10m }
  - at_most: { exception: bot_no_show, for: lunch, times: 1 }
`)
  const text = scenarios.map((one) => explain(one)).join("")
  expect(text).toContain("for 10 minutes never: lunch has the status canceled.")
  expect(text).toContain("from here on at most: the exception bot_no_show is published for lunch, once")
})

test.each([
  ["never: { reservation: lunch, status: arrived, at: 12:00 }", '"at" does not go with "never"'],
  ["never: { exception: bot_no_show, for: lunch, times: 1 }", '"never" takes no count'],
  ["at_most: { reservation: lunch, status: arrived }", '"at_most" needs one count'],
  ["at_most: { webhook: reservation.exception, to: partner }", "one of times, attempts"],
  [
    "at_most: { webhook: reservation.exception, to: partner, times: 1, attempts: 1 }",
    '"at_most" needs one count',
  ],
  ["never: { reservaton: lunch }", 'did you mean "reservation"?'],
])("%s is a mistake", (step, said) => {
  const problems = read(`  - ${step}\n`).problems.map((problem) => formatProblem(problem))
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(said)
})
