/** The order in which requests of this process arrived. Each is numbered when it is first seen; no clock is read. */

import { Context, Effect, Layer } from "effect"
import { Routine } from "./routine.ts"

export class Arrivals extends Context.Tag("Arrivals")<
  Arrivals,
  {
    /** Numbers one more request: 1 for the first. */
    readonly next: () => number
    /** The number of the latest request; 0 before the first. */
    readonly latest: () => number
    /** Completes when all requests that have arrived are numbered, including those that are not read yet. */
    readonly allCounted: Routine<void>
  }
>() {}

/** `counting` waits until the process has received the requests in its sockets, if that takes a separate step. */
export function layerArrivals(counting: Effect.Effect<void> = Effect.void): Layer.Layer<Arrivals> {
  return Layer.sync(Arrivals, () => {
    let count = 0
    return {
      next: () => {
        count += 1
        return count
      },
      latest: () => count,
      allCounted: Routine.suspend(() => counting),
    }
  })
}
