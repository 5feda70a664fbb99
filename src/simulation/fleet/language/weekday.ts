/** Weekdays of local times. */

import type { WallClockMs } from "../../../model/values/local-time.ts"
import { DAY_MS } from "../../../model/values/time.ts"

/** 0 is Monday, as in `WEEKDAYS`. */
export function weekdayAt(wallMs: WallClockMs): number {
  // 1970-01-01 was a Thursday.
  return (((Math.floor(wallMs / DAY_MS) + 3) % 7) + 7) % 7
}
