/**
 * Time that has passed, for pauses and durations within a process. A step of the machine's clock moves instants and not this, so
 * nothing waits for an hour or ends early because the clock was set (src/DECISIONS.md §1).
 */

import type { Clock } from "effect"
import { Routine } from "./routine.ts"

/** Milliseconds since an instant that means nothing: only differences count. */
export const elapsedMs: Routine<number> = Routine.clockWith(elapsedMsBy)

/** The same by a clock that is at hand. */
export function elapsedMsBy(clock: Clock.Clock): number {
  return Number(clock.unsafeCurrentTimeNanos() / NANOS_PER_MS)
}

const NANOS_PER_MS = 1_000_000n
