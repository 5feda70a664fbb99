/** Breaks of runners, and which of the waiting reservations gets a runner first. */

import { describe, expect, test } from "vitest"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { inputRows } from "../../../src/simulation/fleet/report/input-summary.ts"
import { fullFirst } from "../../../src/simulation/fleet/results/full-first.ts"
import { caseResult } from "../../../src/simulation/fleet/results/summary.ts"
import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { Kitchens } from "../../../src/simulation/fleet/world/kitchens.ts"
import { startDemand } from "../../../src/simulation/fleet/world/orders.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import { Visits } from "../../../src/simulation/fleet/world/visits.ts"
import { Course } from "../../../src/model/replay/course-reader.ts"
import type { CourseChunk } from "../../../src/model/replay/course.ts"
import { HOUR_MS } from "../../../src/model/values/time.ts"
import { changesOfAll } from "./recorded.ts"
import { CLOCK, fleetModel } from "./models.ts"

interface Described {
  readonly shift: string
  /** Instants of requests, in Chicago; a task begins at once and takes an hour. None unless said. */
  readonly orders?: readonly string[]
  readonly clock?: string
  readonly horizon?: string
}

/** One site whose tasks take an hour at the counter. */
function modelOf({ shift, orders = [], clock = CLOCK, horizon = "5h" }: Described): FleetModel {
  const model = fleetModel(
    `
fleet: Breaks
because: Runners rest.
clock: ${clock}
horizon: ${horizon}
sites: [{ as: curb, at: [30.4, -97.7], stalls: 9, runners: [${shift}], stores: [{ as: store, starts_before: 1d }] }]
runner: { walk: 0s, load: 0s, pick_up: 1h }
bot: { punctuality: -1d, patience: 1d, settle: 0s, leave: 0s }
policy: { send_ahead: 1d }
demand: [{ product: reservation, site: curb, replay: orders.csv, ahead: 3h, width: 120m }]
`,
    {
      "orders.csv": [clock.slice(11, 16), ...orders].map((time) => `2026-03-02T${time}:00-06:00\n`).join(""),
    },
  )
  // A file has one order at least, in the run; the one at its beginning is not meant.
  const [[, [, ...instants]] = [0, []]] = [...model.replayed]
  return { ...model, replayed: new Map([[0, instants]]) }
}

/** The states of each runner: `11:00 on break`. */
function daysOf(described: Described): Readonly<Record<string, readonly string[]>> {
  const world = new FleetWorld(modelOf(described), { seed: 1, hasCourse: true })
  startDemand(world, { reservation: new Visits(world, new Kitchens(world)) })
  world.service.host.time.run(world.horizonEndMs)
  const days: Record<string, string[]> = {}
  const course = new Course()
  course.append(world.course?.take() as CourseChunk)
  for (const { actor, atMs, state } of changesOfAll(course, "runner")) {
    // Who has not begun is off duty.
    if (atMs === 0 && state === "off duty") continue
    const who = course.actors[actor]?.name ?? ""
    const time = new Date(world.startMs + atMs - 6 * HOUR_MS).toISOString().slice(11, 16)
    days[who] = [...(days[who] ?? []), `${time} ${state}`]
  }
  return days
}

