/** Two orders on one trip: they leave the store together, and the contract's statuses stay in order. */

import { describe, expect, test } from "vitest"
import { deliveryStatus } from "../../../src/areas/direct-delivery/record.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { replicate, runToItsEnd } from "../../../src/simulation/fleet/world/replication.ts"
import { kindOf } from "../../../src/model/address.ts"
import { DELIVERY_STATUSES } from "../../../src/model/delivery.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { actorsOf, changesOfAll, courseFrom, metresApart, recorded } from "./recorded.ts"
import { CLOCK, fleetModel } from "./models.ts"

const TWO = { "two.csv": "2026-03-02T10:05:00-06:00\n2026-03-02T10:06:00-06:00\n" }

/** One vehicle and two orders; the second is ready a minute after the first. */
function twoOrders(batching: string, { items = "", policy = "" } = {}): FleetModel {
  return fleetModel(
    `
fleet: Two orders
because: One vehicle may take both.
clock: ${CLOCK}
horizon: 2h
sites: [{ as: store, at: [30.4, -97.7], reach_km: 3, vehicles: 1, stores: [{ as: kitchen, preparation: 10m, starts_before: 10m }] }]
vehicle: { load: 20s, drop_off: 1m, returns: false${batching} }
demand: [{ product: delivery, site: store, replay: two.csv, ready_in: 10m${items} }]
${policy}
`,
    TWO,
  )
}

interface Course {
  /** States of the vehicle, without repeated ones. */
  readonly states: readonly string[]
  /** Statuses of each delivery with their instants after the start, in the order of creation. */
  readonly deliveries: readonly (readonly (readonly [status: string, atMs: number])[])[]
}

function courseOf(model: FleetModel, seed = 2): Course {
  const world = new FleetWorld(model, { seed, hasCourse: true })
  const byAddress = new Map<string, [string, number][]>()
  world.service.host.onTurn(({ outcome, group, emissions, instantMs }) => {
    const { address } = group
    if (outcome.type === "refused" || kindOf(address) !== "delivery") return
    const course = byAddress.get(address) ?? []
    byAddress.set(address, course)
    for (const { actors } of [...emissions, group]) {
      const status = deliveryStatus(actors, address)
      if (course.at(-1)?.[0] !== status) course.push([status, instantMs - world.startMs])
    }
  })
  const made = runToItsEnd(world, { seed, onProgress: undefined })
  const states = changesOfAll(courseFrom(made), "vehicle").map(({ state }) => state)
  return {
    states: states.filter((state, at) => state !== states[at - 1]),
    deliveries: [...byAddress.values()],
  }
}

function instantOf(course: Course, delivery: number, status: string): number {
  return course.deliveries[delivery]?.find(([one]) => one === status)?.[1] ?? Number.NaN
}

const TRIP = ["to the store", "at the store", "loading", "to the customer", "at the customer"]

describe("one vehicle and two orders of near doors", () => {
  test("without batching it comes back for the second", () => {
    expect(courseOf(twoOrders("")).states).toEqual(["idle", ...TRIP, ...TRIP, "idle"])
  })

  test("it waits for the second order, and drives from door to door", () => {
    const course = courseOf(twoOrders(", batching: { within_km: 9, waits: 2m }"))
    expect(course.states).toEqual([
      "idle",
      "to the store",
      "at the store",
      "loading",
      "waits for a second order",
      "to the customer",
      "at the customer",
      "to the customer",
      "at the customer",
      "idle",
    ])
    for (const delivery of course.deliveries) {
      const order = DELIVERY_STATUSES.filter((status) => status !== "CANCELLED")
      expect(delivery.map(([status]) => status)).toEqual(order)
    }
    const [loaded, left] = [instantOf(course, 1, "LOADED"), instantOf(course, 1, "EN_ROUTE_TO_CUSTOMER")]
    // It is ready 11 minutes after the request of the first, whose door comes first.
    expect(Math.round(loaded / MINUTE_MS)).toBe(16)
    expect(left).toBeLessThan(instantOf(course, 0, "ARRIVED_AT_CUSTOMER"))
    expect(instantOf(course, 1, "ARRIVED_AT_CUSTOMER")).toBeGreaterThan(instantOf(course, 0, "COMPLETED"))
  })

  test("it leaves without an order that is not ready in time, or whose door is too far away", () => {
    const alone = courseOf(twoOrders(""))
    const late = courseOf(twoOrders(", batching: { within_km: 9, waits: 10s }"))
    expect(late.states.filter((state) => state === "to the store")).toHaveLength(2)
    expect(late.states).toContain("waits for a second order")
    expect(courseOf(twoOrders(", batching: { within_km: 0, waits: 5m }"))).toEqual(alone)
  })
})

