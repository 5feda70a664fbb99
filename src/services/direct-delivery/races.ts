/**
 * Races of one name: what arrived before another's work was done did not come after it, however late it looks at the rows.
 * The embedded database reads nothing while it writes, so a look alone cannot tell. Of one node; between nodes the lock of
 * the quote mostly decides (src/DECISIONS.md §67).
 */

import { Effect, Exit } from "effect"
import { WINS_KEPT_MAX } from "../../model/limits.ts"
import type { Arrivals } from "../arrivals.ts"

export interface Races {
  /** Runs what may race under its name. The number is its arrival's; null for what arrives now. */
  readonly run: <A, E, R>(
    name: string,
    arrival: number | null,
    racer: (race: Race) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E, R>
}

export interface Race {
  /** Begins its work, anew when a commit was undone: it has not done it. */
  readonly began: () => void
  /** Says that the racer has done it. */
  readonly won: () => void
  /** Whether another has done it that had not ended when this one arrived. */
  readonly isLost: () => boolean
}

interface Win {
  /** The latest arrival when the winner ended; null while it runs. */
  lastArrival: number | null
}

/** What has waited while so many others won is no longer told from what comes after. */
export function makeRaces(arrivals: Arrivals["Type"]): Races {
  const wins = new Map<string, Win>()
  return {
    run: (name, arrival, racer) =>
      Effect.suspend(() => {
        const number = arrival ?? arrivals.next()
        const own: Win = { lastArrival: null }
        const isOwn = () => wins.get(name) === own
        const undo = () => {
          if (isOwn()) wins.delete(name)
        }
        const race: Race = {
          began: undo,
          won: () => {
            wins.delete(name)
            wins.set(name, own)
            const [oldest] = wins.keys()
            if (wins.size > WINS_KEPT_MAX && oldest !== undefined) wins.delete(oldest)
          },
          isLost: () => {
            const win = wins.get(name)
            return win !== undefined && !isOwn() && number <= (win.lastArrival ?? number)
          },
        }
        return Effect.onExit(racer(race), (exit) => {
          if (!isOwn()) return Effect.void
          if (Exit.isFailure(exit)) return Effect.sync(undo)
          return Effect.map(arrivals.allCounted, () => {
            own.lastArrival = arrivals.latest()
          })
        })
      }),
  }
}