describe("a shift that ends at midnight", () => {
  const evening = { clock: "2026-03-02T20:00 America/Chicago", horizon: "12h" }
  const over = "{ count: 1, from: 22:00, to: 24:00 }, { count: 1, from: 00:00, to: 06:00 }"

  test("goes on in a second one, and someone is on duty all night", () => {
    expect(daysOf({ shift: over, ...evening })).toEqual({
      "curb/runner-22:00.1": ["22:00 idle", "00:00 off duty"],
      "curb/runner-1": ["00:00 idle", "06:00 off duty"],
    })
    const night = modelOf({ shift: over, ...evening })
    expect(replicate(night, { seed: 1 }).figures["runners.hours"]).toBeCloseTo(8, 5)
    expect(new Map(inputRows(night, [])).get("Site curb")).toContain("1 runner from 22:00 to 24:00")
  })

  test("may have breaks until then, and a store is open until then", () => {
    const shift = "{ count: 1, from: 22:00, to: 24:00, breaks: [{ from: 23:00, to: 24:00, lasts: 1h }] }"
    expect(daysOf({ shift, ...evening, horizon: "5h" })).toEqual({
      "curb/runner-22:00.1": ["22:00 idle", "23:00 on break", "00:00 off duty"],
    })
    const { sites } = modelOf({ shift, ...evening })
    expect(sites[0]?.runners[0]).toMatchObject({ to: 24 * HOUR_MS, breaks: [{ to: 24 * HOUR_MS }] })
    const open = fleetModel(`
fleet: Late
because: Until midnight.
clock: ${CLOCK}
horizon: 5h
sites: [{ as: curb, at: [30.4, -97.7], vehicles: 1, stores: [{ as: store, hours: "Mon-Sun 08:00-24:00" }] }]
demand: [{ product: courier, site: curb, per_hour: 1 }]
`)
    expect(open.sites[0]?.stores[0]?.hours[0]).toMatchObject({ closesAtMinute: 1440 })
  })
})

describe("breaks", () => {
  test("the runners of a shift go one after another, spread over the time for it", () => {
    const shift = "{ count: 3, from: 10:00, to: 14:00, breaks: [{ from: 11:00, to: 12:30, lasts: 30m }] }"
    expect(daysOf({ shift })).toEqual({
      "curb/runner-10:00.1": ["10:00 idle", "11:00 on break", "11:30 idle", "14:00 off duty"],
      "curb/runner-10:00.2": ["10:00 idle", "11:30 on break", "12:00 idle", "14:00 off duty"],
      "curb/runner-10:00.3": ["10:00 idle", "12:00 on break", "12:30 idle", "14:00 off duty"],
    })
  })

  test("one runner goes at the beginning of the time, and takes every break", () => {
    const shift =
      "{ count: 1, breaks: [{ from: 11:00, to: 12:00, lasts: 10m }, { from: 13:00, to: 14:00, lasts: 20m }] }"
    expect(daysOf({ shift })).toEqual({
      "curb/runner-1": ["10:00 idle", "11:00 on break", "11:10 idle", "13:00 on break", "13:20 idle"],
    })
  })

  test("a runner with a task finishes it, then takes the whole break, and the next task waits", () => {
    const shift = "{ count: 1, breaks: [{ from: 11:00, to: 12:00, lasts: 30m }] }"
    const [day = []] = Object.values(daysOf({ shift, orders: ["10:30", "10:31"] }))
    const stays = day.filter((line) => /break|counter/.test(line))
    expect(stays).toEqual(["10:30 at counter", "11:30 on break", "12:00 at counter"])
  })

  test("who ends the shift during a break does not come back, and has no break left for the next day", () => {
    const shift = "{ count: 1, from: 10:00, to: 11:10, breaks: [{ from: 10:20, to: 11:10, lasts: 50m }] }"
    const [day = []] = Object.values(daysOf({ shift, orders: ["10:01"], horizon: "30h" }))
    // The task ends after the shift.
    expect(day.filter((line) => /off duty|break/.test(line)).slice(0, 2)).toEqual([
      "11:01 on break",
      "11:51 off duty",
    ])
  })

  test("a run that begins in the middle of a break begins with the rest of it", () => {
    const shift = "{ count: 1, breaks: [{ from: 09:50, to: 11:00, lasts: 30m }] }"
    expect(daysOf({ shift })).toEqual({ "curb/runner-1": ["10:00 on break", "10:20 idle"] })
  })

  test("the time of a break is not time on duty", () => {
    const hours = (breaks: string) =>
      replicate(modelOf({ shift: `{ count: 2, from: 10:00, to: 14:00${breaks} }`, orders: ["10:05"] }), {
        seed: 1,
      }).figures["runners.hours"]
    expect(hours("")).toBeCloseTo(8, 6)
    expect(hours(", breaks: [{ from: 12:00, to: 13:00, lasts: 15m }]")).toBeCloseTo(7.5, 6)
  })

  test("the report's inputs tell the breaks", () => {
    const shift = "{ count: 2, breaks: [{ from: 11:00, to: 12:00, lasts: 10m }] }"
    const [, site] = inputRows(modelOf({ shift }), [])
    expect(site).toEqual(["Site curb", "2 runners (breaks of 10m between 11:00 and 12:00), 9 stalls"])
  })
})