test.each([
  [3, 1],
  [4, 2],
])("a vehicle for %i items takes %i orders of two items on a trip", (capacity, together) => {
  const text = twoOrders(`, batching: { within_km: 9, waits: 2m, capacity: ${capacity} }`, {
    items: ", items: 2",
  })
  const made = replicate(text, { seed: 2 })
  expect(1 + (made.counts["vehicles.batched"] ?? 0)).toBe(together)
  expect(made.figures["deliveries.completed"]).toBe(2)
})

/** Seeds of doors that are near each other, and far. */
const NEAR_SEED = 3
const FAR_SEED = 2

describe("by the site's policy batching", () => {
  const by = (word: string) => ({ policy: `policy: { vehicle_dispatch: ${word} }` })

  test("a vehicle waits for the second order of its trip, as the service promised", () => {
    const course = courseOf(twoOrders("", by("batching")), NEAR_SEED)
    expect(course.states.filter((state) => state === "to the store")).toHaveLength(1)
    expect(course.states).toContain("waits for a second order")
    for (const delivery of course.deliveries) {
      const order = DELIVERY_STATUSES.filter((status) => status !== "CANCELLED")
      expect(delivery.map(([status]) => status)).toEqual(order)
    }
    expect(instantOf(course, 1, "EN_ROUTE_TO_CUSTOMER")).toBeLessThan(
      instantOf(course, 0, "ARRIVED_AT_CUSTOMER"),
    )
  })

  test("far doors are brought one after the other, as by earliest_free", () => {
    const statesBy = (word: string) => courseOf(twoOrders("", by(word)), FAR_SEED).states
    expect(statesBy("batching")).toEqual(statesBy("earliest_free"))
  })
})

describe("a busy site", () => {
  const busy = (batching: string): FleetModel =>
    fleetModel(`
fleet: Few vehicles
because: Do two orders on one trip help?
clock: ${CLOCK}
horizon: 4h
sites: [{ as: store, at: [30.4, -97.7], reach_km: 3, stalls: 2, vehicles: 4 }]
vehicle:
  drop_off: 1m
  breakdown: { every: { exponential: { mean: 1h } }, repair: 5m }
  charging: { after_km: 20, takes: 5m }
${batching}
demand: [{ product: delivery, site: store, per_hour: 14, ready_in: 8m, cancel: 15%, cancel_after: { uniform: [1m, 25m] } }]
`)
  const batched = busy("  batching: { within_km: 2.5, waits: 3m }")

  test("ends every order once, in the contract's order of statuses, and repeats exactly", () => {
    const made = replicate(batched, { seed: 4 })
    const of = (count: string): number => made.figures[`deliveries.${count}`] ?? 0
    expect(made.counts["vehicles.batched"]).toBeGreaterThan(3)
    expect(of("completed")).toBeGreaterThan(10)
    expect(of("declined") + of("completed") + of("canceled")).toBe(of("asked"))
    expect(replicate(batched, { seed: 4 })).toEqual(made)
    for (const delivery of courseOf(batched, 4).deliveries) {
      const ranks = delivery.map(([status]) => DELIVERY_STATUSES.indexOf(status as never))
      expect(ranks).toEqual(ranks.toSorted((one, other) => one - other))
    }
  })

  test("meets the same demand with and without batching, and declines less with it", () => {
    const seeds = [1, 2, 3, 4, 5]
    const sum = (model: FleetModel, name: string): number =>
      seeds.reduce((total, seed) => total + (replicate(model, { seed }).figures[name] ?? 0), 0)
    const alone = busy("")
    expect(sum(batched, "deliveries.asked")).toBe(sum(alone, "deliveries.asked"))
    expect(sum(batched, "deliveries.declined")).toBeLessThan(sum(alone, "deliveries.declined"))
  })
})

test("the two doors of a trip are as near as the model says", () => {
  const near = 1.2
  const model = fleetModel(`
fleet: Near doors
because: Only near doors share a trip.
clock: ${CLOCK}
horizon: 4h
sites: [{ as: store, at: [30.4, -97.7], reach_km: 3, vehicles: 3 }]
vehicle: { batching: { within_km: ${near}, waits: 10m } }
demand: [{ product: delivery, site: store, per_hour: 12, ready_in: 5m }]
`)
  const { made, course } = recorded(model, 2)
  let shared = 0
  for (const vehicle of actorsOf(course, "vehicle")) {
    const stops = course
      .changesOf(vehicle)
      .filter(({ state }) => state === "at the customer" || state === "loading")
    for (const [at, { state, atMs }] of stops.entries()) {
      const before = stops[at - 1]
      if (state !== "at the customer" || before?.state !== state) continue
      shared += 1
      const [one, other] = [before.atMs, atMs].map((ms) => course.placeAt(vehicle, ms))
      expect(metresApart(one ?? null, other ?? null)).toBeLessThanOrEqual(near * 1000)
    }
  }
  expect(shared).toBe(made.counts["vehicles.batched"])
  expect(shared).toBeGreaterThan(0)
})
