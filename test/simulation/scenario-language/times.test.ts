/** Facts about when something was: times of a handoff, instants of attempts, the status before a change. */

import { describe, expect, test } from "vitest"
import { explain } from "../../../src/simulation/scenario/words/explain.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { scenarioText } from "../../../src/simulation/scenario/language/scenario-text.ts"
import { NAMES } from "./names-in-tests.ts"

function textOf(steps: readonly string[], given: string): string {
  return [
    "scenario: S",
    "because: B",
    "clock: 2026-03-02T11:30 America/Chicago",
    `given: { ${given} }`,
    "steps:",
    ...steps.map((step) => `  - ${step}`),
    "",
  ].join("\n")
}

const PARTNER = "webhooks: [{ as: partner, events: all }]"

function failuresOf(steps: readonly string[], given = PARTNER): readonly string[] {
  const { scenarios, problems } = readScenarios("x.yaml", textOf(steps, given), NAMES)
  expect(problems).toEqual([])
  return scenarios.flatMap((one) => runScenario(one).failures.map(({ message }) => message))
}

function problemsOf(...steps: readonly string[]): readonly string[] {
  const { problems } = readScenarios("x.yaml", textOf([BOOK, ...steps], PARTNER), NAMES)
  return problems.map(({ message }) => message)
}

const BOOK = "{ do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }"
const VISIT = [
  BOOK,
  "{ at: 11:40, do: runner.assign, for: lunch }",
  "{ at: 11:46, do: runner.at_store, for: lunch }",
  // The receiver's answer takes a moment, so that the next step is not at a whole second.
  "expect: { webhook: reservation.handoff_updated, to: partner, times: 1 }",
  "{ do: runner.order_in_hand, for: lunch }",
  "{ at: 11:57, do: bot.report, for: lunch, with: { status: ARRIVED, occurred_at: 11:56:30 } }",
  "{ at: 11:58, do: runner.at_unit, for: lunch }",
]

describe("times of a handoff and of its bot", () => {
  test("hold to the second, whatever part of it the service noted", () => {
    const fact =
      "task_started_at: 11:46, order_in_hand_at: 11:46, runner_at_unit_at: 11:58, handoff_completed_at: null, asserted_at: 11:56:30"
    expect(failuresOf([...VISIT, `expect: { reservation: lunch, ${fact} }`])).toEqual([])
  })

  test.each([
    ["task_started_at: 11:40", "task_started_at 11:40", "task_started_at 11:46"],
    ["order_in_hand_at: 11:46:01", "order_in_hand_at 11:46:01", "order_in_hand_at 11:46"],
    ["runner_at_unit_at: null", "no runner_at_unit_at", "runner_at_unit_at 11:58"],
    ["handoff_completed_at: 12:00", "handoff_completed_at 12:00", "no handoff_completed_at"],
    ["asserted_at: 11:57", "asserted_at 11:57", "asserted_at 11:56:30"],
  ])("a wrong one fails: %s", (written, wanted, found) => {
    expect(failuresOf([...VISIT, `expect: { reservation: lunch, ${written} }`])).toEqual([
      `expected that lunch has ${wanted}, found that lunch has ${found}`,
    ])
  })

  test("may become so at a time", () => {
    const fact = "expect: { reservation: lunch, runner_at_unit_at: 11:58, at: 11:58 }"
    expect(
      failuresOf([...VISIT.slice(0, -1), "{ at: 11:58, do: runner.at_unit, for: lunch }", fact]),
    ).toEqual([])
  })
})

const STATUS = "webhook: reservation.status_changed, to: partner, for: lunch"

describe("the status before a change", () => {
  test("chooses the events, and null is the booking", () => {
    const steps = [
      ...VISIT,
      `expect: { ${STATUS}, status: arrived, previous_status: confirmed, times: 1 }`,
      `expect: { ${STATUS}, previous_status: null, times: 1 }`,
      `expect: { ${STATUS}, previous_status: arrived, times: 0 }`,
    ]
    expect(failuresOf(steps)).toEqual([])
  })

  test("a wrong one fails with those that came", () => {
    const what = "reservation.status_changed to partner with previous_status arrived is accepted"
    const found = "it was accepted 0 times and requested 0 times, and"
    expect(failuresOf([...VISIT, `expect: { ${STATUS}, previous_status: arrived, within: 1s }`])).toEqual([
      `expected that ${what} within 1s, found that ${found} its events had no previous_status and previous_status confirmed`,
    ])
    expect(
      failuresOf([...VISIT, `expect: { ${STATUS}, status: canceled, previous_status: arrived, within: 1s }`]),
    ).toEqual([`expected that ${what} within 1s, found that ${found} no such event came`])
  })

  test("is also known of deliveries", () => {
    const given = "vehicles: [{ as: van }], pickup_webhooks: [{ as: shop, events: all }]"
    const steps = [
      "{ do: delivery.quote, as: groceries }",
      "{ do: delivery.create, for: groceries }",
      "{ do: delivery.cancel, for: groceries }",
      "expect: { pickup_webhook: pickup_status.changed, to: shop, status: CANCELLED, previous_status: LOADED, within: 1s }",
    ]
    expect(failuresOf(steps, given)).toEqual([
      "expected that pickup_status.changed to shop with previous_status LOADED is accepted within 1s, " +
        "found that it was accepted 0 times and requested 0 times, and its event had previous_status SCHEDULED",
    ])
  })
})

