/** Each invariant catches the bugs that are planted for it, and nothing in their scenarios without them; `folder.test.ts` has all others. */

import { describe, expect, test } from "vitest"
import { languageNames } from "../../../src/cli/scenarios/scenario-files.ts"
import { INVARIANTS, INVARIANT_NAMES } from "../../../src/simulation/scenario/invariants.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { PLANTED_BUGS as RESERVATION_BUGS } from "./planted-bugs.ts"
import { COURIER_BUGS } from "./planted-courier-bugs.ts"
import { DELIVERY_BUGS } from "./planted-delivery-bugs.ts"

const PLANTED_BUGS = [...RESERVATION_BUGS, ...DELIVERY_BUGS, ...COURIER_BUGS]

describe.each(INVARIANT_NAMES)("%s", (sentence) => {
  const bugs = PLANTED_BUGS.filter(({ breaks }) => breaks === sentence)

  test("has a planted bug", () => {
    expect(bugs.length).toBeGreaterThan(0)
  })

  test.each(bugs.map((bug) => [bug.says, bug] as const))("catches that %s", (_, { shownBy, options }) => {
    const run = runScenario(shownBy.build(), { ...options, isTolerant: true })
    expect(run.violations.map((violation) => violation.sentence)).toContain(sentence)
    expect(run.verdict).toBe("failed")
    expect(run.failures.map(({ message }) => message)).toContainEqual(expect.stringContaining(sentence))
  })

  test.each(bugs.map((bug) => [bug.says, bug] as const))(
    "finds nothing without the bug that %s",
    (_, { shownBy }) => {
      expect(runScenario(shownBy.build(), { isTolerant: true }).violations).toEqual([])
    },
  )

  test("is looked at alone when a scenario names it alone", () => {
    const [bug] = bugs
    if (bug === undefined) throw new Error("it has no planted bug")
    const built = bug.shownBy.build()
    const always = [{ name: sentence, place: { file: built.file, line: 1, column: 1 } }]
    const run = runScenario({ ...built, always }, { ...bug.options, isTolerant: true })
    expect(new Set(run.violations.map((violation) => violation.sentence))).toEqual(new Set([sentence]))
  })
})

describe.each(
  INVARIANTS.flatMap(({ sentence, formerSentence }) =>
    formerSentence === undefined ? [] : [[formerSentence, sentence] as const],
  ),
)("%s, the name in older scenarios,", (former, sentence) => {
  test("is accepted in a file, and watches the same", () => {
    const text = `scenario: x\nsteps: []\nalways:\n  - ${JSON.stringify(former)}\n`
    const { problems } = readScenarios("x.yaml", text, languageNames())
    expect(problems.filter(({ message }) => message.includes("invariant"))).toEqual([])
    const bug = PLANTED_BUGS.find(({ breaks }) => breaks === sentence)
    if (bug === undefined) throw new Error("it has no planted bug")
    const built = bug.shownBy.build()
    const always = [{ name: former, place: { file: built.file, line: 1, column: 1 } }]
    const run = runScenario({ ...built, always }, { ...bug.options, isTolerant: true })
    expect(new Set(run.violations.map((violation) => violation.sentence))).toEqual(new Set([sentence]))
  })
})

test("every planted bug is for an invariant of the catalogue", () => {
  expect(
    PLANTED_BUGS.filter(({ breaks }) => !INVARIANTS.some(({ sentence }) => sentence === breaks)),
  ).toEqual([])
})
