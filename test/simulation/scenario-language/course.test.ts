/** The key `course` of a scenario: what a course takes from its file, and what the reader refuses. */

import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Course } from "../../../src/areas/courses/course.ts"
import { readCourses } from "../../../src/live/services/course-files.ts"
import { courseOf } from "../../../src/simulation/scenario/course.ts"
import { readSource } from "../../../src/simulation/scenario/language/read.ts"

const HEAD = `scenario: A visit
because: It is a test.
clock: 2026-03-02T11:30 America/Chicago
environment: sandbox
`
const CREATE = "  - { do: reservation.create, as: visit, with: { window: [11:45, 12:15] } }\n"
const COURSE = "course: { name: visit_fails, for: visit, from: [confirmed] }\n"

function read(text: string) {
  return readSource({ file: "a.yaml", text }, null)
}

function problemsOf(text: string): readonly string[] {
  return read(text).problems.map(({ place, message }) => `${place.line}:${place.column} ${message}`)
}

function course(steps: string): Course {
  const { scenarios, problems } = read(`${HEAD}${COURSE}steps:\n${CREATE}${steps}`)
  expect(problems).toEqual([])
  const [scenario] = scenarios
  const found = scenario === undefined ? null : courseOf(scenario)
  if (found === null) throw new Error("the scenario has no course")
  return found
}

test("a course has the steps after the booking, each with its time and its words", () => {
  expect(
    course(`  - { at: 11:40, do: runner.assign, for: visit }
  - { at: +90s, do: bot.report, for: visit, with: { status: ARRIVED } }
  - wait: 5m
  - expect: { reservation: visit, status: arrived, within: 2m }
  - refuse: { do: reservation.cancel, for: visit, code: INVALID_STATE }
`),
  ).toEqual({
    name: "visit_fails",
    title: "A visit",
    about: "It is a test.",
    kind: "reservation",
    from: ["confirmed"],
    handoff: null,
    startMs: 0,
    steps: [
      {
        says: "10 minutes later, a runner takes the reservation",
        at: { clockMs: 600_000 },
        act: { do: "runner.assign" },
      },
      {
        says: "1 minute 30 seconds later, the bot of the reservation reports ARRIVED",
        at: { afterMs: 90_000 },
        act: { do: "bot.report", status: "ARRIVED" },
      },
      { says: "5 minutes pass", at: null, act: { do: "wait", until: { afterMs: 300_000 } } },
      {
        says: "Within 2 minutes, the reservation has the status arrived",
        at: null,
        act: {
          do: "expect",
          fact: { of: "reservation", fields: { status: "arrived" } },
          by: { afterMs: 120_000 },
        },
      },
    ],
  })
})

test("a scenario without the key is no course", () => {
  const { scenarios } = read(`${HEAD}steps:\n${CREATE}`)
  expect(scenarios.map(courseOf)).toEqual([null])
})

test.each([
  ["a command without a counterpart", "  - { do: runner.give_up, for: visit }\n"],
  ["a fault of the outside world", "  - { inject: photo_signing.fails }\n"],
  [
    "an answer that comes late",
    `  - { do: webhook.register, as: hook }
  - { inject: webhook.answers, for: hook, with: { answers: [{ status: 503, after: 5s }] } }
`,
  ],
  ["a field that the sandbox does not check", "  - expect: { reservation: visit, stall: A1 }\n"],
])("the reader refuses %s, at its place", (_, steps) => {
  const problems = problemsOf(`${HEAD}${COURSE}steps:\n${CREATE}${steps}`)
  expect(problems).toContain("8:5 the sandbox cannot play this step of a course")
})

test.each([
  ["{ name: Visit, for: visit, from: [confirmed] }", /"Visit" is not a name of small letters/],
  [
    "{ name: visit_fails, for: other, from: [confirmed] }",
    /no step makes a delivery or reservation named "other"/,
  ],
  ["{ name: visit_fails, for: visit, from: [SCHEDULED] }", /a reservation is never SCHEDULED/],
  ["{ name: visit_fails, for: visit, from: [asleep] }", /asleep/],
  ["{ name: visit_fails, for: visit }", /"from" is missing/],
])("the reader refuses course: %s", (written, problem) => {
  const [found] = problemsOf(`${HEAD}course: ${written}\nsteps:\n${CREATE}`)
  expect(found).toMatch(problem)
})

test("a course has one row", () => {
  const text = `${HEAD}${COURSE}matrix:\n  - { name: one, number: "1" }\nsteps:\n  - { do: reservation.create, as: visit, with: { window: [11:45, 12:15], order_number: $number } }\n`
  expect(problemsOf(text)).toEqual(['5:1 "course" does not go with "matrix"'])
})

test("the courses of a folder are sorted; a name comes once, and a file that is not valid is reported", () => {
  const folder = mkdtempSync(join(tmpdir(), "courses-"))
  const write = (file: string, name: string, steps = "  - wait: 5m\n"): void =>
    writeFileSync(
      join(folder, file),
      `${HEAD}course: { name: ${name}, for: visit, from: [confirmed] }\nsteps:\n${CREATE}${steps}`,
    )
  write("b.yaml", "first")
  write("a.yaml", "second")
  writeFileSync(join(folder, "none.yaml"), `${HEAD}steps:\n${CREATE}`)
  expect(readCourses(folder).map(({ name }) => name)).toEqual(["first", "second"])
  write("c.yaml", "first")
  expect(() => readCourses(folder)).toThrow("two scenario files have a course named first")
  write("c.yaml", "third", "  - { do: runner.give_up, for: visit }\n")
  expect(() => readCourses(folder)).toThrow(/the sandbox cannot play this step of a course[^]*c\.yaml:8:5/)
})
