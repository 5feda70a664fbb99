/** Which of the two days is shown, or both. */

import { useMemo, useState } from "preact/hooks"
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

export function useDays(): Days {
  const [shown, setShown] = useState(FIRST)
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
