/** A made-up lunch as a course: two sites with runners, robots and vehicles that take orders one after another. The same sizes give the same course. */

import { GrowingRows } from "../../../src/model/replay/columns.ts"
import {
  BREAK_KINDS,
  emptyBreaks,
  emptyChanges,
  emptyLegs,
  emptyLevels,
} from "../../../src/model/replay/course.ts"
import type {
  BreakKind,
  CourseActor,
  CourseChunk,
  CourseHead,
  CourseLevelName,
  CoursePlace,
} from "../../../src/model/replay/course.ts"

const MINUTE_MS = 60_000

interface MadeUp {
  readonly runners?: number
  readonly vehicles?: number
  readonly orders?: number
}

const SITES: readonly (readonly [string, CoursePlace])[] = [
  ["second street", [30.2655, -97.7465]],
  ["south congress", [30.2489, -97.7495]],
]

export function madeUpHead(): CourseHead {
  return {
    title: "A lunch rush on both banks",
    seed: 21,
    startMs: Date.UTC(2026, 2, 6, 17, 0),
    horizonMs: 210 * MINUTE_MS,
    timeZone: "America/Chicago",
    isOnStreets: false,
    sites: SITES.map(([name, at]) => ({
      name,
      at,
      area: [
        [at[0] - 0.014, at[1] - 0.02],
        [at[0] + 0.014, at[1] + 0.02],
      ],
      stalls: Array.from({ length: 8 }, (_, stall) => `A00${stall + 1}`),
      stores: [
        { name: "lunchbox", at: null, cooks: 6 },
        { name: "noodles", at: null, cooks: 4 },
      ],
    })),
  }
}

