/**
 * Measurements of one replication: durations, counts, and levels over time. Everything before the end of the warm-up is
 * left out: an order counts by the instant of its request, a level by the part of its time after the warm-up.
 */

import { MINUTE_MS } from "../../../model/values/time.ts"
import type { CourseLevelName } from "../../../model/replay/course.ts"
import { GROUP_BY_PRODUCT } from "../language/metrics.ts"
import type { ErrandCount, Measure, OrderCount, Product, Resource } from "../language/metrics.ts"

/** Levels are averaged over intervals of this length. */
export const STRETCH_MS = 15 * MINUTE_MS

/** A count that changes over time, and the area under it for each interval. */
export class Level {
  readonly areas: number[]
  readonly #fromMs: number
  readonly #untilMs: number
  #value = 0
  #sinceMs: number
  #max = 0

  constructor({ fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number }) {
    this.#fromMs = fromMs
    this.#untilMs = untilMs
    this.#sinceMs = 0
    this.areas = Array.from({ length: Math.ceil((untilMs - fromMs) / STRETCH_MS) }, () => 0)
  }

  get value(): number {
    return this.#value
  }

  /** The highest value that lasted during the measured time: who is served at once has not waited. */
  get max(): number {
    return this.#max
  }

  change(by: number, nowMs: number): void {
    this.#settle(nowMs)
    this.#value += by
  }

  /** Counts the area up to the end. */
  close(nowMs: number): void {
    this.#settle(Math.max(nowMs, this.#untilMs))
  }

