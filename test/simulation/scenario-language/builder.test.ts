import { describe, expect, test } from "vitest"
import { ScenarioMistakes, scenario } from "../../../src/simulation/scenario/builder.ts"
import type { Place, Scenario } from "../../../src/simulation/scenario/language/language.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { NAMES, NO_SHOW } from "./names-in-tests.ts"

const noShow = scenario("The bot never shows up", {
  because: "The runner waits ten minutes, then operations must know.",
  tags: ["reservation", "exception"],
  seed: 42,
  clock: "2026-03-02T11:30 America/Chicago",
  given: { site: "domain-north", webhooks: [{ as: "partner", events: "all" }] },
  always: ["no stall is shared without need"],
  promises: { events: "< 60" },
})
  .at("11:30")
  .do("reservation.create", { as: "lunch", with: { window: ["11:45", "12:15"], order_number: "1187" } })
  .at("11:40")
  .do("runner.assign", { for: "lunch" })
  .at("11:46")
  .do("runner.at_store", { for: "lunch" })
  .at("11:52")
  .do("runner.order_in_hand", { for: "lunch" })
  .at("11:55")
  .do("runner.at_unit", { for: "lunch" })
  .expect({ exception: "bot_no_show", for: "lunch", at: "12:05" })
  .expect({
    reservation: "lunch",
    status: "canceled",
    canceled_by: "system",
    cancel_reason: "window_expired",
    within: "30m",
  })
  .expect({ webhook: "reservation.exception", to: "partner", times: 1 })
  .refuse({ do: "bot.report", for: "lunch", with: { status: "ARRIVED" }, code: "INVALID_STATE" })

const head = { because: "B", clock: "2026-03-02T11:30 America/Chicago" }

/** The scenario without its places: what a run depends on. */
function withoutPlaces(value: Scenario | undefined): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (key === "place" || key === "file" ? undefined : inner)),
  )
}

function mistakesOf(build: () => unknown): ScenarioMistakes {
  try {
    build()
  } catch (error) {
    if (error instanceof ScenarioMistakes) return error
  }
  throw new Error("it was built")
}

describe("a built scenario", () => {
  test("equals the one that was written", () => {
    const [written] = readScenarios("x.yaml", NO_SHOW, NAMES).scenarios
    expect(withoutPlaces(noShow.build(NAMES))).toEqual(withoutPlaces(written))
  })

  test("stands where it was called", () => {
    const { file, steps } = noShow.build(NAMES)
    const places: readonly Place[] = steps.map(({ place }) => place)
    expect(file).toMatch(/builder\.test\.ts$/)
    expect(new Set(places.map((place) => place.file))).toEqual(new Set([file]))
    expect(places.map(({ line }) => line)).toEqual(places.map(({ line }) => line).toSorted((a, b) => a - b))
    expect(new Set(places.map(({ line }) => line)).size).toBe(places.length)
  })

  test("may be made in a loop", () => {
    let draft = scenario("Many", head)
    for (const name of ["a", "b", "c"]) {
      draft = draft.do("reservation.create", { as: name, with: { window: ["11:45", "12:15"] } })
    }
    expect(draft.wait("5m").inject("calls.lost").build().steps).toHaveLength(5)
  })

  test("has no part in what is added to it later", () => {
    const first = scenario("One", head).wait("5m")
    first.wait("6m")
    expect(first.build().steps).toHaveLength(1)
  })
})

describe("mistakes in a built scenario", () => {
  test("are told like those of a file", () => {
    const { problems, message } = mistakesOf(() =>
      scenario("One", head).do("runner.assign", { for: "lunch" }).wait("5").build(NAMES),
    )
    expect(problems.map((problem) => problem.message)).toEqual([
      'nothing is named "lunch"',
      "the bare number 5 is not a time",
    ])
    expect(message.split("\n")[1]).toMatch(/--> .*builder\.test\.ts:\d+:\d+$/)
    expect(message).toContain("|   - { do: runner.assign, for: lunch }\n")
  })

  test("in names are told when the names are known", () => {
    const draft = scenario("One", { ...head, always: ["nothing happens"] }).wait("5m")
    expect(draft.build().always).toHaveLength(1)
    expect(mistakesOf(() => draft.build(NAMES)).message).toContain('there is no invariant "nothing happens"')
  })

  test("of the tables are the compiler's already", () => {
    const draft = scenario("One", head)
    const wrong = [
      // @ts-expect-error -- an unknown command
      () => draft.do("reservation.craete").build(),
      // @ts-expect-error -- an argument is missing
      () => draft.do("bot.report", { for: "a", with: { label: null } }).build(),
      // @ts-expect-error -- an argument of another command
      () => draft.do("runner.assign", { for: "a", with: { window: ["11:45", "12:15"] } }).build(),
      // @ts-expect-error -- nothing that it is about
      () => draft.do("runner.assign", {}).build(),
      // @ts-expect-error -- an unknown status
      () => draft.expect({ reservation: "a", status: "gone" }).build(),
      // @ts-expect-error -- an unknown fault
      () => draft.inject("calls.found").build(),
    ]
    for (const build of wrong) expect(build).toThrow(ScenarioMistakes)
  })
})