describe("the instants of attempts", () => {
  const REFUSING = "webhooks: [{ as: partner, events: all, answers: [500, timeout, 200] }]"

  test("are those of all requests, accepted or not, with the pauses that begin with the answers", () => {
    const steps = [
      BOOK,
      `expect: { ${STATUS}, attempted_at: [11:30, 11:32, 11:36:10], times: 1, within: 10m }`,
    ]
    expect(failuresOf(steps, REFUSING)).toEqual([])
  })

  test("one request is written without a list, and an offset counts from the step", () => {
    expect(failuresOf([BOOK, `expect: { ${STATUS}, attempted_at: 11:30 }`])).toEqual([])
    const later = [BOOK, "wait: +1m", `expect: { ${STATUS}, attempted_at: -1m }`]
    expect(failuresOf(later)).toEqual([])
  })

  test.each([
    ["[11:30, 11:32]", "10m", "requested 3 times at 11:30, 11:32 and 11:36:10"],
    ["[11:30, 11:31]", "10m", "requested 2 times at 11:30 and 11:32"],
    ["[11:30, 11:32, 11:36:10, 11:40]", "20m", "requested 3 times at 11:30, 11:32 and 11:36:10"],
  ])("another one fails: %s", (times, within, found) => {
    const steps = [BOOK, `expect: { ${STATUS}, attempted_at: ${times}, within: ${within} }`]
    const [failure = ""] = failuresOf(steps, REFUSING)
    expect(failure).toContain(
      `is requested at ${times.slice(1, -1).replace(/, ([^,]+)$/, " and $1")} within `,
    )
    expect(failure).toContain(found)
  })

  test("of a delivery's webhook, and of an open link", () => {
    const given =
      "vehicles: [{ as: van }], pickup_webhooks: [{ as: shop, events: all, answers: [200, refused, 200] }]"
    const pickup = "pickup_webhook: pickup_status.changed, to: shop, for: groceries, status: CANCELLED"
    const order = ["{ do: delivery.quote, as: groceries }", "{ do: delivery.create, for: groceries }"]
    const cancel = [...order, "{ at: 11:31, do: delivery.cancel, for: groceries }"]
    expect(
      failuresOf([...cancel, `expect: { ${pickup}, attempted_at: [11:31, 11:31:30], within: 1m }`], given),
    ).toEqual([])
    expect(
      failuresOf([...cancel, `expect: { ${pickup}, attempted_at: [11:31, 11:31:20], within: 1m }`], given),
    ).toEqual([
      "expected that pickup_status.changed to shop is requested at 11:31 and 11:31:20 within 30s, " +
        "found that it was accepted 1 time and requested 2 times at 11:31 and 11:31:30",
    ])
    const opened = [
      ...VISIT,
      "{ inject: open_link.answers, for: lunch, with: { answers: [500, 200] } }",
      "{ at: 11:59, do: bot.report, for: lunch, with: { status: READY_FOR_HANDOFF } }",
    ]
    expect(failuresOf([...opened, "expect: { open_link: lunch, attempted_at: [11:59, 11:59:05] }"])).toEqual(
      [],
    )
    expect(failuresOf([...opened, "expect: { open_link: lunch, attempted_at: 11:58 }"])).toEqual([
      "expected that the open link of lunch is called at 11:58, found that it was called 1 time with 1 attempt id at 11:59",
    ])
    expect(failuresOf([...VISIT, "expect: { open_link: lunch, attempted_at: 11:58 }"])).toEqual([
      "expected that the open link of lunch is called at 11:58 within 10s, found that it was called at no time",
    ])
  })

  test("go with expect alone, and are a list of times", () => {
    expect(problemsOf(`at_most: { ${STATUS}, attempts: 2, attempted_at: 11:30 }`)).toEqual([
      '"attempted_at" does not go with "at_most"',
    ])
    expect(problemsOf(`never: { ${STATUS}, attempted_at: 11:30 }`)).toEqual(['"never" takes no count'])
    expect(problemsOf(`expect: { ${STATUS}, attempted_at: [] }`)).toEqual(["an empty list"])
    expect(problemsOf(`expect: { ${STATUS}, attempted_at: [11:30, noon] }`)).toEqual(['"noon" is not a time'])
  })
})

test("sentences say the times and the status before", () => {
  const steps = [
    ...VISIT,
    `expect: { ${STATUS}, previous_status: confirmed }`,
    `expect: { ${STATUS}, previous_status: null, attempted_at: [11:30, 11:32, 11:36:10] }`,
    "expect: { open_link: lunch, attempted_at: 11:59 }",
    "expect: { reservation: lunch, task_started_at: 11:46, handoff_completed_at: null }",
  ]
  const { scenarios } = readScenarios("x.yaml", textOf(steps, PARTNER), NAMES)
  const [scenario] = scenarios
  if (scenario === undefined) throw new Error("no scenario")
  const decided = "; decided once nothing more can come within 10 seconds."
  expect(explain(scenario).split("\n").slice(-5, -1)).toEqual([
    " Then partner receives reservation.status_changed, about lunch only and with the status before confirmed.",
    `  And partner receives reservation.status_changed, about lunch only; with no status before; and requested at 11:30, 11:32 and 11:36:10${decided}`,
    `  And the open link of lunch was called, at 11:59${decided}`,
    "  And lunch has a runner at the store at 11:46 and no handoff completed so far.",
  ])
  // What is written again reads as the same scenario.
  const again = readScenarios("x.yaml", scenarioText(scenario), NAMES)
  expect(again.problems).toEqual([])
  expect(again.scenarios.map(explain)).toEqual(scenarios.map(explain))
})
