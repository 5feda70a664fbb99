/**
 * How many actors of a kind had started, and how many were active, at any row: counted once, then found by binary
 * search.
 */

import { at } from "./run-index.ts"
import type { RunIndex } from "./run-index.ts"

export interface Activity {
  readonly started: number
  readonly active: number
}

/** One kind's changes, in the order of their rows. */
interface Changes {
  readonly rows: number[]
  readonly counts: Activity[]
}

const NOTHING: Activity = { started: 0, active: 0 }

export class Activities {
  readonly #byKind = new Map<string, Changes>()

  /** `isAtRest` says whether an actor with a state value has settled. Cost: one pass over all steps. */
  constructor(
    index: RunIndex,
    kindOf: (actor: number) => string,
    isAtRest: (actor: number, value: number) => boolean,
  ) {
    const isActive = new Map<number, boolean>()
    for (const [step, actor] of index.stepActor.entries()) {
      const before = isActive.get(actor)
      const now = at(index.stepDone, step) === 0 && !isAtRest(actor, at(index.stepValue, step))
      if (before === now) continue
      isActive.set(actor, now)
      const kind = kindOf(actor)
      const changes = this.#byKind.get(kind) ?? { rows: [], counts: [] }
      this.#byKind.set(kind, changes)
      const last = changes.counts.at(-1) ?? NOTHING
      changes.rows.push(at(index.stepRow, step))
      changes.counts.push({
        started: last.started + (before === undefined ? 1 : 0),
        active: last.active + (now ? 1 : 0) - (before === true ? 1 : 0),
      })
    }
  }

  /** Cost: one binary search. */
  at(kind: string, row: number): Activity {
    const changes = this.#byKind.get(kind)
    if (changes === undefined) return NOTHING
    let low = 0
    let high = changes.rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (at(changes.rows, middle) <= row) low = middle + 1
      else high = middle
    }
    return changes.counts[low - 1] ?? NOTHING
  }
}
