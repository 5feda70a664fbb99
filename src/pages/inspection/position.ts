/**
 * A position in a run and the state there: every actor's last step, its armed timers and pending calls, and its time in
 * the current state. Each entry has whole states, so an actor's steps are its checkpoints: a jump is one binary search
 * for each actor (src/DECISIONS.md §62).
 */

import { NONE, at, rowCount } from "./run-index.ts"
import type { CallSpan, RunIndex, Span, TimerSpan } from "./run-index.ts"
import { activePaths } from "./state-value.ts"

export class Positions {
  readonly index: RunIndex
  /** Steps by actor, in order; actor `n` has those from `#first[n]` to `#first[n + 1]`. */
  readonly #steps: Int32Array
  readonly #first: Int32Array
  readonly #timers: readonly (readonly TimerSpan[])[]
  readonly #calls: readonly (readonly CallSpan[])[]

  /** Cost: one pass over all steps. */
  constructor(index: RunIndex) {
    this.index = index
    const { stepActor, actors, timers, calls } = index
    this.#first = new Int32Array(actors.length + 1)
    for (const actor of stepActor) this.#first[actor + 1] = (this.#first[actor + 1] ?? 0) + 1
    for (let actor = 0; actor < actors.length; actor += 1)
      this.#first[actor + 1] = (this.#first[actor] ?? 0) + (this.#first[actor + 1] ?? 0)
    this.#steps = new Int32Array(stepActor.length)
    const next = this.#first.slice()
    for (const [step, actor] of stepActor.entries()) {
      const place = next[actor] ?? 0
      this.#steps[place] = step
      next[actor] = place + 1
    }
    this.#timers = byActor(timers, actors.length)
    this.#calls = byActor(calls, actors.length)
  }

  /** The steps that an actor took, in order. */
  stepsOf(actor: number): Int32Array {
    return this.#steps.subarray(this.#first[actor] ?? 0, this.#first[actor + 1] ?? 0)
  }

  /** The actor's last step up to and including the row; NONE before its start. Cost: one binary search. */
  stepAt(actor: number, row: number): number {
    const steps = this.stepsOf(actor)
    return steps[this.#stepsUpTo(steps, row) - 1] ?? NONE
  }

  /** How many steps of an actor are up to and including the row. */
  #stepsUpTo(steps: Int32Array, row: number): number {
    let low = 0
    let high = steps.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (at(this.index.stepRow, steps[middle] ?? 0) <= row) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The actor's previous step; NONE for its first. */
  stepBefore(step: number): number {
    const actor = at(this.index.stepActor, step)
    const steps = this.stepsOf(actor)
    let low = 0
    let high = steps.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((steps[middle] ?? 0) < step) low = middle + 1
      else high = middle
    }
    return steps[low - 1] ?? NONE
  }

  /** The next row after, or the last before, in which the actor stepped; NONE if there is none. Cost: one binary search. */
  rowOfActor(actor: number, from: number, direction: 1 | -1): number {
    const steps = this.stepsOf(actor)
    const place = direction === 1 ? this.#stepsUpTo(steps, from) : this.#stepsUpTo(steps, from - 1) - 1
    return at(this.index.stepRow, steps[place] ?? NONE)
  }

  /** Timers that are armed after the row, ordered by due time. */
  timersAt(actor: number, row: number): readonly TimerSpan[] {
    return lasting(this.#timers[actor] ?? [], row).toSorted((a, b) => a.due - b.due)
  }

  /** Calls that are requested and not answered after the row. */
  callsAt(actor: number, row: number): readonly CallSpan[] {
    return lasting(this.#calls[actor] ?? [], row)
  }

  /** The last row at or before a time; 0 if all come later. Unit: ms since `clock0`. */
  rowAtTime(t: number): number {
    let low = 0
    let high = rowCount(this.index)
    while (low < high) {
      const middle = (low + high) >>> 1
      if (at(this.index.t, middle) <= t) low = middle + 1
      else high = middle
    }
    return Math.max(0, low - 1)
  }

  /** The row with this line number; null if the run has no such line. */
  rowOfLine(s: number): number | null {
    const first = at(this.index.s, 0)
    const row = s - first
    return at(this.index.s, row) === s ? row : null
  }
}

export interface Dwell {
  /** Since when the state is active; null if it is not. Unit: ms since `clock0`. */
  readonly since: number | null
  /** Total time in the state, all visits together. Unit: ms. */
  readonly totalMs: number
}

interface DwellQuery {
  readonly actor: number
  readonly row: number
  /** The end of the counted time; default: the row's own time. Unit: ms since `clock0`. */
  readonly now?: number
}

/** How long the actor was in each state up to a row, by state path. Cost: its steps up to there. */
export function dwellAt(positions: Positions, { actor, row, now }: DwellQuery): ReadonlyMap<string, Dwell> {
  const { index } = positions
  const dwells = new Map<string, { since: number | null; totalMs: number }>()
  let last = 0
  let active: readonly string[] = []
  const pass = (t: number): void => {
    for (const path of active) {
      const dwell = dwells.get(path)
      if (dwell !== undefined) dwell.totalMs += t - last
    }
    last = t
  }
  for (const step of positions.stepsOf(actor)) {
    if (at(index.stepRow, step) > row) break
    const t = at(index.t, at(index.stepRow, step))
    pass(t)
    const next = activePaths(index.values[at(index.stepValue, step)] ?? "null")
    for (const path of active)
      if (!next.includes(path)) dwells.set(path, { ...dwellOf(dwells, path), since: null })
    for (const path of next) {
      const dwell = dwellOf(dwells, path)
      dwells.set(path, { ...dwell, since: dwell.since ?? t })
    }
    active = next
  }
  pass(now ?? at(index.t, row))
  return dwells
}

function dwellOf(
  dwells: ReadonlyMap<string, { since: number | null; totalMs: number }>,
  path: string,
): { since: number | null; totalMs: number } {
  return dwells.get(path) ?? { since: null, totalMs: 0 }
}

function byActor<Lasting extends Span>(
  spans: readonly Lasting[],
  actors: number,
): readonly (readonly Lasting[])[] {
  const lists: Lasting[][] = Array.from({ length: actors }, () => [])
  for (const span of spans) lists[span.actor]?.push(span)
  return lists
}

function lasting<Lasting extends Span>(spans: readonly Lasting[], row: number): readonly Lasting[] {
  return spans.filter(({ from, to }) => from <= row && row < to)
}
