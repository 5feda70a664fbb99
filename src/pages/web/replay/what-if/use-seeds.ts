/** Both models on twenty seeds, each in the worker of its day. Orders of one seed are the same in both. */

import { useEffect, useRef, useState } from "preact/hooks"
import type { ReplayRequest } from "../../../../model/replay/messages.ts"
import type { DayFigures, FiguresBySeed } from "../../../../model/replay/seed-difference.ts"
import type { SeedAnswer, Session } from "../session.ts"
import type { UsedSession } from "../use-session.ts"

export const SEEDS = 20

export interface SeedRuns {
  readonly is: "failed" | "resting" | "running"
  readonly written: FiguresBySeed
  readonly changed: FiguresBySeed
  /** Why they stopped; null unless they failed. */
  readonly message: string | null
  /** Goes on with the seeds that are missing. */
  readonly start: () => void
  /** What is computed stays. */
  readonly cancel: () => void
}

interface SeedParts {
  readonly run: ReplayRequest
  readonly first: Pick<UsedSession, "onSeeds" | "scene">
  /** Null without a changed day. */
  readonly changed: Session | null
}

type Runner = Pick<Session, "onSeeds">

export function useSeeds({ run, first, changed }: SeedParts): SeedRuns {
  const known = useRef<Record<"changed" | "written", Map<number, DayFigures>>>(nothingKnown())
  const [state, setState] = useState<Pick<SeedRuns, "is" | "message">>({ is: "resting", message: null })
  const [, draw] = useState(0)
  const ends = useRef<readonly (() => void)[]>([])
  const end = (): void => {
    for (const one of ends.current) one()
    ends.current = []
  }
  const cancel = (): void => {
    end()
    setState({ is: "resting", message: null })
  }
  // The figures of the day as written stay while its numbers are changed.
  useEffect(() => {
    known.current = nothingKnown()
  }, [run])
  useEffect(() => {
    known.current.changed = new Map()
    cancel()
    return end
  }, [changed])
  const start = (): void => {
    if (changed === null || first.scene === null) return
    const seeds = Array.from({ length: SEEDS }, (_, at) => (first.scene?.head.seed ?? 0) + at)
    const { written, changed: ofChanged } = known.current
    const sides: readonly (readonly [Runner, Map<number, DayFigures>])[] = [
      [first, written],
      [changed, ofChanged],
    ]
    const take = (into: Map<number, DayFigures>, answer: SeedAnswer): void => {
      if (answer.type === "failed") {
        end()
        return setState({ is: "failed", message: answer.mistake.message })
      }
      into.set(answer.seed, answer.figures)
      if (written.size === SEEDS && ofChanged.size === SEEDS) cancel()
      else draw((count) => count + 1)
    }
    end()
    setState({ is: "running", message: null })
    ends.current = sides.flatMap(([runner, into]) => {
      const missing = seeds.filter((seed) => !into.has(seed))
      return missing.length === 0 ? [] : [runner.onSeeds(missing, (answer) => take(into, answer))]
    })
  }
  return { ...state, written: known.current.written, changed: known.current.changed, start, cancel }
}

function nothingKnown(): Record<"changed" | "written", Map<number, DayFigures>> {
  return { written: new Map(), changed: new Map() }
}
