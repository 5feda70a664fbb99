/** Streets that are out for a time: vehicles drive another way, finish the way that they are on, and wait where there is none. */

import { describe, expect, test } from "vitest"
import type { Course } from "../../../src/model/replay/course-reader.ts"
import { HOUR_MS } from "../../../src/model/values/time.ts"
import { readFleet } from "../../../src/simulation/fleet/language/read.ts"
import type { FleetReading } from "../../../src/simulation/fleet/language/read.ts"
import { inputRows } from "../../../src/simulation/fleet/report/input-summary.ts"
import { answerOf } from "../../../src/simulation/fleet/results/answer.ts"
import { outReasons } from "../../../src/simulation/fleet/results/out-words.ts"
import { fleetResult } from "../../../src/simulation/fleet/results/fleet-result.ts"
import { caseResult } from "../../../src/simulation/fleet/results/summary.ts"
import { routingOf } from "../../../src/simulation/fleet/travel/routing.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { CLOCK } from "./models.ts"
import { actorsOf, drivesOf, recorded } from "./recorded.ts"

type Corner = readonly [longitude: number, latitude: number]

const STORE: Corner = [-97.7, 30.4]
const END: Corner = [-97.67, 30.4]
const [NORTH, NORTH_END] = [
  [-97.7, 30.41],
  [-97.67, 30.41],
] as const

/** A road from the store to its end, and a longer way around it. */
const TOWN = JSON.stringify({
  type: "FeatureCollection",
  attribution: "invented",
  features: [
    line("way/11", "Main Road", STORE, END),
    line("way/12", "West Lane", STORE, NORTH),
    line("way/13", "High Road", NORTH, NORTH_END),
    line("way/14", "East Lane", NORTH_END, END),
  ],
})

function line(id: string, name: string, ...coordinates: readonly Corner[]): object {
  return { type: "Feature", id, properties: { name }, geometry: { type: "LineString", coordinates } }
}

function doorAt(coordinates: Corner): string {
  const door = { type: "Feature", properties: {}, geometry: { type: "Point", coordinates } }
  return JSON.stringify({ type: "FeatureCollection", features: [door] })
}

interface Parts {
  readonly door?: Corner
  readonly travel?: string
}

function reading(
  out: string,
  { door = END, travel = "{ streets: town.geojson }" }: Parts = {},
): FleetReading {
  const text = `
fleet: A road
because: What does its closure cost?
clock: ${CLOCK}
horizon: 3h
sites: [{ as: store, at: [30.4, -97.7], reach_km: 4, vehicles: 4 }]
travel: ${travel}
doors: { points: door.geojson }
demand: [{ product: delivery, site: store, ready_in: 5m, per_hour: 8 }]
promises: { deliveries.wait_p90: "< 30m" }
${out === "" ? "" : `out: [${out}]`}
`
  const beside: Readonly<Record<string, string>> = { "town.geojson": TOWN, "door.geojson": doorAt(door) }
  return readFleet({ file: "model.yaml", text, beside: (name) => beside[name] ?? null })
}

function modelOf(out: string, parts?: Parts): NonNullable<FleetReading["model"]> {
  const { model, problems } = reading(out, parts)
  expect(problems).toEqual([])
  if (model === null) throw new Error("a model without problems is read")
  return model
}

/** When drives began that used the High Road, and those that did not, of drives to the other end. */
function begins(course: Course): { readonly around: readonly number[]; readonly direct: readonly number[] } {
  const far = drivesOf(course).filter((legs) => legs.some(({ from, to }) => Math.abs(from[1] - to[1]) > 0.02))
  const isAround = (legs: (typeof far)[number]): boolean => legs.some(({ to }) => to[0] > 30.405)
  const when = (all: typeof far): readonly number[] => all.map(([first]) => first?.fromMs ?? 0)
  return { around: when(far.filter(isAround)), direct: when(far.filter((legs) => !isAround(legs))) }
}

const WHEN = "from: 11:00, to: 12:00"

test.each([
  ["its name", "Main Road"],
  ["the number of its way", "11"],
  ["a box", "[[30.399, -97.69], [30.401, -97.68]]"],
  ["an area", "[[30.399, -97.69], [30.401, -97.69], [30.4, -97.68]]"],
])("a street named by %s is driven around while it is out, and used before and afterwards", (_, street) => {
  const { course, made } = recorded(modelOf(`{ street: ${street}, ${WHEN} }`), 3)
  const { around, direct } = begins(course)
  expect(around.length).toBeGreaterThan(3)
  expect(around.every((atMs) => atMs >= HOUR_MS && atMs < 2 * HOUR_MS)).toBe(true)
  expect(direct.some((atMs) => atMs < HOUR_MS)).toBe(true)
  expect(direct.some((atMs) => atMs >= 2 * HOUR_MS)).toBe(true)
  expect(direct.every((atMs) => atMs < HOUR_MS || atMs >= 2 * HOUR_MS)).toBe(true)
  expect(made.counts["vehicles.without_a_way"]).toBeUndefined()
})

