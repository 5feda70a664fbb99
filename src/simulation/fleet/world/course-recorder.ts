/**
 * Records the course of a run: the world says what every actor begins to do, and a reader takes the rows so far. It neither draws
 * random numbers nor schedules anything, so a run has the same digest with and without it.
 */

import {
  BREAK_KINDS,
  emptyBreaks,
  emptyChanges,
  emptyLegs,
  emptyLevels,
} from "../../../model/replay/course.ts"
import type {
  BreakKind,
  CourseActor,
  CourseChunk,
  CourseLevelName,
  CourseOrder,
} from "../../../model/replay/course.ts"
import { GrowingRows } from "../../../model/replay/columns.ts"
import type { Place } from "../../../model/place.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { Route } from "../travel/route.ts"
import { straightRoute } from "../travel/route.ts"
import type { Product } from "../language/metrics.ts"
import type { Counter } from "./tally.ts"

/** What the course must know of the world's orders. */
interface Order {
  readonly product: Product
  readonly siteNumber: number
}

type OrderEnd = "canceled" | "completed" | "declined" | "failed" | "left behind"

/** What it must know of their meals. */
interface Meal {
  readonly watch: (watcher: (state: string) => void) => void
}

/** An order that the service took. */
interface Begun {
  readonly actor: number
  readonly site: number
  readonly promisedMs: number
  state: string
  /** True once the promise was kept, or can be kept no more. */
  isSettled: boolean
}

/** A way under way. Its pieces become rows when they begin, because it may be left before. */
interface Way {
  readonly state: number
  readonly fromMs: EpochMs
  readonly corners: Route["corners"]
  /** How many pieces are rows. */
  written: number
}

/** What the course calls states of the kitchen. A journal has the first three, and that an order is ready. */
const KITCHEN: Readonly<Record<string, string>> = {
  booked: "booked",
  held: "not ready",
  in_hand: "with a runner",
  requested: "to cook",
  waiting_for_cook: "waiting for a cook",
  preparing: "cooking",
  ready: "ready",
}
const KITCHEN_STATES: ReadonlySet<string> = new Set(Object.values(KITCHEN))
const ON_BOARD = "on board"
const DELIVERED = "delivered"

const NO_ORDER = -1
const MICRODEGREES = 1_000_000

export class CourseRecorder {
  readonly #startMs: EpochMs
  readonly #nowMs: () => EpochMs
  readonly #legs = new GrowingRows(emptyLegs())
  readonly #changes = new GrowingRows(emptyChanges())
  readonly #values = new GrowingRows(emptyLevels())
  readonly #breaks = new GrowingRows(emptyBreaks())
  #actors: CourseActor[] = []
  #actorCount = 0
  #states: string[] = []
  readonly #stateNumbers = new Map<string, number>()
  #levelNames: CourseLevelName[] = []
  readonly #levels: LevelRows[] = []
  /** By actor number: its last change. */
  readonly #last: { readonly state: number; readonly order: number }[] = []
  readonly #orders = new Map<Order, Begun>()
  /** Earliest first; those that are settled are dropped when their time comes. */
  readonly #promises: Begun[] = []
  readonly #ways = new Map<number, Way>()

  constructor({ startMs, nowMs }: { readonly startMs: EpochMs; readonly nowMs: () => EpochMs }) {
    this.#startMs = startMs
    this.#nowMs = nowMs
  }

  /** Returns the actor's number. */
  add(actor: CourseActor): number {
    this.#actors.push(actor)
    this.#actorCount += 1
    return this.#actorCount - 1
  }

  /** The actor begins a state where it stands, or goes on with its order in another one. */
  enter(actor: number, state: string, order: Order | null = null): void {
    this.#leaveWay(actor)
    this.#change(actor, state, order === null ? NO_ORDER : this.actorOf(order))
  }

