/** What would be with other numbers: a second run of the changed model beside the first, and how the two differ. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { ReplayRequest } from "../../../../model/replay/messages.ts"
import { textWithChanges } from "../../../../model/replay/change-text.ts"
import { placeOf, textWith } from "../../../../model/replay/number-text.ts"
import type { FleetNumber } from "../../../../model/replay/number-text.ts"
import { readDays } from "../address.ts"
import type { MadeChange, WrittenDays } from "../address.ts"
import { followAddress } from "../../own-address.ts"
import { comparisonOf } from "../compare/comparison.ts"
import type { Comparison } from "../compare/comparison.ts"
import { Session } from "../session.ts"
import type { ReplayWorker } from "../session.ts"
import type { UsedSession } from "../use-session.ts"
import { NO_DIFFERENCE, differencesOf, timedChangesOf, writtenDifferences } from "./made-changes.ts"
import type { Differences } from "./made-changes.ts"
import { useSeeds } from "./use-seeds.ts"
import type { SeedRuns } from "./use-seeds.ts"

/** A slider sends a value with each pixel: the run begins when it rests. Unit: ms. */
const REST_MS = 250

export interface WhatIf extends Differences {
  /** Something differs from the model. */
  readonly isChanged: boolean
  readonly move: (number: FleetNumber, value: number) => void
  readonly setChanges: (changes: readonly MadeChange[]) => void
  readonly reset: () => void
  /** What the address changes and this model does not know, in words. */
  readonly unknown: readonly string[]
  readonly forgetUnknown: () => void
  /** For the address; null until it was read. */
  readonly written: Omit<WrittenDays, "mode"> | null
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
  /** The run of the model as it is written. */
  readonly first: Pick<UsedSession, "numbers" | "offers" | "onSeeds" | "scene" | "status">
  readonly start: () => ReplayWorker
}

interface Opened {
  readonly session: Session
  /** The model that it runs. */
  readonly text: string
}

export function useWhatIf({ run, first, start }: WhatIfParts): WhatIf {
  const { scene, numbers } = first
  const made = useDifferences(first)
  const { differences, set } = made
  const isChanged = differences.numbers.size > 0 || differences.changes.length > 0
  const [opened, setOpened] = useState<Opened | null>(null)
  const [, draw] = useState(0)
  const text = useMemo(() => {
    const withNumbers = textWith(run.text, numbers, differences.numbers)
    return scene === null
      ? withNumbers
      : textWithChanges(withNumbers, timedChangesOf(differences.changes, scene))
  }, [run.text, numbers, differences, scene])
  // Until the next run begins, the last one is of another change, which says nothing about this one.
  const session = opened?.text === text ? opened.session : null
  const latest = useRef<Session | null>(null)
  const open = (next: Session | null): void => {
    latest.current?.close()
    latest.current = next
    setOpened(next === null ? null : { session: next, text })
  }
  useEffect(() => {
    if (!isChanged) return open(null)
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
    ...differences,
    isChanged,
    move: (number, value) => set((now) => ({ ...now, numbers: numbersWith(now.numbers, number, value) })),
    setChanges: (changes) => set((now) => ({ ...now, changes })),
    reset: () => set(() => NO_DIFFERENCE),
    unknown: made.unknown,
    forgetUnknown: made.forgetUnknown,
    written: made.isRead ? writtenDifferences(differences, numbers) : null,
    session,
    comparison,
    seeds,
    text,
  }
}

/** What differs from the model: as the address says when the model is read, and then as the reader changes it. */
function useDifferences({ scene, numbers, offers }: Pick<UsedSession, "numbers" | "offers" | "scene">) {
  const [differences, set] = useState(NO_DIFFERENCE)
  const [unknown, setUnknown] = useState<readonly string[]>([])
  const [readFor, setReadFor] = useState<typeof scene>(null)
  useEffect(() => {
    if (scene === null) return
    const read = (fragment: string): void => {
      const found = differencesOf(readDays(fragment), { numbers, offers })
      set(found.differences)
      setUnknown(found.unknown)
      setReadFor(scene)
    }
    read(location.hash)
    return followAddress(read)
  }, [scene])
  return { differences, set, unknown, forgetUnknown: () => setUnknown([]), isRead: readFor === scene }
}

/** A number that has its own value again is not changed. */
function numbersWith(
  numbers: Differences["numbers"],
  number: FleetNumber,
  value: number,
): Differences["numbers"] {
  const next = new Map(numbers)
  if (value === number.value) next.delete(placeOf(number))
  else next.set(placeOf(number), value)
  return next
}
