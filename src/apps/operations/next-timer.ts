/** The timer that acts next on what operations look at. */

import type { EpochMs } from "../../model/values/time.ts"
import type { Group } from "../../engine/kernel/group.ts"

export interface NextTimer {
  /** As the machine names it. */
  readonly name: string
  readonly atMs: EpochMs
}

/** The first armed timer of the groups. XState names the event of a delay `xstate.after.<delay>.<state>`. */
export function nextTimerOf(groups: readonly Group[]): NextTimer | null {
  const timers = groups.flatMap((group) => [...group.timers.values()])
  const [first] = timers.toSorted((one, other) => one.dueMs - other.dueMs)
  if (first === undefined) return null
  const [, name = first.event] = /^xstate\.after\.([^.]+)\./.exec(first.event) ?? []
  return { name, atMs: first.dueMs }
}
