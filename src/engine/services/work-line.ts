/** Work that is done a few at a time, with a bound on what waits for it. */

import { Effect } from "effect"

export interface WorkLineOptions {
  readonly atOnceMax: number
  /** Work that is done or waits. */
  readonly waitingMax: number
}

/** Runs work in its turn; `full` runs in its place when too much waits. */
export type WorkLine = <A, E, B, F>(
  work: Effect.Effect<A, E>,
  full: Effect.Effect<B, F>,
) => Effect.Effect<A | B, E | F>

export function makeWorkLine({ atOnceMax, waitingMax }: WorkLineOptions): Effect.Effect<WorkLine> {
  return Effect.map(Effect.makeSemaphore(atOnceMax), (slots): WorkLine => {
    let waiting = 0
    const leave = Effect.sync(() => {
      waiting -= 1
    })
    return <A, E, B, F>(work: Effect.Effect<A, E>, full: Effect.Effect<B, F>) =>
      Effect.uninterruptibleMask((restore): Effect.Effect<A | B, E | F> => {
        if (waiting >= waitingMax) return restore(full)
        waiting += 1
        return Effect.ensuring(restore(slots.withPermits(1)(work)), leave)
      })
  })
}
