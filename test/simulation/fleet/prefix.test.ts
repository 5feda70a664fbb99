/**
 * The prefix law: the past stays the same when only the future changes. Two models that are the same up to an instant have the same
 * turns, the same journals and the same course up to it.
 */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Course } from "../../../src/model/replay/course-reader.ts"
import type { CourseChunk } from "../../../src/model/replay/course.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { startFleet } from "../../../src/simulation/fleet/world/replication.ts"
import { CLOCK, fleetModel } from "./models.ts"
import { actorsOf, recorded } from "./recorded.ts"

/** Lists of the model's text, so that a change can insert into each of them. */
interface Parts {
  readonly horizon: string
  readonly rate: string
  readonly shifts: readonly string[]
  readonly preparation: string
  readonly speed: string
  readonly demand: readonly string[]
  /** Local times of the replayed demand. */
  readonly asked: readonly string[]
  readonly changes?: string
  readonly out?: string
}

const PARTS: Parts = {
  horizon: "3h",
  rate: '"00:00": 14, "11:00": 20, "11:40": 9, "12:00": 16',
  shifts: ["{ count: 1, to: 17:00 }", "{ count: 1, from: 08:00, to: 16:00 }", "{ count: 1, from: 10:30 }"],
  preparation: '"00:00": { lognormal: { mean: 6m, sd: 3m } }',
  speed: '"00:00": 25',
  demand: [
    "{ as: couriers, product: courier, site: curb, per_hour: 3, errand: { gives_up: 10%, declined_cards: 20% } }",
    "{ as: asked, product: delivery, site: curb, replay: asked.csv }",
    "{ as: often, product: reservation, site: curb, store: noodles, every: { uniform: [5m, 15m] } }",
  ],
  asked: ["10:05", "10:20", "10:21", "11:15", "11:40", "12:10", "12:50"],
}

function modelOf({
  horizon,
  rate,
  shifts,
  preparation,
  speed,
  demand,
  asked,
  changes,
  out,
}: Parts): FleetModel {
  const walked = "{ product: reservation, site: curb, ahead: { uniform: [10m, 40m] }, cancel: 5%"
  return fleetModel(
    `
fleet: A law
because: The past stays the same.
clock: ${CLOCK}
horizon: ${horizon}
sites:
  - as: curb
    at: [30.4, -97.7]
    reach_km: 2
    stalls: 3
    runners: [${shifts.join(", ")}]
    vehicles: 3
    stores: [{ as: tacos, cooks: 3, preparation: { by_hour: { ${preparation} } } }, { as: noodles }]
runner: { walk: { gamma: { mean: 60s, sd: 20s } } }
bot: { punctuality: { normal: { mean: 0s, sd: 4m } }, no_show: 5%, patience: 20m }
vehicle: { speed_kmh: { by_hour: { ${speed} } }, breakdown: { every: { exponential: { mean: 1h } }, repair: 10m } }
demand: [${[...demand, `${walked}, per_hour: { by_hour: { ${rate} } } }`].join(", ")}]
${changes === undefined ? "" : `changes: ${changes}`}
${out === undefined ? "" : `out: ${out}`}
`,
    { "asked.csv": asked.map((time) => `2026-03-02T${time}\n`).join("") },
  )
}

/** What happens otherwise from an instant on. */
type Change = (parts: Parts, at: { readonly time: string; readonly place: number }) => Parts

function inserted<T>(list: readonly T[], place: number, one: T): readonly T[] {
  return list.toSpliced(place % (list.length + 1), 0, one)
}

