/**
 * Measurements of one replication: durations, counts, and levels over time. Everything before the end of the warm-up is
 * left out: an order counts by the instant of its request, a level by the part of its time after the warm-up.
 */

import { FLEET_TRACE_MAX } from "../../model/limits.ts"
import { MINUTE_MS } from "../../model/time.ts"
import type { Place } from "../../model/place.ts"
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

/**
 * One state of a person or vehicle for the Gantt chart and the map; only the first replication of a case keeps them.
 */
export interface Traced {
  readonly who: string
  readonly atMs: number
  readonly state: string
  /** The place at that time; for a drive, the place at its end. */
  readonly place: Place | null
  readonly to: Place | null
  readonly untilMs: number | null
  /** Corners of a drive along streets, with their instants. */
  readonly along?: readonly { readonly place: Place; readonly atMs: number }[]
}

export class Tally {
  readonly fromMs: number
  readonly untilMs: number
  readonly durations = new Map<string, number[]>()
  /** When each of the durations began, without those of states. */
  readonly begun = new Map<string, number[]>()
  readonly counts = new Map<string, number>()
  /** By group of orders: when each late one was due. */
  readonly lateDueMs = new Map<string, number[]>()
  readonly levels = new Map<string, Level>()
  readonly traced: Traced[] = []
  readonly #isTraced: boolean
  readonly #nowMs: () => number

  constructor(span: {
    readonly fromMs: number
    readonly untilMs: number
    readonly isTraced: boolean
    readonly nowMs: () => number
  }) {
    this.fromMs = span.fromMs
    this.untilMs = span.untilMs
    this.#isTraced = span.isTraced
    this.#nowMs = span.nowMs
  }

  /** True when a request at this instant is counted. */
  isMeasured(atMs: number): boolean {
    return atMs >= this.fromMs && atMs < this.untilMs
  }

  /** Called when the duration ends. */
  observe(measure: Measure | `state.${string}`, ms: number): void {
    append(this.durations, measure, ms)
    if (!measure.startsWith("state.")) append(this.begun, measure, this.#nowMs() - ms)
  }

  count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  countOrder(product: Product, count: OrderCount): void {
    this.count(`orders.${count}`)
    this.count(`${GROUP_BY_PRODUCT[product]}.${count}`)
  }

  /** Late: on board after the end of its window, or at the door after the quoted time. */
  countLate(product: Product, dueMs: number): void {
    this.countOrder(product, "late")
    append(this.lateDueMs, GROUP_BY_PRODUCT[product], dueMs)
  }

  countErrand(count: ErrandCount): void {
    this.count(`errands.${count}`)
  }

  level(resource: Resource, what: "busy" | "duty" | "queue"): Level {
    const name = `${resource}.${what}`
    let level = this.levels.get(name)
    if (level === undefined) {
      level = new Level(this)
      this.levels.set(name, level)
    }
    return level
  }

  trace(traced: Traced): void {
    if (this.#isTraced && this.traced.length < FLEET_TRACE_MAX) this.traced.push(traced)
  }

  close(nowMs: number): void {
    for (const level of this.levels.values()) level.close(nowMs)
  }
}

function append(lists: Map<string, number[]>, name: string, value: number): void {
  const known = lists.get(name)
  if (known === undefined) lists.set(name, [value])
  else known.push(value)
}
