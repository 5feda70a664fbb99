/** When an expectation is decided: counts wait for work in flight, and `at` is the instant of a change. */

import { describe, expect, test } from "vitest"
import { explain } from "../../../src/simulation/scenario/words/explain.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { NAMES } from "./names-in-tests.ts"

function scenarioOf(steps: string, answers = "200"): Scenario {
  const text = `scenario: S
because: B
clock: 2026-03-02T11:30 America/Chicago
given: { webhooks: [{ as: partner, answers: ${answers} }] }
steps:
${steps}
`
  const { scenarios, problems } = readScenarios("x.yaml", text, NAMES)
  expect(problems.map(({ message }) => message)).toEqual([])
  const [scenario] = scenarios
  if (scenario === undefined) throw new Error("no scenario")
  return scenario
}

function failuresOf(steps: string, answers = "200"): readonly string[] {
  return runScenario(scenarioOf(steps, answers)).failures.map(({ message }) => message)
}

const BOOK = "  - { at: 11:30, do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }"
const TO_THE_BOT = `${BOOK}
  - { at: 11:40, do: runner.assign, for: lunch }
  - { at: 11:46, do: runner.at_store, for: lunch }
  - { at: 11:52, do: runner.order_in_hand, for: lunch }
  - { at: 11:55, do: runner.at_unit, for: lunch }`

describe("a count", () => {
  test("of zero waits for the request that is under way", () => {
    expect(
      failuresOf(`${BOOK}
  - expect: { webhook: reservation.status_changed, to: partner, times: 0 }`),
    ).toEqual([
      "expected that reservation.status_changed to partner is accepted 0 times, found that it was accepted 1 time and requested 1 time",
    ])
  })

  test("of attempts waits for the one that follows a failure", () => {
    const steps = `${BOOK}
  - expect: { webhook: reservation.status_changed, to: partner, status: confirmed, attempts: 1, within: 1h }`
    expect(failuresOf(steps, "[500, 200]")).toHaveLength(1)
    expect(failuresOf(steps, "[200]")).toEqual([])
  })

  test("of open link calls waits for the call that is about to leave", () => {
    expect(
      failuresOf(`${TO_THE_BOT}
  - { at: 11:56, do: bot.report, for: lunch, with: { status: ARRIVED } }
  - { do: bot.report, for: lunch, with: { status: READY_FOR_HANDOFF } }
  - expect: { open_link: lunch, calls: 0 }`),
    ).toHaveLength(1)
  })

  test("of exceptions holds over the whole of its time, and not only at its beginning", () => {
    const never = "exception: bot_no_show, for: lunch, times: 0"
    expect(failuresOf(`${TO_THE_BOT}\n  - expect: { ${never}, within: 9m }`)).toEqual([])
    expect(failuresOf(`${TO_THE_BOT}\n  - expect: { ${never}, within: 10m }`)).toHaveLength(1)
  })

  test("takes no time when nothing is under way", () => {
    const { endMs, failures } = runScenario(
      scenarioOf(`${BOOK}
  - { at: 11:31, do: reservation.cancel, for: lunch }
  - { at: 11:32, expect: { webhook: reservation.status_changed, to: partner, status: canceled, times: 1 } }
  - { at: +1s, expect: { reservation: lunch, status: canceled } }
  - { at: 11:32:01, expect: { webhook: reservation.exception, to: partner, times: 0 } }`),
    )
    expect(failures).toEqual([])
    expect(new Date(endMs).toISOString()).toBe("2026-03-02T17:32:01.000Z")
  })

  test("is explained with the time in which more may come", () => {
    expect(
      explain(
        scenarioOf(`${BOOK}
  - expect: { webhook: reservation.status_changed, to: partner, times: 1 }
  - expect: { open_link: lunch, calls: 0, within: 1m }`),
      ),
    ).toContain(`
 Then partner receives reservation.status_changed, accepted once; decided once nothing more can come within 10 seconds.
  And within 1 minute the open link of lunch was called, never; decided once nothing more can come in that time.
`)
  })
})

describe("a fact `at` a time", () => {
  test("fails when it was so before", () => {
    expect(failuresOf(`${BOOK}\n  - expect: { reservation: lunch, status: confirmed, at: 11:35 }`)).toEqual([
      "expected that this becomes so at 11:35, found that it was so before",
    ])
  })

  test("fails when it becomes so later", () => {
    expect(
      failuresOf(`${TO_THE_BOT}\n  - expect: { reservation: lunch, status: canceled, at: 12:29 }`),
    ).toEqual(["expected that lunch has status canceled at 12:29, found that lunch has status confirmed"])
  })

  test("holds when it becomes so at that instant, by a timer or by a step that stands there", () => {
    expect(
      failuresOf(`${TO_THE_BOT}
  - expect: { reservation: lunch, handoff: AT_UNIT, at: 11:55 }
  - expect: { exception: bot_no_show, for: lunch, times: 1, at: 12:05 }
  - expect: { reservation: lunch, status: canceled, at: 12:30 }
  - expect: { reservation: lunch, cancel_reason: window_expired, at: 12:30 }`),
    ).toEqual([])
  })

  test("counts an offset from its step, however long it waits", () => {
    expect(
      failuresOf(`${TO_THE_BOT}
  - expect: { exception: bot_no_show, for: lunch, at: +10m }
  - expect: { reservation: lunch, status: canceled, at: +25m }`),
    ).toEqual([])
  })

  test("cannot become so now", () => {
    const text = `scenario: S
because: B
clock: 2026-03-02T11:30 America/Chicago
steps:
${BOOK}
  - expect: { reservation: lunch, status: confirmed, at: +0s }
`
    const { problems } = readScenarios("x.yaml", text, NAMES)
    expect(problems.map(({ message }) => message)).toEqual([
      "a fact cannot become so at +0s: what was before is over",
    ])
  })

  test("is explained as the instant of the change", () => {
    const text = explain(
      scenarioOf(`${BOOK}\n  - expect: { reservation: lunch, status: canceled, at: 12:30 }`),
    )
    expect(text).toContain("Then at 12:30, and not before, lunch has the status canceled.")
  })
})

test("a step whose time an earlier expectation has run past fails", () => {
  expect(
    failuresOf(`${TO_THE_BOT}
  - expect: { exception: bot_no_show, for: lunch, within: 20m }
  - { at: 12:00, do: reservation.cancel, for: lunch }`),
  ).toEqual(["expected this step at 12:00, found that the step before lasted until 12:05"])
})
