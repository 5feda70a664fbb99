/**
 * A site's day from its journals: at each instant every actor of the course is in the state that its group has when the machines take
 * the same entries again, over all groups of busy runs and of the scenarios.
 */

import { describe, expect, test } from "vitest"
import { readPaths } from "../../../src/cli/scenarios/scenario-files.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { groupOf, idOf, kindOf } from "../../../src/model/address.ts"
import { Course } from "../../../src/model/replay/course-reader.ts"
import type { ActorKind } from "../../../src/model/replay/course.ts"
import { startOfDay } from "../../../src/model/values/local-calendar.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import type { Group } from "../../../src/engine/kernel/group.ts"
import type { EntryBody } from "../../../src/engine/kernel/journal.ts"
import { statePath } from "../../../src/engine/kernel/step.ts"
import { takeTurn } from "../../../src/engine/kernel/turn.ts"
import { GroupFacts } from "../../../src/simulation/fleet/rewind/group-facts.ts"
import { ON_MOVED_CLOCK, siteCourse } from "../../../src/simulation/fleet/rewind/site-course.ts"
import type { DayFacts, SiteCourse, SiteOfDay } from "../../../src/simulation/fleet/rewind/site-course.ts"
import { addFix } from "../../../src/simulation/fleet/rewind/vehicle-days.ts"
import type { Fix } from "../../../src/simulation/fleet/rewind/vehicle-days.ts"
import { recordedReplication } from "../../../src/simulation/fleet/world/replication.ts"
import { inputOf } from "../../../src/simulation/replay.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { fleetModel } from "./models.ts"

const ZONE = "America/Chicago"

const BUSY = `
fleet: Busy
because: Everything happens.
clock: 2026-03-02T22:40 ${ZONE}
horizon: 150m
seed: 11
sites:
  - as: curb
    at: [30.4, -97.7]
    reach_km: 2
    stalls: 3
    runners: 2
    vehicles: 4
    stores: [{ as: tacos, cooks: 2, at: [30.41, -97.71] }, { as: noodles }]
bot: { punctuality: { normal: { mean: 0s, sd: 6m } }, no_show: 15%, abort: 8%, tells_eta: 10m }
demand:
  - { product: reservation, site: curb, store: tacos, per_hour: 24, ahead: { uniform: [5m, 40m] }, cancel: 10% }
  - { product: delivery, site: curb, store: noodles, per_hour: 12, cancel: 10% }
  - { product: courier, site: curb, store: tacos, per_hour: 6 }
`

type Entries = readonly {
  readonly entry: { readonly group: string; readonly revision: number; readonly text: string }
  readonly instantMs: number
}[]

const busy: Entries = recordedReplication(fleetModel(BUSY), { seed: 11, name: "busy", variant: null }).run
  .entries

const BEGAN_MS = busy[0]?.instantMs ?? 0

function groupsIn(entries: Entries): readonly GroupFacts[] {
  const groups = new Map<string, GroupFacts>()
  for (const { entry } of entries) {
    if (!["delivery", "reservation", "vehicle"].includes(kindOf(entry.group))) continue
    const facts = groups.get(entry.group) ?? new GroupFacts(entry.group)
    groups.set(entry.group, facts)
    facts.take(entry.text, entry.revision)
  }
  return [...groups.values()].toSorted((one, other) => (kindOf(one.address) < kindOf(other.address) ? -1 : 1))
}

/** The local day on which the run began. */
function dayOf(entries: Entries): SiteOfDay {
  const startMs = startOfDay(entries[0]?.instantMs ?? 0, ZONE)
  const stallIds = new Set(
    groupsIn(entries).flatMap(({ facts }) =>
      facts.flatMap(({ condition }) => (condition.is === "visit" ? [condition.stallId] : [])),
    ),
  )
  return {
    name: "Curb",
    timeZone: ZONE,
    startMs,
    endMs: startMs + DAY_MS,
    place: { latitude: 30.4, longitude: -97.7 },
    area: null,
    stalls: [...stallIds].toSorted().map((stallId) => ({ stallId, label: stallId })),
    stores: [],
  }
}

