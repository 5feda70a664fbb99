/** Places that one order holds at a time, in order of arrival: cooks of a kitchen, a stall at the curb. */

import type { Measure, Resource } from "../language/metrics.ts"
import type { Counted, Tally } from "./tally.ts"

interface Waiting {
  readonly sinceMs: number
  readonly of: Counted
  readonly begin: () => void
  isGone: boolean
}

export class Servers {
  readonly #resource: Resource
  readonly #wait: Measure
  #places: number
  /** Busy places that go when they are free. */
  #leaving = 0
  /** How often places without a limit are out. */
  #closed = 0
  readonly #siteNumber: number
  readonly #tally: Tally
  readonly #nowMs: () => number
  readonly #queue: Waiting[] = []
  #busy = 0

  /** `places` is Infinity when requests never wait; there is no utilisation then. */
  constructor(options: {
    readonly resource: Resource
    readonly wait: Measure
    readonly places: number
    readonly siteNumber: number
    readonly tally: Tally
    readonly nowMs: () => number
  }) {
    this.#resource = options.resource
    this.#wait = options.wait
    this.#places = options.places
    this.#siteNumber = options.siteNumber
    this.#tally = options.tally
    this.#nowMs = options.nowMs
    if (Number.isFinite(options.places)) {
      this.#change("duty", options.places)
    }
  }

  /** True when a request would not wait now. */
  get hasRoom(): boolean {
    return this.#closed === 0 && this.#busy < this.#places
  }

  /** Begins as soon as there is a free place. Returns a function that ends the wait. */
  take(
    begin: () => void,
    of: Counted & {
      /** When its wait began, if it began elsewhere. */
      readonly sinceMs?: number
    },
  ): () => void {
    const waiting: Waiting = { sinceMs: of.sinceMs ?? this.#nowMs(), of, begin, isGone: false }
    if (this.hasRoom) this.#begin(waiting)
    else {
      this.#queue.push(waiting)
      this.#change("queue", 1)
    }
    return () => this.#leave(waiting)
  }

  /** Frees a place. */
  release(): void {
    this.#busy -= 1
    this.#change("busy", -1)
    if (this.#leaving > 0) {
      this.#leaving -= 1
      this.#changePlaces(-1)
    } else this.#goOn()
  }

  /** So many more places from now on, or fewer: a busy one goes when it is free, and the last one stays. */
  changePlaces(by: number): void {
    for (let left = Math.abs(by); left > 0; left -= 1) {
      if (by > 0) this.#add()
      else if (this.#places - this.#leaving > 1) this.#remove()
    }
  }

  /** Takes so many places away, or all that there are; a busy one goes when it is free. Returns a function that brings them back. */
  takeOut(count: number): () => void {
    if (!Number.isFinite(this.#places)) return this.#close()
    let out = 0
    for (; out < count && this.#places > this.#leaving; out += 1) this.#remove()
    return () => {
      for (let left = out; left > 0; left -= 1) this.#add()
    }
  }

  #close(): () => void {
    this.#closed += 1
    return () => {
      this.#closed -= 1
      this.#goOn()
    }
  }

  #remove(): void {
    if (this.hasRoom) this.#changePlaces(-1)
    else this.#leaving += 1
  }

  #add(): void {
    if (this.#leaving > 0) this.#leaving -= 1
    else {
      this.#changePlaces(1)
      this.#goOn()
    }
  }

  #changePlaces(by: 1 | -1): void {
    this.#places += by
    this.#change("duty", by)
  }

  /** Those who wait begin, as far as there is room. */
  #goOn(): void {
    while (this.hasRoom) {
      const next = this.#queue.shift()
      if (next === undefined) return
      this.#change("queue", -1)
      this.#begin(next)
    }
  }

  #begin(waiting: Waiting): void {
    waiting.isGone = true
    this.#busy += 1
    this.#change("busy", 1)
    const { isMeasured, demandNumber } = waiting.of
    if (isMeasured) this.#tally.observe(this.#wait, this.#nowMs() - waiting.sinceMs, demandNumber)
    waiting.begin()
  }

  #leave(waiting: Waiting): void {
    if (waiting.isGone) return
    waiting.isGone = true
    this.#queue.splice(this.#queue.indexOf(waiting), 1)
    this.#change("queue", -1)
  }

  #change(what: "busy" | "duty" | "queue", by: number): void {
    this.#tally.level(this.#resource, what, this.#siteNumber).change(by, this.#nowMs())
  }
}
