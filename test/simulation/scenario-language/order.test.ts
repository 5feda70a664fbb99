import { expect, test } from "vitest"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
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
    `expected that partner accepts ${STATUS}, then ${HANDOFF} within 10s, found that partner accepted ${HANDOFF}, then ${STATUS}`,
  ])
  expect(failuresOf(`[${STATUS}, ${STATUS}]`, "200")).toHaveLength(1)
})

/** Deliveries of one shop: two are made, and one of them is canceled. */
function deliveryFailuresOf(fields: string): readonly string[] {
  const { scenarios, problems } = readScenarios(
    "x.yaml",
    `scenario: S
because: B
clock: 2026-03-02T11:30 America/Chicago
environment: sandbox
given:
  vehicles: [{ as: van }]
  webhooks: [{ as: partner, events: all }]
  pickup_webhooks: [{ as: shop, events: all }]
steps:
  - { do: delivery.quote, as: groceries }
  - { do: delivery.create, for: groceries }
  - { do: delivery.quote, as: flowers }
  - { do: delivery.create, for: flowers }
  - { at: 11:31, do: delivery.advance, for: groceries }
  - { at: 11:32, do: delivery.cancel, for: flowers }
  - expect: { order: ${fields}, to: shop, within: 1s }
`,
    NAMES,
  )
  expect(problems.map(({ message }) => message)).toEqual([])
  return scenarios.flatMap((one) => runScenario(one).failures.map(({ message }) => message))
}

const PICKUP = "pickup_status.changed"

test("an order may be about one delivery", () => {
  expect(deliveryFailuresOf(`[${PICKUP}, ${PICKUP}]`)).toEqual([])
  expect(deliveryFailuresOf(`${PICKUP}, for: groceries`)).toEqual([])
  expect(deliveryFailuresOf(`[${PICKUP}, ${PICKUP}], for: flowers`)).toEqual([
    `expected that shop accepts ${PICKUP}, then ${PICKUP} within 1s, found that shop accepted ${PICKUP}`,
  ])
})

test("an order is about a reservation or a delivery, and about nothing else", () => {
  const { problems } = readScenarios(
    "x.yaml",
    `scenario: S
because: B
clock: 2026-03-02T11:30 America/Chicago
given: { webhooks: [{ as: partner, events: all }] }
steps:
  - expect: { order: ${STATUS}, to: partner, for: partner }
`,
    NAMES,
  )
  expect(problems.map(({ message, expected }) => [message, expected])).toEqual([
    [
      '"partner" is a webhook, not a reservation or delivery',
      "a reservation or delivery named in an earlier step: there is none",
    ],
  ])
})
