/** Changes of a model: what holds from an instant on, who comes, who goes, and what breaks. */

import { describe, expect, test } from "vitest"
import { changeWords, textWithChanges } from "../../../src/model/replay/change-text.ts"
import type { Course } from "../../../src/model/replay/course-reader.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import {
  factorAt,
  factorsOf,
  instantOfChange,
  timedChanges,
} from "../../../src/simulation/fleet/language/changes.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { isSteady } from "../../../src/simulation/fleet/language/steady.ts"
import { inputRows } from "../../../src/simulation/fleet/report/input-summary.ts"
import { laterBy } from "../../../src/simulation/fleet/world/arrivals.ts"
import { CLOCK, fleetModel } from "./models.ts"
import { actorsOf, recorded } from "./recorded.ts"

interface Parts {
  readonly changes: string
  readonly demand?: string
  readonly runners?: string
  readonly vehicles?: number
  readonly stores?: string
  readonly more?: string
  readonly horizon?: string
}

const DEMAND =
  "[{ product: reservation, site: curb, per_hour: 30 }, { product: delivery, site: curb, per_hour: 12 }]"

function textOf({ changes, demand = DEMAND, more = "", horizon = "3h", ...site }: Parts): string {
  const { runners = 3, vehicles = 3, stores = "[{ as: store }]" } = site
  return `
fleet: Changes
because: What holds from then on?
clock: ${CLOCK}
horizon: ${horizon}
sites: [{ as: curb, at: [30.4, -97.7], reach_km: 2, stalls: 6, runners: ${runners}, vehicles: ${vehicles}, stores: ${stores} }]
demand: ${demand}
${changes === "" ? "" : `changes: [${changes}]`}
${more}
`
}

/** From 10:00 to 12:59. */
const EVERY_MINUTE = Array.from({ length: 180 }, (_, at) => {
  const [hour, minute] = [10 + Math.floor(at / 60), at % 60].map((part) => String(part).padStart(2, "0"))
  return `2026-03-02T${hour}:${minute}\n`
}).join("")

const modelOf = (parts: Parts): FleetModel => fleetModel(textOf(parts), { "asked.csv": EVERY_MINUTE })

const ELEVEN = HOUR_MS

/** A count at instants after the start. */
function levelsAt(
  course: Course,
  [resource, what]: readonly [resource: string, what: string],
  instants: readonly number[],
): readonly number[] {
  const level = course.levels.findIndex((one) => one.resource === resource && one.what === what)
  return instants.map((ms) => course.levelAt(level, ms))
}

/** `60 off duty`, by the minute. */
function statesOf(course: Course, name: string): readonly string[] {
  const actor = course.actors.findIndex((one) => one.name === name)
  return course.changesOf(actor).map(({ atMs, state }) => `${Math.floor(atMs / MINUTE_MS)} ${state}`)
}

function askedIn(course: Course, fromMs: number, untilMs: number): number {
  return actorsOf(course, "order").filter((actor) => {
    const { atMs = -1 } = course.changesOf(actor)[0] ?? {}
    return atMs >= fromMs && atMs < untilMs
  }).length
}