  /** The actor is put at a place, in a state. */
  stand(actor: number, state: string, { place, order }: { place: Place; order: Order | null }): void {
    const route = straightRoute({ from: place, to: place }, { ms: 0, metres: 0 })
    this.travel(actor, state, { route, order })
    this.#leaveWay(actor, this.#nowMs() + 1)
  }

  /** The actor begins a state on its way. */
  travel(actor: number, state: string, { route, order }: { route: Route; order: Order | null }): void {
    this.enter(actor, state, order)
    const way = { state: this.#stateNumber(state), fromMs: this.#nowMs(), corners: route.corners, written: 0 }
    this.#ways.set(actor, way)
  }

  /** The service took an order. Its meal says how far the kitchen is. */
  begin(
    order: Order,
    { address, ...known }: CourseOrder & { readonly address: string },
    meal: Meal,
  ): CourseOrder {
    const told: CourseOrder = {
      ...known,
      fromMs: known.fromMs - this.#startMs,
      promisedMs: known.promisedMs - this.#startMs,
    }
    const site = order.siteNumber
    const actor = this.add({ kind: "order", name: known.number, site, address, order: told })
    const begun = { actor, site, promisedMs: told.promisedMs, state: "", isSettled: false }
    this.#orders.set(order, begun)
    const at = this.#promises.findLastIndex(({ promisedMs }) => promisedMs <= begun.promisedMs)
    this.#promises.splice(at + 1, 0, begun)
    meal.watch((state) => {
      if (begun.state === "" || KITCHEN_STATES.has(begun.state))
        this.#enterOrder(begun, KITCHEN[state] ?? state)
    })
    return told
  }

  /** -1 for an order that the service did not take, or that is over. */
  actorOf(order: Order): number {
    return this.#orders.get(order)?.actor ?? NO_ORDER
  }

  load(order: Order): void {
    const begun = this.#orders.get(order)
    if (begun === undefined) return
    if (order.product === "reservation") this.#settle(begun)
    this.#enterOrder(begun, ON_BOARD)
  }

  /** The order is over. One that the service did not take has only been declined. */
  end(order: Order, end: OrderEnd): void {
    const begun = this.#orders.get(order)
    this.#orders.delete(order)
    if (begun !== undefined) {
      this.#settle(begun)
      this.#enterOrder(begun, end === "completed" ? DELIVERED : end)
    }
    const kind = BREAK_BY_END[end]
    if (kind !== undefined) this.breakAt(kind, begun?.actor ?? NO_ORDER, order.siteNumber)
  }

  /** The promise of an order can be kept no more. */
  giveUp(order: Order): void {
    const begun = this.#orders.get(order)
    if (begun === undefined) return
    this.#breakPromises(this.#nowMs() - this.#startMs)
    if (begun.isSettled) return
    begun.isSettled = true
    this.breakAt("broken promise", begun.actor, begun.site)
  }

  breakAt(kind: BreakKind, actor: number, site: number): void {
    const nowMs = this.#nowMs() - this.#startMs
    this.#breakPromises(nowMs)
    this.#breaks.add({ kind: BREAK_KINDS.indexOf(kind), atMs: nowMs, actor, site })
  }

  level(name: CourseLevelName): Counter {
    const number = this.#levels.length
    this.#levelNames.push(name)
    const rows = new LevelRows((atMs, value) => this.#values.add({ level: number, atMs, value }))
    this.#levels.push(rows)
    return { change: (by, nowMs) => rows.change(by, Math.round(nowMs - this.#startMs)) }
  }

  /**
   * The rows since the last time; their buffers are the caller's. `untilMs`: everything that is due by this instant has run; unless
   * said, the instant of what ran last.
   */
  take(untilMs = this.#nowMs()): CourseChunk {
    const offsetMs = untilMs - this.#startMs
    for (const [actor, way] of this.#ways) {
      this.#write(actor, way, untilMs + 1)
      if (way.written === way.corners.length - 1) this.#ways.delete(actor)
    }
    for (const level of this.#levels) level.write()
    this.#breakPromises(offsetMs)
    const [actors, states, levelNames] = [this.#actors, this.#states, this.#levelNames]
    this.#actors = []
    this.#states = []
    this.#levelNames = []
    return {
      untilMs: offsetMs,
      actors,
      states,
      levelNames,
      legs: this.#legs.take(),
      changes: this.#changes.take(),
      levels: this.#values.take(),
      breaks: this.#breaks.take(),
    }
  }

  #enterOrder(begun: Begun, state: string): void {
    begun.state = state
    this.#change(begun.actor, state, NO_ORDER)
  }

  #change(actor: number, stateName: string, order: number): void {
    const state = this.#stateNumber(stateName)
    const last = this.#last[actor]
    if (last?.state === state && last.order === order) return
    this.#last[actor] = { state, order }
    this.#changes.add({ actor, state, atMs: this.#nowMs() - this.#startMs, order })
  }

  #settle(begun: Begun): void {
    this.#breakPromises(this.#nowMs() - this.#startMs)
    begun.isSettled = true
  }

  /** Promises whose time passed before an instant are broken, unless they are settled. */
  #breakPromises(beforeMs: number): void {
    for (;;) {
      const [next] = this.#promises
      if (next === undefined || next.promisedMs >= beforeMs) return
      this.#promises.shift()
      if (next.isSettled) continue
      next.isSettled = true
      const { actor, site, promisedMs } = next
      this.#breaks.add({
        kind: BREAK_KINDS.indexOf("broken promise"),
        atMs: Math.max(0, Math.ceil(promisedMs)),
        actor,
        site,
      })
    }
  }

  #leaveWay(actor: number, beforeMs = this.#nowMs()): void {
    const way = this.#ways.get(actor)
    if (way === undefined) return
    this.#ways.delete(actor)
    this.#write(actor, way, beforeMs)
  }