test("runners who all went home while orders wait are full, and no share of a short rest of their shift", () => {
  const model = modelOf({
    shift: "{ count: 1, to: 12:00 }",
    // The first takes until 12:10, and the second is never begun.
    orders: ["11:10", "11:30"],
  })
  const made = replicate(model, { seed: 1 })
  const used = made.series["runners.utilisation"] ?? []
  expect(made.series["runners.queue"]?.slice(9, 12)).toEqual([1, 1, 1])
  expect(used.slice(8, 12)).toEqual([1, 1, 1, 1])
  const [full] = fullFirst(model, caseResult(model, [], [made]))
  expect(full).toMatchObject({ resource: "runners", at: "11:15" })
  // No runner is on duty and no task waits.
  const idle = replicate(modelOf({ shift: "{ count: 1, to: 12:00 }" }), { seed: 1 })
  expect(idle.series["runners.utilisation"]?.slice(8, 12)).toEqual([0, 0, 0, 0])
})

test("a task that a runner takes at once has not been in the queue", () => {
  const model = modelOf({ shift: "{ count: 2 }", orders: ["11:00", "11:30"] })
  expect(replicate(model, { seed: 1 }).figures["runners.queue_max"]).toBe(0)
  const waits = modelOf({ shift: "{ count: 2 }", orders: ["11:00", "11:20", "11:30"] })
  expect(replicate(waits, { seed: 1 }).figures["runners.queue_max"]).toBe(1)
})

test("reservations of a higher priority get a runner first, whatever the policy", () => {
  const model = fleetModel(
    `
fleet: Priority
because: Some orders matter more.
clock: ${CLOCK}
horizon: 5h
sites:
  - { as: curb, at: [30.4, -97.7], stalls: 9, runners: 1, stores: [{ as: plain }, { as: express }] }
runner: { walk: 0s, load: 0s, pick_up: 20m }
bot: { punctuality: -1d, patience: 1d, settle: 0s, leave: 0s }
policy: { send_ahead: 1d, dispatch: first_booked }
demand:
  - { product: reservation, site: curb, store: plain, replay: plain.csv, ahead: 1h, width: 120m }
  - { product: reservation, site: curb, store: express, replay: express.csv, ahead: 1h, width: 120m, priority: 1 }
`,
    {
      "plain.csv": ["10:00", "10:01", "10:02"].map((time) => `2026-03-02T${time}:00-06:00\n`).join(""),
      "express.csv": "2026-03-02T10:05:00-06:00\n",
    },
  )
  const world = new FleetWorld(model, { seed: 1 })
  const stores = new Map<string, unknown>()
  const served: unknown[] = []
  world.service.host.onTurn(({ group }, { start, event }) => {
    if (start !== undefined && "retailerId" in start.input)
      stores.set(group.address, start.input["retailerId"])
    if (event?.type === "runner.assigned") served.push(stores.get(group.address))
  })
  startDemand(world, { reservation: new Visits(world, new Kitchens(world)) })
  world.service.host.time.run(world.horizonEndMs)
  expect(served).toEqual(["retailer_0_0", "retailer_0_1", "retailer_0_0", "retailer_0_0"])
})
