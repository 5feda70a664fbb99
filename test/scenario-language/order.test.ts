import { expect, test } from "vitest"
import { readScenarios } from "../../src/simulation/scenario/read.ts"
import { runScenario } from "../../src/simulation/scenario/run.ts"
import { NAMES } from "./names-in-tests.ts"

/** A visit whose runner reaches the store; the first event is refused once, so that it comes after the second. */
function failuresOf(order: string, answers: string): readonly string[] {
  const { scenarios, problems } = readScenarios(
    "x.yaml",
    `scenario: S
because: B
clock: 2026-03-02T11:30 America/Chicago
given: { webhooks: [{ as: partner, events: all, answers: ${answers} }] }
steps:
  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
  - { at: 11:31, do: runner.assign, for: lunch }
  - { at: 11:31, do: runner.at_store, for: lunch }
  - { at: 11:40, expect: { order: ${order}, to: partner, for: lunch } }
`,
    NAMES,
  )
  expect(problems).toEqual([])
  return scenarios.flatMap((one) => runScenario(one).failures.map(({ message }) => message))
}

const [STATUS, HANDOFF] = ["reservation.status_changed", "reservation.handoff_updated"]

test("an order holds if the events were accepted one after the other", () => {
  expect(failuresOf(`[${STATUS}, ${HANDOFF}]`, "200")).toEqual([])
  expect(failuresOf(HANDOFF, "200")).toEqual([])
})

test("what is refused counts when it is accepted, and each event once", () => {
  expect(failuresOf(`[${HANDOFF}, ${STATUS}]`, "[500, 200]")).toEqual([])
  expect(failuresOf(`[${STATUS}, ${HANDOFF}]`, "[500, 200]")).toEqual([
    `expected partner accepts ${STATUS}, then ${HANDOFF} within 10s, found partner accepted ${HANDOFF}, then ${STATUS}`,
  ])
  expect(failuresOf(`[${STATUS}, ${STATUS}]`, "200")).toHaveLength(1)
})
