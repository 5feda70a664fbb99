/** How likely a bad outcome is, from futures: as many as the interval needs, and no more. */

import { shareOf } from "../fit/rates.ts"
import type { Share } from "../fit/rates.ts"

/** Outcomes of futures in the order of their numbers; true is bad. */
export class Sampled {
  readonly #make: (number: number) => boolean
  readonly outcomes: boolean[] = []

  constructor(make: (number: number) => boolean) {
    this.#make = make
  }

  /** Makes futures until there are so many. */
  upTo(count: number): void {
    while (this.outcomes.length < count) this.outcomes.push(this.#make(this.outcomes.length))
  }

  share(): Share {
    const bad = this.outcomes.filter(Boolean).length
    const share = shareOf(bad, this.outcomes.length)
    if (share === null) throw new RangeError("no future was made")
    return share
  }
}

export interface Enough {
  /** The 95 % interval is at most this wide, as a share. */
  readonly width: number
  readonly atLeast: number
  readonly atMost: number
}

/** Doubles the number of futures until the interval is narrow enough. `isOver` is asked before each step but the first. */
export function sample(sampled: Sampled, { width, atLeast, atMost }: Enough, isOver: () => boolean): Share {
  sampled.upTo(Math.min(atLeast, atMost))
  for (;;) {
    const share = sampled.share()
    const { low, high } = share.interval
    if (high - low <= width || share.of >= atMost || isOver()) return share
    sampled.upTo(Math.min(atMost, share.of * 2))
  }
}
