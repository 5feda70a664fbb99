/**
 * Concurrent creates of one name. The lock of the name and the row decide which of them makes the delivery; a create
 * that finds the row learns here whether it is a retry, or arrived before the creation had ended and lost the race
 * (src/DECISIONS.md §67). In memory of one process.
 */

import { CREATIONS_KEPT_MAX } from "../../model/values/limits.ts"
import type { Arrivals } from "../../engine/services/arrivals.ts"
import { Routine } from "../../engine/services/routine.ts"

export interface Races {
  /** True when the request with this number arrived before the creation of the row had ended. */
  readonly isLost: (name: string, arrival: number) => boolean
  /** Runs the creation of this name. It ends when every request that had arrived by then is numbered. */
  readonly creating: <A, E, R>(name: string, creation: Routine<A, E, R>) => Routine<A, E, R>
}

export function makeRaces(arrivals: Arrivals["Type"]): Races {
  /** How many creations of a name are in flight. */
  const inFlight = new Map<string, number>()
  /** The number of the latest request when the creation of a name ended; only for the newest creations. */
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
      Routine.using({
        begin: () => begin(name),
        run: Routine.tap(creation, () => Routine.map(arrivals.allCounted, () => keep(name))),
        end: () => end(name),
      }),
  }
}
