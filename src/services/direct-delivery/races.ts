/**
 * Races of one name: what began before another's work was done did not come after it, however late it looks at the rows.
 * The embedded database reads nothing while it writes, so a look alone cannot tell. Of one node; between nodes the lock of
 * the quote mostly decides (src/DECISIONS.md §67).
 */

import { Effect } from "effect"

export interface Races {
  /** Runs what may race under its name. */
  readonly run: <A, E, R>(
    name: string,
    racer: (race: Race) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E, R>
}

export interface Race {
  /** Begins its work, anew when a commit was undone: it has not done it. */
  readonly began: () => void
  /** Says that the racer has done it. */
  readonly won: () => void
  /** Whether another that ran at the same time has done it. */
  readonly isLost: () => boolean
}

/** One that runs. */
interface Racer {
  hasWon: boolean
  isLost: boolean
}

export function makeRaces(): Races {
  const racersByName = new Map<string, Set<Racer>>()
  return {
    run: (name, racer) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const racers = racersByName.get(name) ?? new Set()
          const one = { hasWon: false, isLost: [...racers].some(({ hasWon }) => hasWon) }
          racersByName.set(name, racers.add(one))
          return { racers, one }
        }),
        ({ racers, one }) =>
          racer({
            began: () => {
              one.hasWon = false
            },
            won: () => {
              one.hasWon = true
              for (const other of racers) if (other !== one) other.isLost = true
            },
            isLost: () => one.isLost,
          }),
        ({ racers, one }) =>
          Effect.sync(() => {
            racers.delete(one)
            if (racers.size === 0) racersByName.delete(name)
          }),
      ),
  }
}
