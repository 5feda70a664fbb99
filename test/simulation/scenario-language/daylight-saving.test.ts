/** Local times around a change of the clocks: each names one instant, or is a mistake with its place. */

import { describe, expect, test } from "vitest"
import { explain } from "../../../src/simulation/scenario/words/explain.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import type { ScenarioReading } from "../../../src/simulation/scenario/language/read.ts"
import { NAMES } from "./names-in-tests.ts"

/** In Chicago the clocks went from 02:00 to 03:00 on 2026-03-08, and from 02:00 back to 01:00 on 2026-11-01. */
const SPRING = "2026-03-08T00:30 America/Chicago"
const AUTUMN = "2026-11-01T00:30 America/Chicago"

function read(clock: string, steps: string): ScenarioReading {
  const text = `scenario: S\nbecause: B\nclock: ${clock}\nsteps:\n${steps}\n`
  return readScenarios("x.yaml", text, NAMES)
}

function problemsOf(clock: string, steps: string): string {
  return read(clock, steps)
    .problems.map((problem) => formatProblem(problem, { color: false }))
    .join("\n")
}

function instantsOf(clock: string, steps: string): { readonly start: string; readonly end: string } {
  const { scenarios, problems } = read(clock, steps)
  expect(problems.map(({ message }) => message)).toEqual([])
  const [scenario] = scenarios
  if (scenario === undefined) throw new Error("no scenario")
  const { startMs, endMs, failures } = runScenario(scenario)
  expect(failures).toEqual([])
  return { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() }
}

describe("a time that the clocks leave out", () => {
  test("is a mistake with its place, in a window too", () => {
    expect(problemsOf(SPRING, "  - { do: reservation.create, as: lunch, with: { window: [01:45, 02:15] } }"))
      .toMatchInlineSnapshot(`
      "error: there is no 02:15 on 2026-03-08 in America/Chicago
       --> x.yaml:5:66
        |
      5 |   - { do: reservation.create, as: lunch, with: { window: [01:45, 02:15] } }
        |                                                                  ^^^^^
        = help: the clocks are put forward then"
    `)
  })

  test.each([
    ["a step", "  - { at: 02:15, do: reservation.create, as: lunch, with: { window: [03:15, 03:30] } }"],
    ["a wait", "  - wait: 02:15"],
    ["an argument", "  - { do: delivery.quote, as: food, with: { ready_by: 02:15 } }"],
    ["another day", "  - wait: tomorrow 02:15", "2026-03-07T00:30 America/Chicago"],
  ])("is a mistake in %s", (_, steps, clock = SPRING) => {
    expect(read(clock, steps).problems.map(({ message }) => message)).toEqual([
      "there is no 02:15 on 2026-03-08 in America/Chicago",
    ])
  })

  test("is a mistake in the clock", () => {
    expect(read("2026-03-08T02:15 America/Chicago", "  - wait: 5m").problems).toMatchObject([
      { message: "there is no 02:15 on 2026-03-08 in America/Chicago" },
    ])
  })
})

describe("a time that comes twice", () => {
  test("is a mistake with its place unless it says which, in a window too", () => {
    expect(
      problemsOf(
        AUTUMN,
        "  - { do: reservation.create, as: lunch, with: { window: [01:15, 01:45 second] } }",
      ),
    ).toMatchInlineSnapshot(`
      "error: 01:15 on 2026-11-01 in America/Chicago comes twice: the clocks are put back
       --> x.yaml:5:59
        |
      5 |   - { do: reservation.create, as: lunch, with: { window: [01:15, 01:45 second] } }
        |                                                           ^^^^^
        = help: add "first" or "second""
    `)
  })

  test("is a mistake in the clock unless it says which", () => {
    expect(read("2026-11-01T01:15 America/Chicago", "  - wait: 5m").problems).toMatchObject([
      { message: "01:15 on 2026-11-01 in America/Chicago comes twice: the clocks are put back" },
    ])
  })

  test("is the instant that it names", () => {
    expect(instantsOf(AUTUMN, "  - wait: 01:15 first").end).toBe("2026-11-01T06:15:00.000Z")
    expect(instantsOf(AUTUMN, "  - wait: 01:15 second").end).toBe("2026-11-01T07:15:00.000Z")
    expect(instantsOf("2026-11-01T01:15 America/Chicago second", "  - wait: 5m").start).toBe(
      "2026-11-01T07:15:00.000Z",
    )
  })

  test("is compared as the instant that it names", () => {
    const book = "  - { do: reservation.create, as: lunch, with: { window: [01:15 second, 01:45 second] } }"
    const steps = (which: string) =>
      `${book}\n  - expect: { reservation: lunch, window: [01:15 ${which}, 01:45 ${which}] }`
    expect(instantsOf(AUTUMN, steps("second")).start).toBe("2026-11-01T05:30:00.000Z")
    const [scenario] = read(AUTUMN, steps("first")).scenarios
    expect(scenario && runScenario(scenario).failures).toMatchObject([
      {
        message:
          "expected that lunch has window 01:15 first to 01:45 first, found that lunch has window 01:15 second to 01:45 second",
      },
    ])
  })

  test("is explained with the one that it names", () => {
    const [scenario] = read("2026-11-01T01:15 America/Chicago first", "  - wait: 01:15 second").scenarios
    expect(scenario && explain(scenario)).toContain(
      "Given it is 01:15 on Sunday, November 1, 2026 (America/Chicago, the first of two).",
    )
    expect(scenario && explain(scenario)).toContain("When it is 01:15 (the second of two).")
  })
})

test("a time that comes once may not say which", () => {
  expect(read(AUTUMN, "  - wait: 05:15 second").problems).toMatchObject([
    { message: "05:15 on 2026-11-01 in America/Chicago comes once" },
  ])
})