describe("people", () => {
  test("a runner who joins is on duty from then on, and has the time in the name", () => {
    const { course } = recorded(modelOf({ changes: "{ at: 11:00, runners at curb: +2 }" }), 1)
    const instants = [ELEVEN - 1, ELEVEN, 3 * HOUR_MS]
    expect(levelsAt(course, ["runners", "duty"], instants)).toEqual([3, 5, 5])
    const joined = actorsOf(course, "runner").filter((actor) => course.actors[actor]?.name.includes("11:00"))
    expect(joined.map((actor) => course.actors[actor]?.name)).toEqual([
      "curb/runner-11:00.1",
      "curb/runner-11:00.2",
    ])
    expect(joined.map((actor) => course.stateAt(actor, ELEVEN - 1))).toEqual([null, null])
    const worked = joined.flatMap((actor) => course.changesOf(actor)).some(({ state }) => state === "loading")
    expect(worked).toBe(true)
  })

  test("a runner who leaves finishes the task, and does not come back with the next shift", () => {
    const parts = { changes: "{ at: 11:00, runners: -2 }", horizon: "27h" }
    const { course } = recorded(modelOf(parts), 1)
    const instants = [ELEVEN - 1, ELEVEN + 30 * MINUTE_MS, 26 * HOUR_MS]
    expect(levelsAt(course, ["runners", "duty"], instants)).toEqual([3, 1, 1])
    expect(statesOf(course, "curb/runner-3").at(-1)).toMatch(/^6\d off duty$/)
    const runners = "[{ count: 2, from: 10:00, to: 12:00 }, { count: 1 }]"
    const { course: ofShifts } = recorded(modelOf({ ...parts, runners }), 1)
    expect(levelsAt(ofShifts, ["runners", "duty"], instants)).toEqual([3, 1, 1])
    expect(levelsAt(ofShifts, ["runners", "duty"], [3 * HOUR_MS, 24.5 * HOUR_MS])).toEqual([0, 1])
  })

  test("a cook who leaves finishes the order, one stays, and those who come begin at once", () => {
    const stores = "[{ as: tacos, cooks: 2, preparation: 20m }, { as: open }]"
    const changes = "{ at: 11:00, cooks: -1 }, { at: 12:00, cooks at curb: +3 }"
    const { course } = recorded(modelOf({ changes, stores }), 1)
    const instants = [ELEVEN - 1, ELEVEN + 21 * MINUTE_MS, 2 * HOUR_MS]
    expect(levelsAt(course, ["cooks", "duty"], instants)).toEqual([2, 1, 4])
    expect(levelsAt(course, ["cooks", "busy"], [2 * HOUR_MS - 1, 2 * HOUR_MS])).toEqual([1, 4])
  })
})

describe("vehicles", () => {
  test("join with the next number, and take runs", () => {
    const { course } = recorded(modelOf({ changes: "{ at: 11:00, vehicles: +1 }" }), 1)
    expect(levelsAt(course, ["vehicles", "duty"], [ELEVEN - 1, ELEVEN])).toEqual([3, 4])
    expect(statesOf(course, "veh_0_0004").some((state) => state.endsWith("to the store"))).toBe(true)
  })

  test("leave after their runs, drive back, and take none any more", () => {
    const { course } = recorded(modelOf({ changes: "{ at: 11:00, vehicles at curb: -2 }" }), 1)
    expect(levelsAt(course, ["vehicles", "duty"], [ELEVEN - 1, 2.5 * HOUR_MS])).toEqual([3, 1])
    for (const name of ["veh_0_0002", "veh_0_0003"]) {
      const states = statesOf(course, name)
      expect(states.at(-1)).toMatch(/ off duty$/)
      const late = states.filter(
        (state) => state.endsWith("to the store") && Number.parseInt(state, 10) > 150,
      )
      expect(late).toEqual([])
    }
  })

  test("all leave, and what is requested then is declined", () => {
    const { made, course } = recorded(modelOf({ changes: "{ at: 11:00, vehicles: -3 }" }), 1)
    expect(levelsAt(course, ["vehicles", "duty"], [2.5 * HOUR_MS])).toEqual([0])
    expect(made.figures["deliveries.declined"]).toBeGreaterThan(10)
  })

  test("one that is named breaks down where it is, and goes on when it is repaired", () => {
    const REPAIR_MS = 17 * MINUTE_MS
    let [onTheWay, standing] = [0, 0]
    for (let minute = 10; minute < 30; minute += 3) {
      const changes = `{ at: 11:${minute}, breakdown of veh_0_0001: 17m }`
      const { course } = recorded(modelOf({ changes }), 1)
      const actor = course.actors.findIndex(({ name }) => name === "veh_0_0001")
      const atMs = ELEVEN + minute * MINUTE_MS
      const [before, broken, after] = [atMs - 1, atMs, atMs + REPAIR_MS].map((ms) =>
        course.stateAt(actor, ms),
      )
      expect([broken, after === "broken down"], changes).toEqual(["broken down", false])
      expect(course.breaksIn(atMs, atMs + 1).map(({ kind }) => kind)).toContain("fault")
      const driven = course
        .legsOf(actor)
        .filter(({ fromMs, untilMs }) => untilMs > fromMs + 1 && fromMs >= atMs && fromMs < atMs + REPAIR_MS)
      expect(driven, changes).toEqual([])
      if (before?.startsWith("to ") === true) {
        onTheWay += 1
        expect(after, changes).toBe(before)
      } else standing += 1
    }
    expect([onTheWay > 0, standing > 0]).toEqual([true, true])
  })

  test("break down as often as the factor says, also never", () => {
    const more = "vehicle: { breakdown: { every: { exponential: { mean: 20m } }, repair: 5m } }"
    const [never = 0, usual = 0, often = 0] = [
      "{ at: 10:00, breakdowns: 0 }",
      "",
      "{ at: 10:00, breakdowns: 5 }",
    ].map((changes) => recorded(modelOf({ changes, more }), 1).made.counts["vehicles.broken_down"] ?? 0)
    expect(never).toBe(0)
    expect(usual).toBeGreaterThan(0)
    expect(often).toBeGreaterThan(2 * usual)
  })
})

