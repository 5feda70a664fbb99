/** Places that one order holds at a time, in order of arrival: cooks of a kitchen, a stall at the curb. */

import type { Measure, Resource } from "../language/metrics.ts"
import type { Tally } from "./tally.ts"

interface Waiting {
  readonly sinceMs: number
  readonly isMeasured: boolean
  readonly begin: () => void
  isGone: boolean
}

export class Servers {
  readonly #resource: Resource
  readonly #wait: Measure
  readonly #places: number
  readonly #tally: Tally
  readonly #nowMs: () => number
  readonly #queue: Waiting[] = []
  #busy = 0

  /** `places` is Infinity when requests never wait; there is no utilisation then. */
  constructor(options: {
    readonly resource: Resource
    readonly wait: Measure
    readonly places: number
    readonly tally: Tally
    readonly nowMs: () => number
  }) {
    this.#resource = options.resource
    this.#wait = options.wait
    this.#places = options.places
    this.#tally = options.tally
    this.#nowMs = options.nowMs
    if (Number.isFinite(options.places)) {
      this.#tally.level(options.resource, "duty").change(options.places, options.nowMs())
    }
  }

  /** True when a request would not wait now. */
  get hasRoom(): boolean {
    return this.#busy < this.#places
  }

  /** Begins as soon as there is a free place. Returns a function that ends the wait. */
  take(
    begin: () => void,
    {
      isMeasured,
      sinceMs = this.#nowMs(),
    }: {
      readonly isMeasured: boolean
      /** When its wait began, if it began elsewhere. */
      readonly sinceMs?: number
    },
  ): () => void {
    const waiting: Waiting = { sinceMs, isMeasured, begin, isGone: false }
    if (this.hasRoom) this.#begin(waiting)
    else {
      this.#queue.push(waiting)
      this.#tally.level(this.#resource, "queue").change(1, this.#nowMs())
    }
    return () => this.#leave(waiting)
  }

  /** Frees a place. */
  release(): void {
    this.#busy -= 1
    this.#tally.level(this.#resource, "busy").change(-1, this.#nowMs())
    const next = this.#queue.shift()
    if (next === undefined) return
    this.#tally.level(this.#resource, "queue").change(-1, this.#nowMs())
    this.#begin(next)
  }

  #begin(waiting: Waiting): void {
    waiting.isGone = true
    this.#busy += 1
    this.#tally.level(this.#resource, "busy").change(1, this.#nowMs())
    if (waiting.isMeasured) this.#tally.observe(this.#wait, this.#nowMs() - waiting.sinceMs)
    waiting.begin()
  }

  #leave(waiting: Waiting): void {
    if (waiting.isGone) return
    waiting.isGone = true
    this.#queue.splice(this.#queue.indexOf(waiting), 1)
    this.#tally.level(this.#resource, "queue").change(-1, this.#nowMs())
  }
}