  /** Writes the pieces of a way that begin before an instant. */
  #write(actor: number, way: Way, beforeMs: EpochMs): void {
    const { state, corners } = way
    for (; way.written < corners.length - 1; way.written += 1) {
      const [from, to] = [corners[way.written], corners[way.written + 1]]
      if (from === undefined || to === undefined || way.fromMs + from.atMs >= beforeMs) return
      this.#legs.add({
        actor,
        state,
        fromMs: Math.round(way.fromMs + from.atMs - this.#startMs),
        untilMs: Math.round(way.fromMs + to.atMs - this.#startMs),
        fromLatitude: Math.round(from.place.latitude * MICRODEGREES),
        fromLongitude: Math.round(from.place.longitude * MICRODEGREES),
        toLatitude: Math.round(to.place.latitude * MICRODEGREES),
        toLongitude: Math.round(to.place.longitude * MICRODEGREES),
      })
    }
  }

  #stateNumber(state: string): number {
    const known = this.#stateNumbers.get(state)
    if (known !== undefined) return known
    const made = this.#stateNumbers.size
    this.#stateNumbers.set(state, made)
    this.#states.push(state)
    return made
  }
}

/** A state of a machine in words: `waiting_for_order` is "waiting for order". */
export function stateWords(state: string): string {
  return state.replaceAll("_", " ")
}

/** Of orders that end otherwise than asked. An order fails when no customer comes to the door. */
const BREAK_BY_END: Readonly<Partial<Record<OrderEnd, BreakKind>>> = {
  declined: "declined",
  failed: "no-show",
}

/** The rows of one level: one for each instant, and none for a value that came and went within it. */
class LevelRows {
  readonly #add: (atMs: number, value: number) => void
  #value = 0
  #atMs = 0
  #written = 0

  constructor(add: (atMs: number, value: number) => void) {
    this.#add = add
  }

  change(by: number, atMs: number): void {
    if (atMs > this.#atMs) this.write()
    this.#atMs = atMs
    this.#value += by
  }

  write(): void {
    if (this.#value === this.#written) return
    this.#written = this.#value
    this.#add(this.#atMs, this.#value)
  }
}