describe("demand", () => {
  test.each([
    ["of a rate", "per_hour: 60"],
    ["of a renewal process", "every: 1m"],
    ["of a file", "replay: asked.csv"],
  ])("%s comes so many times as fast, and before the change as it did", (_, way) => {
    const demand = `[{ as: visits, product: delivery, site: curb, ${way} }]`
    const counted = (changes: string): readonly number[] => {
      const { course } = recorded(modelOf({ changes, demand, vehicles: 200 }), 1)
      const marks = [0, ELEVEN, 1.5 * HOUR_MS, 3 * HOUR_MS]
      return marks.slice(1).map((untilMs, at) => askedIn(course, marks[at] ?? 0, untilMs))
    }
    const usual = counted("")
    const twice = counted("{ at: 11:00, demand: 2 }")
    const none = counted("{ at: 11:00, demand of visits: 2 }, { at: 11:30, demand: 0 }")
    expect(usual[0]).toBeGreaterThan(30)
    expect(twice[0]).toBe(usual[0])
    expect(none.slice(0, 2)).toEqual(twice.slice(0, 2))
    expect(none[2]).toBeLessThan(2)
    expect(twice[1]).toBeGreaterThan(1.3 * (usual[1] ?? 0))
  })

  test("the last change before an instant counts, for all demands or for one", () => {
    const changes = "{ at: 12:00, demand: 3 }, { at: 11:00, demand of lunch: 2 }"
    const model = modelOf({
      changes,
      demand: "[{ as: lunch, product: reservation, site: curb, per_hour: 9 }]",
    })
    const timed = timedChanges(model.changes, { startMs: 0, timeZone: "UTC" })
    const factors = factorsOf("lunch", timed, 0)
    expect([10, 11, 12].map((hour) => factorAt(factors, hour * HOUR_MS))).toEqual([1, 2, 3])
    expect(factorsOf("dinner", timed, 0)).toEqual([{ fromMs: 12 * HOUR_MS, factor: 3 }])
  })
})