const CHANGES: Readonly<Record<string, Change>> = {
  "another rate": (parts, { time }) => ({ ...parts, rate: `${parts.rate}, "${time}": 120` }),
  "no orders any more": (parts, { time }) => ({
    ...parts,
    rate: `"00:00": 14, ${laterThan(parts.rate, time)}"${time}": 0`,
  }),
  "another demand": (parts, { time, place }) => ({
    ...parts,
    demand: inserted(
      parts.demand,
      place,
      `{ product: delivery, site: curb, store: noodles, per_hour: { by_hour: { "00:00": 0, "${time}": 40 } } }`,
    ),
  }),
  "orders of a file": (parts, { time }) => ({ ...parts, asked: [...parts.asked, time, time] }),
  "another shift": (parts, { time, place }) => ({
    ...parts,
    shifts: inserted(parts.shifts, place, `{ count: 2, from: ${time} }`),
  }),
  "an earlier end of a shift": (parts, { time, place }) => ({
    ...parts,
    shifts: parts.shifts.with(
      place % 2,
      place % 2 === 0 ? `{ count: 1, to: ${time} }` : `{ count: 1, from: 08:00, to: ${time} }`,
    ),
  }),
  "slower kitchens": (parts, { time }) => ({
    ...parts,
    preparation: `${parts.preparation}, "${time}": { uniform: [15m, 25m] }`,
  }),
  "slower traffic": (parts, { time }) => ({ ...parts, speed: `${parts.speed}, "${time}": 8` }),
  "a longer day": (parts) => ({ ...parts, horizon: "4h" }),
  ...Object.fromEntries(
    [
      "runners: +1",
      "runners at curb: -1",
      "vehicles at curb: +1",
      "vehicles: -2",
      "cooks at curb: -2",
      "demand: 2.5",
      "demand of couriers: 0",
      "demand of asked: 3",
      "demand of often: 2",
      "dispatch: shortest_walk",
      "vehicle_dispatch: least_loaded",
      "open_link_fails: 60%",
      "payload_too_heavy: 60%",
      "breakdowns: 6",
      "breakdown of veh_0_0001: 25m",
      "breakdown of veh_0_0002: 25m",
    ].map((words) => [words, changed(words)]),
  ),
  ...Object.fromEntries(
    [
      "vehicles: 2",
      "runners at curb: 2",
      "cooks: 3",
      "stalls: 2",
      "kitchen of noodles: true",
      "service: true",
    ].map((words): [string, Change] => [
      `out: ${words}`,
      (parts, { time }) => ({ ...parts, out: `[{ from: ${time}, to: 23:00, ${words} }]` }),
    ]),
  ),
}

function changed(words: string): Change {
  return (parts, { time }) => ({ ...parts, changes: `[{ at: ${time}, ${words} }]` })
}

/** The steps of a rate that begin before a time of day. */
function laterThan(rate: string, time: string): string {
  return rate
    .split(", ")
    .filter((step) => step.slice(1, 6) > "00:00" && step.slice(1, 6) < time)
    .map((step) => `${step}, `)
    .join("")
}

/** A run up to an instant, without what happens at it. */
function runUntil(model: FleetModel, seed: number, afterMs: number) {
  const world = new FleetWorld(model, { seed, hasCourse: true, recording: "full" })
  startFleet(world)
  const instantMs = world.startMs + afterMs
  const { time, entries, groups } = world.service.host
  time.run(instantMs - 1)
  const course = new Course()
  course.append(world.course?.take(instantMs - 1) as CourseChunk)
  const past = {
    journal: entries.map(({ entry, instantMs: ms }) => `${ms} ${entry.group} ${entry.text}`),
    heads: groups.hash(),
    digest: world.service.host.digest(),
    course: toldBy(course),
  }
  time.run(instantMs + HOUR_MS / 2)
  return { past, digest: world.service.host.digest() }
}

/** Everything that a course tells, by name. Who has been off duty all the time is left out. */
function toldBy(course: Course): Readonly<Record<string, unknown>> {
  const actors = course.actors.map(({ kind, name, ...known }, actor) => {
    const changes = course.changesOf(actor).map(({ order, ...change }) => ({
      ...change,
      order: order === null ? null : course.actors[order]?.name,
    }))
    return [`${kind} ${name}`, { ...known, changes, legs: course.legsOf(actor) }] as const
  })
  const breaks = course.breaksIn(0, course.untilMs + 1).map(({ actor, ...one }) => ({
    ...one,
    actor: actor === null ? null : course.actors[actor]?.name,
  }))
  const ticks = Array.from({ length: 60 }, (_, at) => Math.floor((course.untilMs * at) / 59))
  const levels = course.levels.map((name, level) => ({
    ...name,
    values: ticks.map((ms) => course.levelAt(level, ms)),
  }))
  const wasThere = ({ changes }: { readonly changes: readonly { readonly state: string }[] }): boolean =>
    changes.some(({ state }) => state !== "off duty")
  return { actors: Object.fromEntries(actors.filter(([, told]) => wasThere(told))), breaks, levels }
}