test("a vehicle without another way waits until the street is back, and the answer says so", () => {
  const model = modelOf(`{ street: Main Road, ${WHEN} }, { street: East Lane, ${WHEN} }`)
  const { course, made } = recorded(model, 3)
  const waits = actorsOf(course, "vehicle")
    .flatMap((actor) => course.changesOf(actor))
    .filter(({ state }) => state === "waits for a street")
  expect(waits.length).toBeGreaterThan(0)
  expect(waits.every(({ atMs }) => atMs >= HOUR_MS && atMs < 2 * HOUR_MS)).toBe(true)
  const count = made.counts["vehicles.without_a_way"] ?? 0
  expect(count).toBeGreaterThan(1)
  // A vehicle that waits and gets another run meanwhile goes on waiting.
  expect(count).toBeLessThanOrEqual(waits.length)
  const { around, direct } = begins(course)
  expect(around).toEqual([])
  expect(direct.filter((atMs) => atMs === 2 * HOUR_MS).length).toBeGreaterThan(0)
  const { reasons } = answerOf(fleetResult(model, [caseResult(model, [], [made])]))
  expect(reasons).toContain(`${count} drives of a run waited, because each street that leads there was out.`)
  expect(new Map(inputRows(model, [])).get("Out")).toBe(
    "Main Road from 11:00 to 12:00; East Lane from 11:00 to 12:00",
  )
})

test("the answer says what a closure does to a promise", () => {
  const model = modelOf(`{ street: Main Road, ${WHEN} }`)
  const made = [1, 2, 3].map((seed) => replicate(model, { seed }))
  expect(outReasons(model, caseResult(model, [], made))).toEqual([
    expect.stringMatching(/^With Main Road out from 11:00 to 12:00 /),
  ])
})

test("streets that are out for longer than orders have to end are back a day after the horizon", () => {
  const long = "from: 2026-03-02T11:00, to: 2026-03-09T11:00"
  const model = modelOf(`{ street: Main Road, ${long} }, { street: East Lane, ${long} }`)
  const { course } = recorded(model, 3)
  const { direct } = begins(course)
  expect(direct.some((atMs) => atMs === 27 * HOUR_MS)).toBe(true)
  expect(direct.every((atMs) => atMs < HOUR_MS || atMs >= 27 * HOUR_MS)).toBe(true)
})

test("streets of two closures are back when both are over", () => {
  const routing = routingOf(modelOf("").travel, modelOf("").vehicle)
  const [from, to] = [STORE, END].map(([longitude, latitude]) => ({ latitude, longitude }))
  if (from === undefined || to === undefined) throw new Error("there are two places")
  const direct = routing.route(from, to, 0)
  const main = { is: "name", name: "Main Road" } as const
  const [back, backAgain] = [routing.takeOut(main), routing.takeOut({ is: "way", id: "way/11" })]
  back()
  expect(routing.route(from, to, 0)).not.toEqual(direct)
  const all = routing.takeOut({ is: "name", name: "West Lane" })
  expect(routing.leads(from, to, 0)).toBe(false)
  all()
  backAgain()
  expect(routing.route(from, to, 0)).toEqual(direct)
})

describe("a model that says which street is out", () => {
  test.each([
    [`{ street: Mian Road, ${WHEN} }`, {}, 'town.geojson has no street that is "Mian Road"'],
    [`{ street: 99, ${WHEN} }`, {}, "town.geojson has no street that is way 99"],
    [
      `{ street: [[30, -97], [30.1, -97.1]], ${WHEN} }`,
      {},
      "town.geojson has no street that is the streets of an area",
    ],
    [`{ street: [[30, -97]], ${WHEN} }`, {}, "1 corners of a box or an area"],
    [`{ street: {}, ${WHEN} }`, {}, "no street is named"],
    [`{ street: Main Road, ${WHEN} }`, { travel: "straight" }, "vehicles of this model use no streets"],
  ])("%s", (out, parts, message) => {
    const [problem] = reading(out, parts).problems
    expect(problem?.message).toContain(message)
    expect(problem?.place.line).toBe(11)
  })

  test("gets the name that was probably meant", () => {
    expect(reading(`{ street: Mian Road, ${WHEN} }`).problems[0]?.suggestion).toBe("Main Road")
  })
})