test("the time of a change is the first of the run, also after midnight, and an hour later where clocks skip it", () => {
  const at = (time: { readonly msOfDay: number } | { readonly wallMs: number }): number =>
    instantOfChange({ at: time }, { startMs: Date.UTC(2026, 2, 8, 6), timeZone: "America/Chicago" })
  expect(at({ msOfDay: 0 })).toBe(Date.UTC(2026, 2, 8, 6))
  expect(at({ msOfDay: 23 * HOUR_MS })).toBe(Date.UTC(2026, 2, 9, 4))
  expect(at({ msOfDay: 2.5 * HOUR_MS })).toBe(Date.UTC(2026, 2, 8, 8, 30))
  expect(at({ wallMs: Date.UTC(2026, 2, 10, 12) })).toBe(Date.UTC(2026, 2, 10, 17))
})

test("a model with changes is not steady, and its report names them", () => {
  const changes =
    '{ at: 11:00, runners: +1, demand: 1.5 }, { at: "2026-03-02T12:00", open_link_fails: 5%, breakdown of veh_0_0002: 20m }'
  expect(["", changes].map((one) => isSteady(modelOf({ changes: one })))).toEqual([true, false])
  expect(new Map(inputRows(modelOf({ changes }), [])).get("Changes")).toBe(
    "from 11:00 1 more runner at every site and 1.5 times the demand; from 2026-03-02 12:00 5% of open links fail and veh_0_0002 breaks down for 20m",
  )
})

describe("a model's text with changes", () => {
  const added = [
    { at: "11:00", name: "runners at curb", value: "+1" },
    { at: "2026-03-02T12:00", name: "demand of deliveries at curb", value: "0.5" },
  ]
  const own = "{ at: 10:30, vehicles: +1 }"
  const keysOf = ({ changes }: FleetModel): readonly string[] =>
    changes.flatMap(({ effects }) => [...effects.keys()])

  test.each([
    ["without any", ""],
    ["in brackets", `changes: [${own}]\n`],
    ["in brackets below the key", `changes: # today\n  [${own}]\nwarm_up: 1h\n`],
    ["with dashes", `changes:\n\n  # one more\n  - ${own}\nwarm_up: 1h\n`],
    ["with dashes at the margin", `changes:\n- ${own}\n- { at: 10:40, demand: 2 }\n`],
  ])("%s has them too, and keeps its own", (_, more) => {
    const before = modelOf({ changes: "", more })
    const after = fleetModel(textWithChanges(textOf({ changes: "", more }), added))
    expect(keysOf(after).toSorted()).toEqual([...keysOf(before), ...added.map(({ name }) => name)].toSorted())
    expect(after.warm_up).toBe(before.warm_up)
  })

  test("quotes a name that YAML would read as something else", () => {
    const demand = '[{ as: "lunch, north: all", product: reservation, site: curb, per_hour: 9 }]'
    const name = "demand of lunch, north: all"
    const text = textWithChanges(textOf({ changes: "", demand }), [{ at: "11:00", name, value: "2" }])
    expect(keysOf(fleetModel(text))).toEqual([name])
    expect(textWithChanges(text, [])).toBe(text)
  })

  test.each([
    ["runners at curb", "-2", "2 fewer runners at curb"],
    ["cooks", "+1", "1 more cook in each kitchen at every site"],
    ["demand", "0", "no new orders"],
    ["vehicle_dispatch", "least_loaded", "vehicles are chosen by least loaded"],
    ["breakdowns", "3", "3 times the breakdowns"],
  ])("says %s %s in words", (name, value, words) => {
    expect(changeWords({ name, value })).toBe(words)
  })
})

test("while the factor of a demand is 0 nothing comes, not even at once", () => {
  const none = { fromMs: 0, factor: 0 }
  expect(laterBy(0, [none])).toBe(Number.POSITIVE_INFINITY)
  expect(laterBy(0, [none, { fromMs: 60, factor: 2 }])).toBe(60)
  expect(laterBy(8, [none, { fromMs: 60, factor: 2 }], 20)).toBe(64)
  expect(
    laterBy(
      0,
      [
        { fromMs: 30, factor: 0 },
        { fromMs: 60, factor: 2 },
      ],
      40,
    ),
  ).toBe(60)
})