function ended(steps: Iterator<undefined, SiteCourse>): SiteCourse {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

function made(
  day: SiteOfDay,
  facts: Pick<DayFacts, "groups"> & Partial<DayFacts>,
  untilMs: number,
): SiteCourse & { readonly course: Course } {
  const found = ended(siteCourse(day, { fixes: new Map(), promisedMsById: new Map(), ...facts }, untilMs))
  const course = new Course()
  course.append(found.chunk)
  return { ...found, course }
}

function actorOf(course: Course, kind: ActorKind, name: string): number {
  return course.actors.findIndex((actor) => actor.kind === kind && actor.name === name)
}

/** Words of the course by the state of a machine, as the page shows them. */
const ROBOT: Readonly<Record<string, string>> = {
  "underway.unreported": "expected",
  "underway.inbound": "on its way",
  "underway.arrived": "at its stall",
  "underway.ready": "ready",
  "underway.departed": "over",
  "underway.aborted": "gave up",
  closed: "over",
}
const RUNNER: Readonly<Record<string, string>> = {
  "open.assigned": "to store",
  "open.at_store": "at counter",
  "open.held": "waiting for order",
  "open.retrieved": "carrying",
  "open.at_unit": "at stall",
  "open.handoff_ready": "at stall",
}
const VEHICLE: Readonly<Record<string, string>> = {
  idle: "idle",
  "underway.assigned": "to the store",
  "underway.approaching": "to the store",
  "underway.at_store": "at the store",
  "underway.waiting": "at the store",
  "underway.loaded": "loaded",
  "underway.leaving": "to the customer",
  "underway.at_customer": "at the customer",
}
const RUN: Readonly<Record<string, string>> = {
  "open.loaded": "on board",
  "open.en_route_to_customer": "on board",
  "open.arrived_at_customer": "on board",
  completed: "delivered",
  cancelled: "canceled",
}

/** At the counter it depends on what the store said before. */
const AT_THE_STORE: Readonly<Record<string, string>> = {
  "open.queued": "booked",
  "open.assigned": "booked",
  "open.held": "not ready",
  "open.retrieved": "with a runner",
  "open.at_unit": "with a runner",
  "open.handoff_ready": "with a runner",
}

function stateOf(group: Group, part: string | null): string | null {
  const actor = group.actors.get(part === null ? group.address : `${group.address}/${part}`)
  return actor === undefined ? null : statePath(actor.snapshot)
}

/** What the machines say of one group, as name of the actor and state; runners are compared by their tasks. */
function saidBy(group: Group): readonly (readonly [kind: ActorKind, name: string, state: string])[] {
  const name = idOf(group.address)
  const root = stateOf(group, null) ?? ""
  switch (kindOf(group.address)) {
    case "vehicle": {
      const context: unknown = group.actors.get(group.address)?.snapshot.context
      const { isOnline } = context as { readonly isOnline: boolean }
      return [["vehicle", name, root === "idle" && !isOnline ? "offline" : (VEHICLE[root] ?? "?")]]
    }
    case "delivery":
      return [["order", name, RUN[root] ?? "booked"]]
    default: {
      const [bot, task] = [stateOf(group, "bot") ?? "", stateOf(group, "runner-task")]
      const isLoaded = task?.startsWith("loaded") === true
      const robot = bot === "underway.secured" ? (isLoaded ? "leaving" : "secured") : (ROBOT[bot] ?? "?")
      const over = {
        completed: task === null || isLoaded ? "delivered" : "left behind",
        canceled: "canceled",
      }
      const ends = over[root as keyof typeof over]
      const order = ends ?? (isLoaded ? "on board" : (AT_THE_STORE[task ?? ""] ?? null))
      return [["robot", name, robot], ...(order === null ? [] : [["order", name, order] as const])]
    }
  }
}

/** Takes every entry again, and compares at its instant and just before the next one; returns how many states were compared. */
function compared(entries: Entries, course: Course, { startMs }: SiteOfDay, untilMs: number): number {
  const groups = new Map<string, Group>()
  const tasks = new Map<string, Map<string, string>>()
  let count = 0
  const compare = (atMs: number): void => {
    for (const group of groups.values()) {
      for (const [kind, name, state] of saidBy(group)) {
        const actor = actorOf(course, kind, name)
        if (actor < 0) continue
        expect([group.address, kind, atMs, course.stateAt(actor, atMs - startMs)]).toEqual([
          group.address,
          kind,
          atMs,
          state,
        ])
        count += 1
      }
    }
    for (const [runnerId, own] of tasks) {
      const [address, state] = [...own].at(-1) ?? []
      const actor = actorOf(course, "runner", runnerId)
      // Who had no task on the day yet is not there.
      if (own.size === 0 && (course.changesOf(actor)[0]?.atMs ?? Infinity) > atMs - startMs) continue
      expect([runnerId, atMs, course.stateAt(actor, atMs - startMs)]).toEqual([
        runnerId,
        atMs,
        state ?? "idle",
      ])
      const order = course.orderAt(actor, atMs - startMs)
      expect(order === null ? null : course.actors[order]?.address).toBe(address ?? null)
      count += 1
    }
  }
  const noteTask = (group: Group): void => {
    const actor = group.actors.get(`${group.address}/runner-task`)
    if (actor === undefined) return
    const { runnerId } = actor.snapshot.context as { readonly runnerId: string | null }
    const state = RUNNER[statePath(actor.snapshot)]
    if (runnerId === null) return
    const own = tasks.get(runnerId) ?? new Map<string, string>()
    const before = taskStates.get(group.address)
    if (before === statePath(actor.snapshot)) return
    taskStates.set(group.address, statePath(actor.snapshot))
    if (state === undefined && !own.has(group.address)) return
    tasks.set(runnerId, own)
    own.delete(group.address)
    if (state !== undefined) own.set(group.address, state)
  }
  const taskStates = new Map<string, string>()
  const inOrder = entries.filter(({ instantMs }) => instantMs <= untilMs)
  for (const [at, { entry, instantMs }] of inOrder.entries()) {
    const input = inputOf(JSON.parse(entry.text) as EntryBody)
    const address = groupOf(input.to)
    const result = takeTurn(program, groups.get(address) ?? null, input)
    if (result !== null) {
      groups.set(address, result.group)
      if (kindOf(address) === "reservation") noteTask(result.group)
    }
    const nextMs = inOrder[at + 1]?.instantMs ?? untilMs
    if (nextMs === instantMs || instantMs < startMs) continue
    compare(instantMs)
    if (nextMs - 1 > instantMs) compare(nextMs - 1)
  }
  return count
}

describe("the states of a day", () => {
  test("of a busy run until midnight are those of the machines at each instant, for every group", () => {
    const day = dayOf(busy)
    const { course, chunk } = made(
      day,
      { groups: groupsIn(busy.filter(({ instantMs }) => instantMs <= day.endMs)) },
      day.endMs,
    )
    expect(chunk.untilMs).toBe(DAY_MS)
    expect(compared(busy, course, day, day.endMs)).toBeGreaterThan(10_000)
  })

  test("after midnight begin with the condition in which the day found each group, and without what was over", () => {
    const before = dayOf(busy)
    const day = { ...before, startMs: before.endMs, endMs: before.endMs + DAY_MS }
    const untilMs = busy.at(-1)?.instantMs ?? 0
    const all = groupsIn(busy)
    const { course } = made(day, { groups: all }, untilMs)
    expect(compared(busy, course, day, untilMs)).toBeGreaterThan(1000)
    const yesterday = all.filter(({ facts, isOver }) => isOver && (facts.at(-1)?.atMs ?? 0) < day.startMs)
    expect(yesterday.length).toBeGreaterThan(5)
    for (const { address } of yesterday)
      expect(course.actors.some((actor) => actor.address === address)).toBe(false)
    expect(course.breaksIn(0, Infinity).every(({ atMs }) => atMs >= 0)).toBe(true)
  })

  test("of every reservation in the scenarios are those of the machines", async () => {
    const { scenarios } = await readPaths(["scenarios/reservations"])
    let count = 0
    for (const scenario of scenarios.filter(({ machineFaults = null }) => machineFaults === null)) {
      const { entries } = runScenario(scenario)
      if (entries.length === 0) continue
      const first = dayOf(entries)
      const day = { ...first, endMs: first.startMs + 30 * DAY_MS }
      const untilMs = entries.at(-1)?.instantMs ?? 0
      const { course } = made(day, { groups: groupsIn(entries) }, untilMs)
      count += compared(entries, course, day, untilMs)
    }
    expect(count).toBeGreaterThan(1000)
  })
})

describe("what the day shows", () => {
  const day = dayOf(busy)
  const groups = groupsIn(busy.filter(({ instantMs }) => instantMs <= day.endMs))

  test("who waits, works and stands is counted from the same states", () => {
    const { course } = made(day, { groups }, day.endMs)
    const numberOf = (resource: "runners" | "stalls", what: "busy" | "queue"): number =>
      course.levelNumber({ resource, what, site: 0 }) ?? -1
    const standing = new Set(["at its stall", "ready", "secured", "leaving"])
    let [busiest, longest] = [0, 0]
    for (let ms = BEGAN_MS - day.startMs; ms < DAY_MS; ms += 7_919) {
      const inState = (kind: ActorKind, is: (state: string) => boolean): number =>
        course.actors.filter(
          (actor, number) => actor.kind === kind && is(course.stateAt(number, ms) ?? "over"),
        ).length
      expect(course.levelAt(numberOf("stalls", "busy"), ms)).toBe(
        inState("robot", (state) => standing.has(state)),
      )
      const working = inState("runner", (state) => state !== "idle" && state !== "over")
      expect(course.levelAt(numberOf("runners", "busy"), ms)).toBe(working)
      busiest = Math.max(busiest, working)
      longest = Math.max(longest, course.levelAt(numberOf("runners", "queue"), ms))
    }
    expect(busiest).toBe(2)
    expect(longest).toBeGreaterThan(0)
  })

  test("a task waits for a runner from its staging time on, not from its booking", () => {
    const { course } = made(day, { groups }, day.endMs)
    const queue = course.levelNumber({ resource: "runners", what: "queue", site: 0 }) ?? -1
    for (let ms = BEGAN_MS - day.startMs; ms < DAY_MS; ms += 7_919) {
      const atMs = day.startMs + ms
      const waiting = groups.filter(({ facts }) => {
        const { condition } = facts.findLast((fact) => fact.atMs <= atMs) ?? {}
        return (
          condition?.is === "visit" && condition.task === "open.queued" && (condition.stagingMs ?? 0) <= atMs
        )
      })
      expect(course.levelAt(queue, ms)).toBe(waiting.length)
    }
  })

  test("no person and no door is part of it: orders, runners and vehicles have ids, and orders no place", () => {
    const { chunk } = made(day, { groups }, day.endMs)
    for (const { kind, name, order } of chunk.actors) {
      expect(order?.door ?? null).toBeNull()
      if (kind !== "runner") expect(name).toMatch(/^(res|dlv|veh)_/)
    }
  })

  test("what carries an agent's errand is shown as one, with the vehicle that has it", () => {
    // At noon its stores take errands.
    const model = fleetModel(BUSY.replace("22:40", "12:00").replace("vehicles: 4", "vehicles: 9"))
    const { entries } = recordedReplication(model, { seed: 11, name: "errands", variant: null }).run
    const { course } = made(dayOf(entries), { groups: groupsIn(entries) }, entries.at(-1)?.instantMs ?? 0)
    const errands = new Set(
      entries.flatMap(({ entry }) =>
        kindOf(entry.group) === "courier-order" ? [`delivery/${idOf(entry.group)}`] : [],
      ),
    )
    const shown = course.actors.flatMap(({ kind, address, order }, actor) =>
      kind === "order" && address?.startsWith("delivery/") === true ? [{ actor, address, order }] : [],
    )
    const kinds = shown.map(({ address, order }) => [errands.has(address), order?.product])
    expect(new Set(kinds.map((kind) => kind.join(" ")))).toEqual(new Set(["true courier", "false delivery"]))
    const carried = new Set(
      course.actors.flatMap(({ kind }, actor) =>
        kind === "vehicle" ? course.changesOf(actor).map(({ order }) => order) : [],
      ),
    )
    expect(shown.some(({ actor, order }) => order?.product === "courier" && carried.has(actor))).toBe(true)
  })

  test("robots that do not come, faults and late orders are breaks, each once", () => {
    const { course } = made(day, { groups }, day.endMs)
    const published = groups.flatMap(({ facts }) => facts.flatMap(({ exceptions }) => exceptions))
    const breaks = course.breaksIn(0, Infinity)
    const count = (kind: string): number => breaks.filter((one) => one.kind === kind).length
    expect(count("no-show")).toBe(published.filter((code) => code === "bot_no_show").length)
    expect(count("no-show")).toBeGreaterThan(0)
    const late = breaks.filter(({ kind }) => kind === "broken promise")
    expect(new Set(late.map(({ actor }) => actor)).size).toBe(late.length)
  })

  test("a group whose clock is ahead of now is left out, and counted", () => {
    const untilMs = day.startMs + 23 * HOUR_MS
    const earlier = groupsIn(busy.filter(({ instantMs }) => instantMs <= untilMs))
    const moved = groups.find(({ facts }) => (facts.at(-1)?.atMs ?? 0) > untilMs + 10 * MINUTE_MS)
    const { chunk, leftOut } = made(
      day,
      {
        groups: [
          ...earlier.filter(({ address }) => address !== moved?.address),
          ...(moved === undefined ? [] : [moved]),
        ],
      },
      untilMs,
    )
    expect(leftOut).toEqual([{ what: ON_MOVED_CLOCK, count: 1 }])
    expect(chunk.actors.some(({ address }) => address === moved?.address)).toBe(false)
  })

  test("a vehicle is on the straight line between two reports, keeps its way when its state changes, and stands at the last", () => {
    const vehicle = groups.find(
      ({ address, facts }) =>
        kindOf(address) === "vehicle" && facts.filter(({ atMs }) => atMs >= BEGAN_MS).length > 4,
    )
    const id = idOf(vehicle?.address ?? "")
    const at = vehicle?.facts[2]?.atMs ?? 0
    const fixes: readonly Fix[] = [
      { atMs: at - 2 * MINUTE_MS, latitude: 30.4, longitude: -97.7 },
      { atMs: at + 2 * MINUTE_MS, latitude: 30.412_34, longitude: -97.7 },
    ]
    const { course } = made(day, { groups, fixes: new Map([[id, fixes]]) }, day.endMs)
    const actor = actorOf(course, "vehicle", id)
    const placeAt = (atMs: number) => course.placeAt(actor, atMs - day.startMs)
    expect(placeAt(at - 3 * MINUTE_MS)).toBeNull()
    expect(placeAt(at)?.[0]).toBeCloseTo(30.406, 4)
    expect(placeAt(at + MINUTE_MS)?.[0]).toBeCloseTo(30.409, 4)
    // Rounded to a thousandth of a degree.
    expect(placeAt(at + 5 * MINUTE_MS)).toEqual([30.412, -97.7])
    expect(placeAt(day.endMs)).toEqual([30.412, -97.7])
  })

  test("of a vehicle that stands the first and the last report are kept, of one that moves all", () => {
    const fixes: Fix[] = []
    for (const [minute, latitude] of [30, 30, 30.000_2, 30, 30.01, 30.02, 30.02, 30.02].entries())
      addFix(fixes, { atMs: minute * MINUTE_MS, latitude, longitude: -97 })
    expect(fixes.map(({ atMs }) => atMs / MINUTE_MS)).toEqual([0, 3, 4, 5, 7])
  })

  test("an empty day has a head and no order", () => {
    const { head, chunk, leftOut } = made(day, { groups: [] }, day.startMs + HOUR_MS)
    expect(head).toMatchObject({ title: "Curb", horizonMs: DAY_MS, timeZone: ZONE })
    expect([chunk.actors, leftOut]).toEqual([[], []])
  })
})
