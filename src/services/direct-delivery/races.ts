/**
 * Creates of one name that overlap. The lock of the name and the row decide which of them makes the delivery; here one that finds
 * the row learns whether it is a retry, or arrived before the delivery's creation had ended and lost (src/DECISIONS.md §67). Of one process.
 */

import { Effect } from "effect"
import { CREATIONS_KEPT_MAX } from "../../model/limits.ts"
import type { Arrivals } from "../arrivals.ts"

export interface Races {
  /** Whether a request with this number arrived before the creation of the row that it found had ended. */
  readonly isLost: (name: string, arrival: number) => boolean
  /** Runs what makes the delivery of this name. It ends when every request that had come in by then is counted. */
  readonly creating: <A, E, R>(name: string, creation: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export function makeRaces(arrivals: Arrivals["Type"]): Races {
  /** How many creations of a name are in flight. */
  const inFlight = new Map<string, number>()
  /** The number of the latest request when the creation of a name ended; the newest creations only. */
  const lastArrivals = new Map<string, number>()
  const begin = (name: string): void => {
    inFlight.set(name, (inFlight.get(name) ?? 0) + 1)
  }
  const end = (name: string): void => {
    const others = (inFlight.get(name) ?? 1) - 1
    if (others === 0) inFlight.delete(name)
    else inFlight.set(name, others)
  }
  const keep = (name: string): void => {
    lastArrivals.delete(name)
    lastArrivals.set(name, arrivals.latest())
    const [oldest] = lastArrivals.keys()
    if (lastArrivals.size > CREATIONS_KEPT_MAX && oldest !== undefined) lastArrivals.delete(oldest)
  }
  return {
    isLost: (name, arrival) => inFlight.has(name) || arrival <= (lastArrivals.get(name) ?? 0),
    creating: (name, creation) =>
      Effect.acquireUseRelease(
        Effect.sync(() => begin(name)),
        () =>
          Effect.tap(
            creation,
            Effect.map(arrivals.allCounted, () => keep(name)),
          ),
        () => Effect.sync(() => end(name)),
      ),
  }
}