/** Park and Miller; the same numbers at each start. */
function chance(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

type Row = readonly [atMs: number, write: () => void]

export function madeUpChunk({ runners = 3, vehicles = 6, orders = 90 }: MadeUp = {}): CourseChunk {
  return new MadeUpDay({ runners, vehicles, orders }).chunk()
}

class MadeUpDay {
  readonly #actors: CourseActor[] = []
  readonly #states: string[] = []
  readonly #levelNames: CourseLevelName[] = []
  readonly #legs = new GrowingRows(emptyLegs())
  readonly #changes = new GrowingRows(emptyChanges())
  readonly #levels = new GrowingRows(emptyLevels())
  readonly #breaks = new GrowingRows(emptyBreaks())
  readonly #rows: Row[] = []
  readonly #values: number[] = []
  readonly #of: Required<MadeUp>
  readonly #next = chance(21)

  constructor(of: Required<MadeUp>) {
    this.#of = of
  }

  chunk(): CourseChunk {
    for (const [site] of SITES.entries()) this.#siteDay(site)
    for (const [, write] of this.#rows.toSorted(([one], [other]) => one - other)) write()
    return {
      untilMs: 210 * MINUTE_MS,
      actors: this.#actors,
      states: this.#states,
      levelNames: this.#levelNames,
      legs: this.#legs.take(),
      changes: this.#changes.take(),
      levels: this.#levels.take(),
      breaks: this.#breaks.take(),
    }
  }

  #siteDay(site: number): void {
    const at = SITES[site]?.[1] ?? [0, 0]
    const people = (kind: "runner" | "vehicle", count: number): { actor: number; freeMs: number }[] =>
      Array.from({ length: count }, (_, number) => {
        const name = `${SITES[site]?.[0]}/${kind}-${number + 1}`
        const actor = this.#add({ kind, name, site, address: null, order: null })
        this.#enter(actor, 0, "idle", -1)
        if (kind === "vehicle") this.#go(actor, "idle", [0, 0], [at, at])
        return { actor, freeMs: 0 }
      })
    const [crew, fleet] = [people("runner", this.#of.runners), people("vehicle", this.#of.vehicles)]
    const counts = {
      runners: this.#counts("runners", site, this.#of.runners),
      vehicles: this.#counts("vehicles", site, this.#of.vehicles),
    }
    for (let number = 0; number < this.#of.orders; number += 1) {
      // Most of them at noon.
      const share = (number + this.#next()) / this.#of.orders
      const atMs = Math.round((105 + 100 * (share - 0.5) + 60 * (share - 0.5) ** 3) * MINUTE_MS)
      if (number % 3 === 2 && fleet.length > 0) this.#delivery({ site, number, atMs, fleet, counts })
      else if (crew.length > 0) this.#visit({ site, number, atMs, crew, counts })
    }
  }

  #visit({ site, number, atMs, crew, counts }: Task & { crew: Person[] }): void {
    const order = {
      product: "reservation" as const,
      number: String(3000 + site * 500 + number),
      store: number % 2,
      stall: number % 8,
      door: null,
      fromMs: atMs + 9 * MINUTE_MS,
      promisedMs: atMs + 15 * MINUTE_MS,
    }
    const address = `reservation/res_${site}_${number}`
    const actor = this.#add({ kind: "order", name: order.number, site, address, order })
    const robot = this.#add({
      kind: "robot",
      name: `bot-${order.number}`,
      site,
      address: `${address}/bot`,
      order,
    })
    const readyMs = this.#cook(actor, atMs)
    const cameMs = order.fromMs + Math.round(this.#next() * 3 * MINUTE_MS)
    this.#enter(robot, atMs, "expected", actor)
    const person = firstFree(crew)
    const beginsMs = Math.max(person.freeMs, readyMs - 2 * MINUTE_MS)
    this.#queue(counts.runners, readyMs - 2 * MINUTE_MS, beginsMs)
    const walk = Math.round((1 + this.#next()) * MINUTE_MS)
    let nowMs = beginsMs
    const go = (state: string, ms: number): void => {
      this.#enter(person.actor, nowMs, state, actor)
      nowMs += ms
    }
    go("to store", walk)
    if (nowMs < readyMs) go("waiting for order", readyMs - nowMs)
    go("at counter", 40_000)
    go("carrying", walk)
    if (nowMs < cameMs + 40_000) go("at stall", cameMs + 40_000 - nowMs)
    go("loading", 45_000)
    this.#enter(actor, nowMs, "on board", -1)
    this.#enter(robot, cameMs, "settling", actor)
    this.#enter(robot, cameMs + 40_000, "ready", actor)
    this.#enter(robot, nowMs, "leaving", actor)
    this.#enter(robot, nowMs + MINUTE_MS, "over", -1)
    this.#enter(actor, nowMs + MINUTE_MS, "delivered", -1)
    this.#enter(person.actor, nowMs, "idle", -1)
    this.#busy(counts.runners, beginsMs, nowMs)
    person.freeMs = nowMs
    if (nowMs > order.promisedMs) this.#break("broken promise", order.promisedMs, actor, site)
  }

  #delivery({ site, number, atMs, fleet, counts }: Task & { fleet: Person[] }): void {
    const home = SITES[site]?.[1] ?? [0, 0]
    const door: CoursePlace = [home[0] + 0.024 * (this.#next() - 0.5), home[1] + 0.034 * (this.#next() - 0.5)]
    const order = {
      product: "delivery" as const,
      number: String(5500 + site * 500 + number),
      store: number % 2,
      stall: null,
      door,
      fromMs: atMs,
      promisedMs: atMs + 18 * MINUTE_MS,
    }
    const actor = this.#add({
      kind: "order",
      name: order.number,
      site,
      address: `delivery/dlv_${site}_${number}`,
      order,
    })
    const readyMs = this.#cook(actor, atMs)
    const vehicle = firstFree(fleet)
    const beginsMs = Math.max(vehicle.freeMs, atMs)
    this.#queue(counts.vehicles, atMs, beginsMs)
    const corner: CoursePlace = [home[0], door[1]]
    const way = 4 * MINUTE_MS
    this.#drive(vehicle.actor, {
      state: "to the store",
      fromMs: beginsMs,
      places: [corner, home],
      way: way / 2,
      order: actor,
    })
    const storeMs = Math.max(readyMs, beginsMs + way / 2)
    this.#enter(vehicle.actor, beginsMs + way / 2, "at the store", actor)
    this.#enter(vehicle.actor, storeMs, "loading", actor)
    this.#enter(actor, storeMs + MINUTE_MS, "on board", -1)
    this.#drive(vehicle.actor, {
      state: "to the customer",
      fromMs: storeMs + MINUTE_MS,
      places: [home, corner, door],
      way,
      order: actor,
    })
    const doorMs = storeMs + MINUTE_MS + way
    this.#enter(vehicle.actor, doorMs, "at the customer", actor)
    const doneMs = doorMs + 2 * MINUTE_MS
    this.#enter(actor, doneMs, "delivered", -1)
    this.#enter(vehicle.actor, doneMs, "idle", -1)
    this.#busy(counts.vehicles, beginsMs, doneMs)
    vehicle.freeMs = doneMs
    if (doneMs > order.promisedMs) this.#break("broken promise", order.promisedMs, actor, site)
    if (number % 12 === 5) this.#break("declined", atMs, actor, site)
    if (number % 30 === 8) this.#break("fault", atMs, vehicle.actor, site)
    if (number % 24 === 11) this.#break("no-show", doneMs, actor, site)
  }

  /** Returns when it is ready. */
  #cook(actor: number, atMs: number): number {
    const [beginsMs, takes] = [atMs + 2 * MINUTE_MS, Math.round((5 + 6 * this.#next()) * MINUTE_MS)]
    this.#enter(actor, atMs, "to cook", -1)
    this.#enter(actor, beginsMs, "cooking", -1)
    this.#enter(actor, beginsMs + takes, "ready", -1)
    return beginsMs + takes
  }

  #drive(
    actor: number,
    of: { state: string; fromMs: number; places: readonly CoursePlace[]; way: number; order: number },
  ): void {
    this.#enter(actor, of.fromMs, of.state, of.order)
    const piece = of.way / (of.places.length - 1)
    for (const [number, to] of of.places.slice(1).entries()) {
      const fromMs = of.fromMs + number * piece
      this.#go(actor, of.state, [fromMs, fromMs + piece], [of.places[number] ?? to, to])
    }
  }

  #add(actor: CourseActor): number {
    return this.#actors.push(actor) - 1
  }

  #state(name: string): number {
    const known = this.#states.indexOf(name)
    return known >= 0 ? known : this.#states.push(name) - 1
  }

  #enter(actor: number, atMs: number, name: string, order: number): void {
    const state = this.#state(name)
    this.#rows.push([atMs, () => this.#changes.add({ actor, state, atMs, order })])
  }

  #go(
    actor: number,
    name: string,
    [fromMs, untilMs]: readonly [number, number],
    [from, to]: readonly [CoursePlace, CoursePlace],
  ): void {
    const state = this.#state(name)
    const micro = (degrees: number): number => Math.round(degrees * 1e6)
    this.#rows.push([
      fromMs,
      () =>
        this.#legs.add({
          actor,
          state,
          fromMs,
          untilMs,
          fromLatitude: micro(from[0]),
          fromLongitude: micro(from[1]),
          toLatitude: micro(to[0]),
          toLongitude: micro(to[1]),
        }),
    ])
  }

  #break(kind: BreakKind, atMs: number, actor: number, site: number): void {
    this.#rows.push([atMs, () => this.#breaks.add({ kind: BREAK_KINDS.indexOf(kind), atMs, actor, site })])
  }

  /** Numbers of the counts of what is on duty, busy and waited for. */
  #counts(resource: CourseLevelName["resource"], site: number, duty: number): Counts {
    const [first] = (["duty", "busy", "queue"] as const).map(
      (what) => this.#levelNames.push({ resource, what, site }) - 1,
    )
    const number = first ?? 0
    this.#change(number, 0, duty)
    return { busy: number + 1, queue: number + 2 }
  }

  #change(level: number, atMs: number, by: number): void {
    this.#rows.push([
      atMs,
      () => {
        const value = (this.#values[level] ?? 0) + by
        this.#values[level] = value
        this.#levels.add({ level, atMs, value })
      },
    ])
  }

  #busy({ busy }: Counts, fromMs: number, untilMs: number): void {
    this.#change(busy, fromMs, 1)
    this.#change(busy, untilMs, -1)
  }

  #queue({ queue }: Counts, fromMs: number, untilMs: number): void {
    if (untilMs <= fromMs) return
    this.#change(queue, fromMs, 1)
    this.#change(queue, untilMs, -1)
  }
}

