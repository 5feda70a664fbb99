/** Which of the two days is shown, or both. */

import { useEffect, useMemo, useState } from "preact/hooks"
import { readDays } from "../address.ts"
import { followAddress } from "../../own-address.ts"
import { otherDay } from "./comparison.ts"
import type { Day } from "./comparison.ts"

interface ShownDays {
  /** In full: the sentence, the curb, the lanes and the picked actor are of this one. */
  readonly day: Day
  /** The other day is drawn too. */
  readonly isBoth: boolean
  /** Each day has a map, where there is room. */
  readonly isBeside: boolean
}

export interface Days extends ShownDays {
  readonly showOne: (day: Day) => void
  readonly showBoth: () => void
  /** The other one in full. */
  readonly swap: () => void
  readonly toggleBeside: () => void
  /** This day, the changed day, both, and again. */
  readonly next: () => void
}

const FIRST: ShownDays = { day: "written", isBoth: false, isBeside: false }

/** By the word of the address; each day in full has one. */
const MODES: Readonly<Record<string, ShownDays>> = {
  a: FIRST,
  b: { day: "changed", isBoth: false, isBeside: false },
  "a-ghost": { day: "written", isBoth: true, isBeside: false },
  "b-ghost": { day: "changed", isBoth: true, isBeside: false },
  "a-beside": { day: "written", isBoth: true, isBeside: true },
  "b-beside": { day: "changed", isBoth: true, isBeside: true },
}

/** The days of a word; the day as it is written for any other one. */
export function daysOfMode(mode: string | null): ShownDays {
  return MODES[mode ?? ""] ?? FIRST
}

export function modeOf({ day, isBoth, isBeside }: ShownDays): string {
  const letter = day === "written" ? "a" : "b"
  return isBoth ? `${letter}-${isBeside ? "beside" : "ghost"}` : letter
}

export function useDays(): Days {
  const [shown, setShown] = useState(() => daysOfMode(readDays(location.hash).mode))
  useEffect(() => followAddress((fragment) => setShown(daysOfMode(readDays(fragment).mode))), [])
  const acts = useMemo(
    () => ({
      showOne: (day: Day) => setShown((now) => ({ ...now, day, isBoth: false })),
      showBoth: () => setShown((now) => ({ ...now, isBoth: true })),
      swap: () => setShown((now) => ({ ...now, day: otherDay(now.day) })),
      toggleBeside: () => setShown((now) => ({ ...now, isBeside: !now.isBeside })),
      next: () => setShown(afterNext),
    }),
    [],
  )
  return { ...shown, ...acts }
}

export function afterNext(now: ShownDays): ShownDays {
  if (now.isBoth) return { ...now, day: "written", isBoth: false }
  return now.day === "written" ? { ...now, day: "changed" } : { ...now, isBoth: true }
}
