/** A crew that repairs so many things at a time, in the order in which they broke. */

import type { Tally } from "./tally.ts"

/** The world in which things break. */
interface Breaking {
  readonly startMs: number
  readonly nowMs: number
  readonly tally: Tally
  /** Runs a callback at an instant. */
  readonly at: (instantMs: number, run: () => void) => void
}

/** Belongs to no demand. */
const NO_DEMAND = -1

export class Repairs {
  readonly #world: Breaking
  /** When each of the crew has no more to repair; empty without a limit. */
  readonly #freeAtMs: number[]

  /** `crew`: how many at a time; null is any number. */
  constructor(world: Breaking, crew: number | null) {
    this.#world = world
    this.#freeAtMs = Array.from({ length: crew ?? 0 }, () => world.startMs)
  }

  /** How long a thing that breaks now is away, with its wait for the crew. */
  awayMs(repairMs: number): number {
    const { nowMs, tally } = this.#world
    if (this.#freeAtMs.length === 0) return repairMs
    const first = this.#freeAtMs.indexOf(Math.min(...this.#freeAtMs))
    const beginsMs = Math.max(nowMs, this.#freeAtMs[first] ?? nowMs)
    this.#freeAtMs[first] = beginsMs + repairMs
    if (tally.isMeasured(nowMs))
      this.#world.at(beginsMs, () => tally.observe("repairs.wait", beginsMs - nowMs, NO_DEMAND))
    return beginsMs + repairMs - nowMs
  }
}
