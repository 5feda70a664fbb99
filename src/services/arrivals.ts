/** In which order requests came in, counted where a request is first seen. Of one process; no clock is read. */

import { Context, Effect, Layer } from "effect"

export class Arrivals extends Context.Tag("Arrivals")<
  Arrivals,
  {
    /** Counts one more, and gives its number: 1 for the first. */
    readonly next: () => number
    /** The number of the latest; 0 before the first. */
    readonly latest: () => number
    /** Ends when all requests that had come in before it are counted, also those that were not read yet. */
    readonly allCounted: Effect.Effect<void>
  }
>() {}

/** Where requests reach the process in a moment of its own, `allCounted` waits for that moment. */
export function layerArrivals(allCounted: Effect.Effect<void> = Effect.void): Layer.Layer<Arrivals> {
  return Layer.sync(Arrivals, () => {
    let count = 0
    return {
      next: () => {
        count += 1
        return count
      },
      latest: () => count,
      allCounted,
    }
  })
}
