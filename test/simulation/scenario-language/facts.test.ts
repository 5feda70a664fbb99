/** What a fact finds when the scenario's own key may do little: facts are no requests of the partner. */

import { describe, expect, test } from "vitest"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import type { ScenarioRun } from "../../../src/simulation/scenario/run.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { NAMES } from "./names-in-tests.ts"

function run(permissions: string, steps: string): ScenarioRun {
  const text = `scenario: S
because: B
clock: 2026-03-02T11:30 America/Chicago
permissions: [${permissions}]
given: { webhooks: [{ as: partner, answers: { status: 200, after: 10s } }] }
steps:
${steps}
`
  const { scenarios, problems } = readScenarios("x.yaml", text, NAMES)
  expect(problems.map(({ message }) => message)).toEqual([])
  const [scenario] = scenarios
  if (scenario === undefined) throw new Error("no scenario")
  return runScenario(scenario)
}

const BOOK = "  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }"

describe("a key that may only write", () => {
  test("does not keep a reservation's facts from being looked up", () => {
    const { failures } = run(
      "reservations:write",
      `${BOOK}
  - expect: { reservation: lunch, status: confirmed, stall: A1, load_photo_url: none, takes_order_back: false }
  - expect: { open_link: lunch, calls: 0 }`,
    )
    expect(failures).toEqual([])
  })

  test("fails `listed`, which is the partner's own request, and the run goes on", () => {
    const { failures, endMs, startMs } = run(
      "reservations:write",
      `${BOOK}
  - expect: { listed: 1 }
  - { do: reservation.cancel, for: lunch }
  - expect: { reservation: lunch, status: canceled }`,
    )
    expect(failures).toMatchObject([
      {
        message: "expected that 1 reservation is listed, found that it was refused with PERMISSION_DENIED",
        expected: "1 reservation is listed",
        actual: "it was refused with PERMISSION_DENIED",
      },
    ])
    expect(endMs).toBeGreaterThan(startMs)
  })
})

test("an answer after exactly the time limit is still accepted", () => {
  const { failures } = run(
    "reservations:read, reservations:write",
    `${BOOK}
  - expect: { webhook: reservation.status_changed, to: partner, times: 1, within: 30s }`,
  )
  expect(failures).toEqual([])
})