  #settle(nowMs: number): void {
    const endMs = Math.min(nowMs, this.#untilMs)
    let atMs = Math.max(this.#sinceMs, this.#fromMs)
    if (this.#value > 0 && atMs < endMs) this.#max = Math.max(this.#max, this.#value)
    while (this.#value !== 0 && atMs < endMs) {
      const stretch = Math.floor((atMs - this.#fromMs) / STRETCH_MS)
      const stepMs = Math.min(endMs, this.#fromMs + (stretch + 1) * STRETCH_MS)
      this.areas[stretch] = (this.areas[stretch] ?? 0) + this.#value * (stepMs - atMs)
      atMs = stepMs
    }
    this.#sinceMs = Math.max(this.#sinceMs, nowMs)
  }
}

/** A level that may be counted for one site and for all together. */
export interface Counter {
  readonly change: (by: number, nowMs: number) => void
}

/** What a measurement belongs to: whether its order counts, and of which demand of the model it is. */
export interface Counted {
  readonly isMeasured: boolean
  readonly demandNumber: number
}

/** An order counts where it was requested: its demand, and the instant. */
export interface CountedOrder {
  readonly demandNumber: number
  readonly askedAtMs: number
}

/** What the orders of one demand measured. All products together are left out: a demand has one product. */
export interface DemandTally {
  readonly durations: Map<string, number[]>
  readonly begun: Map<string, number[]>
  readonly counts: Map<string, number>
  /** When each late order was due. */
  readonly lateDueMs: number[]
}

/** How many sites and demands have figures of their own. */
export interface TallyParts {
  readonly sites: number
  readonly demands: number
}

export interface TallySpan {
  readonly fromMs: number
  readonly untilMs: number
  readonly nowMs: () => number
  readonly parts?: TallyParts
  /** Makes a counter beside the tally, for each site's level. */
  readonly told?: ((name: CourseLevelName) => Counter) | undefined
}

export class Tally {
  readonly fromMs: number
  readonly untilMs: number
  readonly durations = new Map<string, number[]>()
  /** When each of the durations began, without those of states. */
  readonly begun = new Map<string, number[]>()
  readonly counts = new Map<string, number>()
  /** By the count of a product's orders: when each of them was requested. */
  readonly askedMs = new Map<string, number[]>()
  /** By group of orders: when each late one was due. */
  readonly lateDueMs = new Map<string, number[]>()
  readonly levels = new Map<string, Level>()
  /** The same by the number of the demand; empty for a model of one site and one demand. */
  readonly demands: readonly DemandTally[]
  /** Levels by the number of the site; empty for a model of one site. */
  readonly siteLevels: readonly Map<string, Level>[]
  readonly #counters = new Map<string, Counter>()
  readonly #told: TallySpan["told"]
  /** By state, to save making its name. */
  readonly #stateLists = new Map<string, number[]>()
  readonly #nowMs: () => number

  constructor(span: TallySpan) {
    const { sites, demands } = span.parts ?? { sites: 1, demands: 1 }
    const isParted = sites > 1 || demands > 1
    this.demands = Array.from({ length: isParted ? demands : 0 }, () => ({
      durations: new Map(),
      begun: new Map(),
      counts: new Map(),
      lateDueMs: [],
    }))
    this.siteLevels = Array.from({ length: sites > 1 ? sites : 0 }, () => new Map())
    this.fromMs = span.fromMs
    this.untilMs = span.untilMs
    this.#told = span.told
    this.#nowMs = span.nowMs
  }

  /** True when a request at this instant is counted. */
  isMeasured(atMs: number): boolean {
    return atMs >= this.fromMs && atMs < this.untilMs
  }

  /** Called when the duration of an order ends. */
  observe(measure: Measure, ms: number, demandNumber: number): void {
    const begunMs = this.#nowMs() - ms
    append(this.durations, measure, ms)
    append(this.begun, measure, begunMs)
    const own = this.demands[demandNumber]
    if (own === undefined || measure === "wait") return
    append(own.durations, measure, ms)
    append(own.begun, measure, begunMs)
  }

  /** Called when a state of a machine ends, such as `reservation.arrived`. */
  observeState(state: string, ms: number): void {
    const known = this.#stateLists.get(state)
    if (known !== undefined) return void known.push(ms)
    const made = [ms]
    this.#stateLists.set(state, made)
    this.durations.set(`state.${state}`, made)
  }

  count(name: string): void {
    increment(this.counts, name)
  }

  countOrder(product: Product, count: OrderCount, order: CountedOrder): void {
    const name = `${GROUP_BY_PRODUCT[product]}.${count}`
    this.count(`orders.${count}`)
    this.#countOwn(name, order)
  }

  /** Late: on board after the end of its window, or at the door after the quoted time. */
  countLate(product: Product, dueMs: number, order: CountedOrder): void {
    this.countOrder(product, "late", order)
    append(this.lateDueMs, GROUP_BY_PRODUCT[product], dueMs)
    this.demands[order.demandNumber]?.lateDueMs.push(dueMs)
  }

  countErrand(count: ErrandCount, order: CountedOrder): void {
    this.#countOwn(`errands.${count}`, order)
  }

  #countOwn(name: string, { demandNumber, askedAtMs }: CountedOrder): void {
    this.count(name)
    append(this.askedMs, name, askedAtMs)
    const own = this.demands[demandNumber]
    if (own !== undefined) increment(own.counts, name)
  }

  /** The level of a site's resource, which counts for all sites together too. */
  level(resource: Resource, what: "busy" | "duty" | "queue", siteNumber: number): Counter {
    const name = `${resource}.${what}`
    const key = `${siteNumber}.${name}`
    const known = this.#counters.get(key)
    if (known !== undefined) return known
    const own = this.siteLevels[siteNumber]
    const counters: readonly Counter[] = [
      this.#levelOf(this.levels, name),
      ...(own === undefined ? [] : [this.#levelOf(own, name)]),
      ...(this.#told === undefined ? [] : [this.#told({ resource, what, site: siteNumber })]),
    ]
    const made: Counter = {
      change: (by, nowMs) => {
        for (const one of counters) one.change(by, nowMs)
      },
    }
    this.#counters.set(key, made)
    return made
  }

  #levelOf(levels: Map<string, Level>, name: string): Level {
    const known = levels.get(name)
    if (known !== undefined) return known
    const made = new Level(this)
    levels.set(name, made)
    return made
  }

  close(nowMs: number): void {
    for (const levels of [this.levels, ...this.siteLevels]) {
      for (const level of levels.values()) level.close(nowMs)
    }
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function append(lists: Map<string, number[]>, name: string, value: number): void {
  const known = lists.get(name)
  if (known === undefined) lists.set(name, [value])
  else known.push(value)
}
