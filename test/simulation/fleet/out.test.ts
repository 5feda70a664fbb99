/** What is out for a time: who goes and comes back, what waits meanwhile, and repairs against queueing theory. */

import { describe, expect, test } from "vitest"
import type { Course } from "../../../src/model/replay/course-reader.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { casesOf, inCase } from "../../../src/simulation/fleet/language/cases.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { outSpans } from "../../../src/simulation/fleet/language/out.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import { isSteady } from "../../../src/simulation/fleet/language/steady.ts"
import { inputRows } from "../../../src/simulation/fleet/report/input-summary.ts"
import { answerOf } from "../../../src/simulation/fleet/results/answer.ts"
import { Estimates } from "../../../src/simulation/fleet/results/estimates.ts"
import { fleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import { halfWidthOf, meanOf } from "../../../src/simulation/fleet/results/statistics.ts"
import type { Estimate } from "../../../src/simulation/fleet/results/statistics.ts"
import { caseResult } from "../../../src/simulation/fleet/results/summary.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { machineRepair } from "./machine-repair.ts"
import { CLOCK, fleetModel } from "./models.ts"
import { actorsOf, recorded } from "./recorded.ts"

interface Parts {
  readonly out: string
  readonly demand?: string
  readonly runners?: string
  readonly vehicles?: number
  readonly stalls?: number
  readonly stores?: string
  readonly more?: string
  readonly horizon?: string
}

const DEMAND =
  "[{ product: reservation, site: curb, per_hour: 30 }, { product: delivery, site: curb, per_hour: 12 }]"

function textOf({ out, demand = DEMAND, more = "", horizon = "3h", ...site }: Parts): string {
  const { runners = 3, vehicles = 3, stalls = 6, stores = "[{ as: store }]" } = site
  return `
fleet: Out
because: What fails at noon?
clock: ${CLOCK}
horizon: ${horizon}
sites: [{ as: curb, at: [30.4, -97.7], reach_km: 2, stalls: ${stalls}, runners: ${runners}, vehicles: ${vehicles}, stores: ${stores} }]
demand: ${demand}
${out === "" ? "" : `out: [${out}]`}
${more}
`
}

const modelOf = (parts: Parts): FleetModel => fleetModel(textOf(parts))

/** An hour after the start. */
const ELEVEN = HOUR_MS

function levelsAt(
  course: Course,
  [resource, what]: readonly [resource: string, what: string],
  instants: readonly number[],
): readonly number[] {
  const level = course.levels.findIndex((one) => one.resource === resource && one.what === what)
  return instants.map((ms) => course.levelAt(level, ms))
}

describe("runners", () => {
  test("finish their task, are away, and are back at the end", () => {
    const { course } = recorded(modelOf({ out: "{ from: 11:00, to: 12:00, runners: 2 }" }), 1)
    const instants = [ELEVEN - 1, ELEVEN + 30 * MINUTE_MS, 2 * HOUR_MS]
    expect(levelsAt(course, ["runners", "duty"], instants)).toEqual([3, 1, 3])
    const names = actorsOf(course, "runner").map((actor) => course.actors[actor]?.name)
    expect(names).toEqual(["curb/runner-1", "curb/runner-2", "curb/runner-3"])
  })

  test("are back only if their shift goes on, and go again the next day", () => {
    const parts = { runners: "[{ count: 2, from: 09:00, to: 11:30 }]", horizon: "26h" }
    const { course } = recorded(
      modelOf({ ...parts, out: "{ from: 10:30, to: 12:00, runners at curb: 1 }" }),
      1,
    )
    const hours = [0.75, 1.75, 2.5, 23.5, 24.75].map((hour) => hour * HOUR_MS)
    expect(levelsAt(course, ["runners", "duty"], hours)).toEqual([1, 0, 0, 2, 1])
  })
})

describe("vehicles", () => {
  test("finish their runs, take none, and take runs again at the end", () => {
    const out = "{ from: 11:00, to: 12:30, vehicles: 2 }"
    const { course } = recorded(modelOf({ out, horizon: "4h" }), 1)
    const instants = [ELEVEN - 1, 2.25 * HOUR_MS, 2.5 * HOUR_MS]
    expect(levelsAt(course, ["vehicles", "duty"], instants)).toEqual([3, 1, 3])
    const takes = actorsOf(course, "vehicle")
      .slice(1)
      .flatMap((actor) => course.changesOf(actor))
      .filter(({ state }) => state === "to the store")
    const within = takes.filter(({ atMs }) => atMs > 1.75 * HOUR_MS && atMs < 2.5 * HOUR_MS)
    expect(within).toEqual([])
    expect(takes.some(({ atMs }) => atMs > 2.5 * HOUR_MS)).toBe(true)
  })

  test("that are all out leave new deliveries without one", () => {
    const { made } = recorded(modelOf({ out: "{ from: 11:00, to: 13:00, vehicles: 3 }" }), 1)
    expect(made.figures["deliveries.declined"]).toBeGreaterThan(5)
  })
})

describe("kitchens", () => {
  const busyAt = (stores: string, out: string, hours: readonly number[]): readonly number[] => {
    const { course } = recorded(modelOf({ stores, out }), 1)
    return levelsAt(
      course,
      ["cooks", "busy"],
      hours.map((hour) => hour * HOUR_MS),
    )
  }

  test("have fewer cooks, each after the order", () => {
    const stores = "[{ as: tacos, cooks: 4, preparation: 8m }]"
    const { course } = recorded(modelOf({ stores, out: "{ from: 11:00, to: 12:00, cooks: 3 }" }), 1)
    const instants = [ELEVEN - 1, ELEVEN + 9 * MINUTE_MS, 2 * HOUR_MS]
    expect(levelsAt(course, ["cooks", "duty"], instants)).toEqual([4, 1, 4])
  })

  test.each([
    ["with a limit of cooks", "cooks: 9, "],
    ["without a limit", ""],
  ])("that are out begin no order, %s, and those that wait begin at the end", (_, cooks) => {
    const stores = `[{ as: tacos, ${cooks}preparation: 8m }]`
    const [, within = -1, back = -1] = busyAt(
      stores,
      "{ from: 11:00, to: 12:00, kitchen of tacos: true }",
      [1, 1.25, 2],
    )
    expect(within).toBe(0)
    expect(back).toBeGreaterThan(5)
  })
})

describe("stalls", () => {
  test("take no new window and no vehicle, and are booked again at the end", () => {
    const out = "{ from: 11:00, to: 13:00, stalls: 5 }"
    const { course } = recorded(modelOf({ out, horizon: "5h" }), 1)
    expect(levelsAt(course, ["stalls", "duty"], [ELEVEN - 1, 2.5 * HOUR_MS, 3 * HOUR_MS])).toEqual([6, 1, 6])
    const asked = (fromMs: number, untilMs: number): ReadonlySet<string> =>
      new Set(
        actorsOf(course, "order").flatMap((actor) => {
          const stall = course.actors[actor]?.order?.stall ?? null
          const { atMs = -1 } = course.changesOf(actor)[0] ?? {}
          return stall === null || atMs < fromMs || atMs >= untilMs ? [] : [String(stall)]
        }),
      )
    expect([...asked(ELEVEN, 3 * HOUR_MS)]).toHaveLength(1)
    expect(asked(3 * HOUR_MS, 5 * HOUR_MS).size).toBeGreaterThan(1)
  })
})

test("a service that is out refuses new requests with 503, and goes on with what it has", () => {
  const usual = recorded(modelOf({ out: "" }), 1).made
  const { made } = recorded(modelOf({ out: "{ from: 11:00, to: 12:00, service: true }" }), 1)
  const refused = made.counts["declined.SERVICE_UNAVAILABLE"] ?? 0
  expect(refused).toBeGreaterThan(20)
  expect(made.figures["orders.asked"]).toBe(usual.figures["orders.asked"])
  expect(made.figures["orders.completed"]).toBeGreaterThan(
    (usual.figures["orders.completed"] ?? 0) - refused - 5,
  )
})

describe("what is out for longer than orders have to end is back a day after the horizon", () => {
  const LONG = "from: 2026-03-02T11:00, to: 2026-03-09T11:00"
  const TACOS = "[{ as: tacos, preparation: 8m }]"
  test.each<[what: string, parts: Parts]>([
    ["a kitchen", { stores: TACOS, out: `{ kitchen of tacos: true, ${LONG} }` }],
    ["a kitchen by chance", { stores: TACOS, out: "{ kitchen of tacos: true, every: 1h, lasts: 6d }" }],
    ["a vehicle by chance", { out: "{ vehicles: 3, every: 1h, lasts: 6d }" }],
    ["a vehicle that broke down", { out: "", more: "vehicle: { breakdown: { every: 30m, repair: 6d } }" }],
  ])("%s", (_, parts) => {
    const { virtualMs } = replicate(modelOf(parts), { seed: 1 })
    expect(virtualMs).toBeLessThan(DAY_MS + 5 * HOUR_MS)
  })
})

describe("the times of what is out", () => {
  const run = { startMs: Date.UTC(2026, 2, 2, 16), horizonMs: 2.5 * DAY_MS, timeZone: "America/Chicago" }
  const hours = (from: object, to: object): readonly (readonly number[])[] =>
    outSpans({ from, to } as Parameters<typeof outSpans>[0], run).map(({ fromMs, untilMs }) =>
      [fromMs, untilMs].map((ms) => (ms - run.startMs) / HOUR_MS),
    )

  test("are of every day, and of a day alone where it is named", () => {
    expect(hours({ msOfDay: 12 * HOUR_MS }, { msOfDay: 14 * HOUR_MS })).toEqual([
      [2, 4],
      [26, 28],
      [50, 52],
    ])
    const wallMs = Date.UTC(2026, 2, 3, 12)
    expect(hours({ wallMs }, { wallMs: wallMs + HOUR_MS })).toEqual([[26, 27]])
  })

  test("go over midnight, and may have begun before the run", () => {
    expect(hours({ msOfDay: 22 * HOUR_MS }, { msOfDay: 11 * HOUR_MS })).toEqual([
      [0, 1],
      [12, 25],
      [36, 49],
    ])
  })
})

test("a model in which something is out is not steady, its report names it, and its answer says what fails", () => {
  const more = 'promises: { deliveries.wait_p90: "< 20m", reservations.wait_p90: "< 90m" }'
  const out =
    "{ from: 11:00, to: 13:00, vehicles at curb: 3 }, { every: { exponential: { mean: 8h } }, lasts: 30m, crew: 1, runners: 2 }"
  const model = modelOf({ out, more, demand: DEMAND.replace("per_hour: 12", "per_hour: 12, ready_in: 10m") })
  expect([isSteady(modelOf({ out: "" })), isSteady(model)]).toEqual([true, false])
  expect(new Map(inputRows(model, [])).get("Out")).toBe(
    "3 vehicles at curb from 11:00 to 13:00; 2 runners, each after 8h on average (exponential), for 30m, 1 repair at a time",
  )
  const made = [1, 2, 3].map((seed) => replicate(model, { seed }))
  const { reasons } = answerOf(fleetResult(model, [caseResult(model, [], made)]))
  expect(
    reasons.filter((line) => line.startsWith("With 3 vehicles at curb out from 11:00 to 13:00")),
  ).toHaveLength(1)
})

describe("a model that says what is out", () => {
  const problemsOf = (out: string): readonly string[] =>
    readFleet({ file: "model.yaml", text: textOf({ out }), beside: () => null }).problems.map(
      ({ message }) => message,
    )

  test.each([
    ["{ from: 11:00, to: 12:00 }", "nothing is out"],
    ["{ from: 11:00, runners: 1 }", "it is not clear when it is out"],
    ["{ from: 11:00, to: 12:00, crew: 2, runners: 1 }", "it is not clear when it is out"],
    ["{ from: 11:00, to: 12:00, runners: 9 }", "9 runners where there are 3"],
    ["{ from: 11:00, to: 12:00, kitchen of stoor: true }", 'there is no store "stoor"'],
    ["{ from: 11:00, to: 12:00, vehicles at crub: 1 }", 'there is no site "crub"'],
    ["{ every: 0s, lasts: 0s, runners: 1 }", "it breaks down without a pause"],
    ["{ from: 15:00, to: 16:00, runners: 1 }", "the time is outside of the run, or ends before it begins"],
    ['{ from: 11:00, to: "2026-03-02T12:00", runners: 1 }', "from and to are not of one kind"],
  ])("%s: %s", (out, message) => {
    expect(problemsOf(out)).toEqual([message])
  })
})

test("what may be out by chance and never is changes nothing, whatever else is drawn", () => {
  const seldom = "{ every: 30d, lasts: 1h, crew: 1, vehicles: 3, runners: 2, stalls: 1, service: true }"
  const [usual, other] = ["", seldom].map((out) => replicate(modelOf({ out }), { seed: 1 }).digest)
  expect(other).toBe(usual)
})

test("a sweep says what the model does without what is out", () => {
  const more = 'sweep: { out: [none, all] }\npromises: { orders.declined_share: "< 40%" }'
  const model = modelOf({ out: "{ from: 10:30, to: 13:00, service: true }", more })
  const cases = casesOf(model).map((settings) =>
    caseResult(
      model,
      settings,
      [1, 2, 3].map((seed) => replicate(inCase(model, settings), { seed })),
    ),
  )
  const { headline } = answerOf(fleetResult(model, cases))
  expect(headline).toBe("Nothing out keeps the promise; everything out does not.")
})

/* Closed forms. */

/** By how many half-widths of the interval a figure misses the known one; NaN for an interval that is too wide. */
function missOf(estimate: Estimate, known: number): number {
  const half = halfWidthOf(estimate)
  if (estimate.value === null || half === null || half > known / 4) return Number.NaN
  return Math.abs(estimate.value - known) / half
}

describe("repairs are those of queueing theory", () => {
  // Of six vehicles each drives for an hour and is repaired in twenty minutes, on average.
  test.each([1, 2])("six vehicles and a crew of %i: M/M/c//N", (crew) => {
    const model = modelOf({
      out: `{ every: { exponential: { mean: 1h } }, lasts: { exponential: { mean: 20m } }, vehicles: 6, crew: ${crew} }`,
      demand: "[{ product: delivery, site: curb, per_hour: 0.05 }]",
      vehicles: 6,
      horizon: "7d",
      more: "warm_up: 1d",
    })
    const known = machineRepair({ units: 6, crew, ratio: 1 / 3 })
    const runs = Array.from({ length: 10 }, (_, at) => recorded(model, at + 301))
    const out = runs.map(({ course }) => {
      const brokenMs = actorsOf(course, "vehicle").reduce((sum, actor) => {
        const changes = course.changesOf(actor)
        return changes.reduce((part, { atMs, state }, at) => {
          const untilMs = Math.min(7 * DAY_MS, changes[at + 1]?.atMs ?? 7 * DAY_MS)
          return state === "broken down" ? part + Math.max(0, untilMs - Math.max(DAY_MS, atMs)) : part
        }, sum)
      }, 0)
      return brokenMs / (6 * DAY_MS)
    })
    expect(missOf(meanOf(out), known.out)).toBeLessThanOrEqual(1)
    // Little: the mean wait is the mean number that waits over the rate at which things break.
    const perMs = (6 - known.out) / HOUR_MS
    const waits = new Estimates(runs.map(({ made }) => made)).of("repairs.wait_mean")
    expect(missOf(waits, known.waiting / perMs)).toBeLessThanOrEqual(1)
  })
})

test("a service that is out for a fifth of the time, by chance, refuses a fifth of the requests", () => {
  const model = modelOf({
    out: "{ every: { exponential: { mean: 2h } }, lasts: { exponential: { mean: 30m } }, service: true }",
    demand: "[{ product: reservation, site: curb, per_hour: 2 }]",
    vehicles: 0,
    horizon: "10d",
    more: "warm_up: 1d",
  })
  const made = Array.from({ length: 10 }, (_, at) => replicate(model, { seed: at + 401 }))
  expect(missOf(new Estimates(made).of("orders.declined_share"), 0.2)).toBeLessThanOrEqual(1)
})