test("everything before an instant stays as it was, whatever is changed from then on", () => {
  const parted = new Set<string>()
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 31, max: 150 }),
      fc.nat({ max: 5 }),
      (seed, minute, place) => {
        const wall = 10 * 60 + minute
        const time = [Math.floor(wall / 60), wall % 60].map((part) => String(part).padStart(2, "0")).join(":")
        const usual = runUntil(modelOf(PARTS), seed, minute * MINUTE_MS)
        expect(usual.past.journal.length).toBeGreaterThan(10)
        for (const [name, change] of Object.entries(CHANGES)) {
          const { past, digest } = runUntil(modelOf(change(PARTS, { time, place })), seed, minute * MINUTE_MS)
          const differs = usual.past.journal.findIndex((entry, row) => entry !== past.journal[row])
          expect(past.journal[differs], name).toBe(usual.past.journal[differs])
          expect([past.heads, past.digest], name).toEqual([usual.past.heads, usual.past.digest])
          expect(past.course, name).toEqual(usual.past.course)
          if (digest !== usual.digest) parted.add(name)
        }
      },
    ),
    { numRuns: 1 },
  )
  // The changes were made: what follows most of them differs.
  expect(parted.size).toBeGreaterThan(12)
})

test("an hour's rate above the peak redraws neither the hours before it nor those after it", () => {
  const hours = (rate: number): FleetModel =>
    modelOf({ ...PARTS, horizon: "4h", rate: `"00:00": 14, "11:00": 20, "12:00": ${rate}, "13:00": 18` })
  const [usual, high] = [16, 90].map((rate) => {
    const { course } = recorded(hours(rate), 5)
    // An order's number counts those before it; its requests and what was drawn for it are its own.
    const orders = actorsOf(course, "order").flatMap((actor) => {
      const { order, site } = course.actors[actor] ?? {}
      const asked = course.changesOf(actor)[0]?.atMs ?? 0
      if (order?.product !== "reservation") return []
      return [{ site, asked, fromMs: order.fromMs, promisedMs: order.promisedMs, store: order.store }]
    })
    const asked = (from: number, to: number) =>
      orders.filter((order) => order.asked >= from * HOUR_MS && order.asked < to * HOUR_MS)
    return { before: asked(0, 2), within: asked(2, 3), after: asked(3, 4) }
  })
  expect(high?.before).toEqual(usual?.before)
  expect(high?.before.length).toBeGreaterThan(15)
  expect(high?.within.length).toBeGreaterThan(2 * (usual?.within.length ?? 0))
  expect(usual?.after.length).toBeGreaterThan(8)
  expect(high?.after).toEqual(usual?.after)
})

describe("no one is renamed", () => {
  const namesOf = (shifts: readonly string[], vehicles = 3): readonly string[] => {
    const model = modelOf({ ...PARTS, shifts, horizon: "24h" })
    const sites = model.sites.map((site) => ({ ...site, vehicles }))
    const world = new FleetWorld({ ...model, sites }, { seed: 1, hasCourse: true })
    startFleet(world)
    return world.course?.take().actors.map(({ name }) => name) ?? []
  }

  test("runners have the start of their shift and a number in their names, who begins at midnight the number alone", () => {
    const shifts = [
      "{ count: 2 }",
      "{ count: 2, from: 09:00, to: 17:00 }",
      "{ count: 1, from: 17:30, to: 24:00 }",
    ]
    expect(namesOf(shifts, 0)).toEqual([
      "curb/runner-1",
      "curb/runner-2",
      "curb/runner-09:00.1",
      "curb/runner-09:00.2",
      "curb/runner-17:30.1",
    ])
  })

  test("two shifts with the same start have different names, and one more runner in one of them renames no other runner", () => {
    const alike = (count: number): readonly string[] => [
      `{ count: ${count}, from: 11:00, to: 14:00 }`,
      "{ count: 1, from: 11:00, to: 15:00 }",
      "{ count: 1, from: 00:00, to: 06:00 }",
      "{ count: 1 }",
    ]
    const others = ["curb/runner-11:00b.1", "curb/runner-1", "curb/runner-00:00b.1"]
    expect(namesOf(alike(1), 0)).toEqual(["curb/runner-11:00.1", ...others])
    expect(namesOf(alike(2), 0)).toEqual(["curb/runner-11:00.1", "curb/runner-11:00.2", ...others])
  })

  test("by a shift that is added anywhere, or by another vehicle", () => {
    const usual = namesOf(PARTS.shifts)
    for (const place of [0, 1, 2, 3]) {
      const more = namesOf(inserted(PARTS.shifts, place, "{ count: 2, from: 12:00, to: 15:00 }"), 4)
      expect(more.filter((name) => usual.includes(name))).toEqual(usual)
      expect(more.filter((name) => !usual.includes(name))).toEqual(
        ["curb/runner-12:00.1", "curb/runner-12:00.2", "veh_0_0004"].toSorted(
          (one, other) => more.indexOf(one) - more.indexOf(other),
        ),
      )
    }
  })
})
