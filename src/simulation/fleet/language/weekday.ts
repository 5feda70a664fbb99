/** Weekdays of local times. */

import type { WallClockMs } from "../../../model/values/local-time.ts"
import { DAY_MS } from "../../../model/values/time.ts"

/** In the order of `Date`'s ISO weekdays. */
export const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const

export type Weekday = (typeof WEEKDAYS)[number]

/** 0 is Monday, as in `WEEKDAYS`. */
export function weekdayAt(wallMs: WallClockMs): number {
  // 1970-01-01 was a Thursday.
  return (((Math.floor(wallMs / DAY_MS) + 3) % 7) + 7) % 7
}
