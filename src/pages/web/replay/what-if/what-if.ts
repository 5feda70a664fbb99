/** What would be with other numbers: a second run of the changed model beside the first, and how the two differ. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { ReplayRequest } from "../../../../model/replay/messages.ts"
import { placeOf, textWith } from "../../../../model/replay/number-text.ts"
import type { FleetNumber } from "../../../../model/replay/number-text.ts"
import { comparisonOf } from "../compare/comparison.ts"
import type { Comparison } from "../compare/comparison.ts"
import { Session } from "../session.ts"
import type { ReplayWorker } from "../session.ts"
import type { UsedSession } from "../use-session.ts"
import { useSeeds } from "./use-seeds.ts"
import type { SeedRuns } from "./use-seeds.ts"

/** A slider sends a value with each pixel: the run begins when it rests. Unit: ms. */
const REST_MS = 250

export interface WhatIf {
  /** Values that differ from the model, by the place of the number. */
  readonly changed: ReadonlyMap<string, number>
  readonly move: (number: FleetNumber, value: number) => void
  readonly reset: () => void
  /** The run of the changed model; null without a change. */
  readonly session: Session | null
  /** Null until both runs have ended. */
  readonly comparison: Comparison | null
  /** Both models on more seeds than the one that is watched. */
  readonly seeds: SeedRuns
  /** The text of the changed model. */
  readonly text: string
}

interface WhatIfParts {
  readonly run: ReplayRequest
  readonly numbers: readonly FleetNumber[]
  /** The run of the model as it is written. */
  readonly first: Pick<UsedSession, "onSeeds" | "scene" | "status">
  readonly start: () => ReplayWorker
}

export function useWhatIf({ run, numbers, first, start }: WhatIfParts): WhatIf {
  const [changed, setChanged] = useState<WhatIf["changed"]>(new Map())
  const [session, setSession] = useState<Session | null>(null)
  const [, draw] = useState(0)
  const text = useMemo(() => textWith(run.text, numbers, changed), [run.text, numbers, changed])
  const latest = useRef<Session | null>(null)
  const open = (next: Session | null): void => {
    latest.current?.close()
    latest.current = next
    setSession(next)
  }
  // Another model has other numbers.
  useEffect(() => setChanged(new Map()), [run.text])
  useEffect(() => {
    if (changed.size === 0) return open(null)
    const onChange = (): void => draw((count) => count + 1)
    const resting = setTimeout(() => open(new Session({ run: { ...run, text }, start, onChange })), REST_MS)
    return () => clearTimeout(resting)
  }, [text, run.seed])
  useEffect(() => () => latest.current?.close(), [])
  const isBoth = first.status.is === "done" && session?.status.is === "done"
  const comparison = useMemo(() => {
    const [one, other] = [first.scene, session?.scene ?? null]
    return isBoth && one !== null && other !== null ? comparisonOf(one, other) : null
  }, [isBoth, first.scene, session])
  const seeds = useSeeds({ run, first, changed: comparison === null ? null : session })
  return {
    changed,
    move: (number, value) => setChanged(changedWith(changed, number, value)),
    reset: () => setChanged(new Map()),
    session,
    comparison,
    seeds,
    text,
  }
}

/** A number that has its own value again is not changed. */
function changedWith(changed: WhatIf["changed"], number: FleetNumber, value: number): WhatIf["changed"] {
  const next = new Map(changed)
  if (value === number.value) next.delete(placeOf(number))
  else next.set(placeOf(number), value)
  return next
}
