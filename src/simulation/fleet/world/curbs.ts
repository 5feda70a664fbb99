/**
 * The curb of each site: its stalls, which partners' bots and the site's own vehicles share. A bot has a reserved
 * stall. A vehicle takes the free stall whose next window begins last; if none is free, it waits for the first stall
 * that no bot waits for.
 *
 * Differs from the street: a vehicle stays until it is loaded, even when others need the curb.
 */

import { Servers } from "./servers.ts"
import type { Counted, Tally } from "./tally.ts"

/** A callback of a waiting vehicle; it gets the stall. */
type Waiting = (stall: Servers) => void

/** Leaves the line or frees the stall. Called once. */
export type Leave = () => void

export class Curb {
  readonly #stalls: readonly Servers[]
  readonly #siteNumber: number
  readonly #tally: Tally
  readonly #nowMs: () => number
  readonly #vehicles: Waiting[] = []
  /** For every stall, the starts of its reserved windows. */
  readonly #windows: readonly Set<{ readonly startsAtMs: number }>[]

  constructor(
    stalls: number,
    {
      siteNumber,
      tally,
      nowMs,
    }: { readonly siteNumber: number; readonly tally: Tally; readonly nowMs: () => number },
  ) {
    this.#siteNumber = siteNumber
    this.#tally = tally
    this.#nowMs = nowMs
    this.#stalls = Array.from(
      { length: stalls },
      () => new Servers({ resource: "stalls", wait: "stalls.wait", places: 1, siteNumber, tally, nowMs }),
    )
    this.#windows = this.#stalls.map(() => new Set())
  }

  /** Adds a reservation of a stall. Returns a function that removes it. */
  book(place: number, startsAtMs: number): () => void {
    const window = { startsAtMs }
    this.#windows[place]?.add(window)
    return () => this.#windows[place]?.delete(window)
  }

  /** A bot arrives at its reserved stall; places count from 0. Returns a function that ends its wait. */
  take(place: number, begin: () => void, of: Counted): Leave {
    return this.#stalls[place]?.take(begin, of) ?? (() => {})
  }

  release(place: number): void {
    const stall = this.#stalls[place]
    if (stall !== undefined) this.#free(stall)
  }

  /** The places of the last stalls. */
  lastOnes(count: number): readonly number[] {
    return [...this.#stalls.keys()].toReversed().slice(0, count)
  }

  /** A stall that is out takes no one; who stands in it stays. Returns a function that brings it back. */
  takeOut(place: number): () => void {
    const stall = this.#stalls[place]
    const back = stall?.takeOut(1)
    return () => {
      back?.()
      if (stall !== undefined) this.#offer(stall)
    }
  }

  /** A vehicle stops to load. A curb without stalls is never full. */
  stop(begin: () => void, { isMeasured, demandNumber }: Counted): Leave {
    if (this.#stalls.length === 0) {
      begin()
      return () => {}
    }
    let held: Servers | null = null
    const sinceMs = this.#nowMs()
    const take: Waiting = (stall) => {
      held = stall
      stall.take(begin, { isMeasured, demandNumber, sinceMs })
    }
    const free = this.#longestFree()
    if (free === null) this.#wait(take)
    else take(free)
    return () => {
      if (held !== null) this.#free(held)
      else this.#giveUp(take)
    }
  }

  #longestFree(): Servers | null {
    let best: { readonly stall: Servers; readonly untilMs: number } | null = null
    for (const [place, stall] of this.#stalls.entries()) {
      if (!stall.hasRoom) continue
      const untilMs = Math.min(...[...(this.#windows[place] ?? [])].map(({ startsAtMs }) => startsAtMs))
      if (best === null || untilMs > best.untilMs) best = { stall, untilMs }
    }
    return best?.stall ?? null
  }

  /** Bots that wait for this stall go first. */
  #free(stall: Servers): void {
    stall.release()
    this.#offer(stall)
  }

  /** To the vehicle that waits longest. */
  #offer(stall: Servers): void {
    if (!stall.hasRoom) return
    const next = this.#vehicles.shift()
    if (next === undefined) return
    this.#changeQueue(-1)
    next(stall)
  }

  #wait(waiting: Waiting): void {
    this.#vehicles.push(waiting)
    this.#changeQueue(1)
  }

  #giveUp(waiting: Waiting): void {
    this.#vehicles.splice(this.#vehicles.indexOf(waiting), 1)
    this.#changeQueue(-1)
  }

  #changeQueue(by: 1 | -1): void {
    this.#tally.level("stalls", "queue", this.#siteNumber).change(by, this.#nowMs())
  }
}