interface Counts {
  readonly busy: number
  readonly queue: number
}

interface Person {
  readonly actor: number
  freeMs: number
}

interface Task {
  readonly site: number
  readonly number: number
  readonly atMs: number
  readonly counts: { readonly runners: Counts; readonly vehicles: Counts }
}

function firstFree(people: Person[]): Person {
  return people.reduce((one, other) => (other.freeMs < one.freeMs ? other : one))
}

/** The part of a course between two instants: its first part has the names. */
export function partOf(chunk: CourseChunk, fromMs: number, untilMs: number): CourseChunk {
  const isFirst = fromMs === 0
  const rows = <Table extends { readonly [Name in keyof Table]: ArrayLike<number> }>(
    table: Table,
    instants: ArrayLike<number>,
  ): Table =>
    Object.fromEntries(
      Object.entries<ArrayLike<number>>(table).map(([name, column]) => [
        name,
        (column as Uint32Array).filter(
          (_, row) => (instants[row] ?? 0) >= fromMs && (instants[row] ?? 0) < untilMs,
        ),
      ]),
    ) as unknown as Table
  return {
    untilMs: Math.min(untilMs, chunk.untilMs),
    actors: isFirst ? chunk.actors : [],
    states: isFirst ? chunk.states : [],
    levelNames: isFirst ? chunk.levelNames : [],
    legs: rows(chunk.legs, chunk.legs.fromMs),
    changes: rows(chunk.changes, chunk.changes.atMs),
    levels: rows(chunk.levels, chunk.levels.atMs),
    breaks: rows(chunk.breaks, chunk.breaks.atMs),
  }
}
