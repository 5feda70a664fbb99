import { describe, expect, test } from "vitest"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { PERMISSIONS } from "../../../src/model/caller.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { EVERYTHING, NAMES, NO_SHOW } from "./names-in-tests.ts"

function read(text: string): readonly Scenario[] {
  const { scenarios, problems } = readScenarios("scenarios/test.yaml", text, NAMES)
  expect(problems.map((problem) => formatProblem(problem))).toEqual([])
  return scenarios
}

const clock = (hours: number, minutes: number, dayOffset = 0) => ({
  type: "clock",
  dayOffset,
  msOfDay: (hours * 60 + minutes) * 60_000,
})

describe("a scenario file", () => {
  test("becomes one scenario", () => {
    const [scenario, ...more] = read(NO_SHOW)
    expect(more).toEqual([])
    expect(scenario).toMatchObject({
      title: "The bot never shows up",
      variant: null,
      tags: ["reservation", "exception"],
      seed: 42,
      clock: { local: "2026-03-02T11:30", timeZone: "America/Chicago" },
      environment: "production",
      site: { builtIn: "domain-north" },
      promises: [{ of: "events", comparison: "<", bound: 60 }],
      always: [{ name: "no stall is shared without need" }],
      file: "scenarios/test.yaml",
    })
    expect(scenario?.permissions).toEqual(PERMISSIONS)
    expect(scenario?.webhooks).toMatchObject([{ as: "partner", answers: [{ status: 200 }] }])
  })

  test("keeps the place of every step", () => {
    const lines = read(NO_SHOW)[0]?.steps.map(({ place }) => `${place.line}:${place.column}`)
    expect(lines).toEqual(["13:5", "17:5", "18:5", "19:5", "20:5", "21:5", "22:5", "23:5", "24:5"])
  })

  test("has its values parsed", () => {
    const steps = read(NO_SHOW)[0]?.steps ?? []
    expect(steps[0]).toMatchObject({
      verb: "do",
      command: "reservation.create",
      as: "lunch",
      for: null,
      at: clock(11, 30),
      with: { window: [clock(11, 45), clock(12, 15)], order_number: "1187" },
    })
    expect(steps[6]).toMatchObject({
      verb: "expect",
      fact: "reservation",
      fields: { within: { ms: 1_800_000 } },
    })
    expect(steps[8]).toMatchObject({ verb: "refuse", for: "lunch", code: "INVALID_STATE" })
  })

  test("may say everything that the tables know", () => {
    const [scenario] = read(EVERYTHING)
    const facts = scenario?.steps.flatMap((step) => (step.verb === "expect" ? [step.fact] : []))
    expect(new Set(facts).size).toBe(10)
    expect(scenario).toMatchObject({
      environment: "sandbox",
      permissions: ["reservations:read", "reservations:write"],
      site: { builtIn: null, stalls: 3, activeStalls: 2, hasRunner: false },
      policy: { window_grace: { ms: 300_000 }, open_link_attempts: 3, announces_handoffs: false },
    })
    expect(scenario?.webhooks[0]?.answers).toEqual([
      { type: "timeout" },
      { type: "status", status: 500, afterMs: null },
      { type: "status", status: 200, afterMs: 6_000 },
    ])
  })

  test("says the fact whose table knows the other keys, in any order", () => {
    const steps = read(EVERYTHING)[0]?.steps ?? []
    const withMilestone = steps.find((step) => step.verb === "expect" && "attempts" in step.fields)
    const deliveries = steps.find((step) => step.verb === "expect" && "deliveries" in step.fields)
    expect(withMilestone).toMatchObject({ fact: "webhook" })
    expect(deliveries).toMatchObject({ fact: "deliveries" })
  })
})

describe("a matrix", () => {
  test("makes one scenario a row", () => {
    const scenarios = read(EVERYTHING)
    expect(scenarios.map(({ variant }) => variant)).toEqual(["short", "long"])
    const waits = scenarios.map(({ steps }) => steps.find((step) => step.verb === "wait"))
    expect(waits).toMatchObject([{ until: { ms: 300_000 } }, { until: { ms: 5_400_000 } }])
  })

  test("puts lists and single values in the same place", () => {
    const answers = read(EVERYTHING).map(({ steps }) => steps.find((step) => step.verb === "inject")?.with)
    expect(answers).toMatchObject([
      { answers: [{ type: "timeout" }, { type: "status", status: 200 }] },
      { answers: [{ type: "refused" }] },
    ])
  })

  test("leaves prices and other text with a $ alone", () => {
    const step = read(EVERYTHING)[0]?.steps[0]
    expect(step).toMatchObject({ with: { order_number: "$7" } })
  })
})
