/** The clock that the times of a reservation or a delivery are on, as the API shows it. */

import { Schema } from "effect"
import { isoMs } from "../../../model/values/time.ts"
import { DateTime } from "../../../http/date-time.ts"
import type { BoardClock } from "../board-clock.ts"

export const CLOCK_FIELDS = {
  clock_at: DateTime.annotations({
    description:
      "The present on the clock that its times are on. In the sandbox its organization may have moved that clock.",
  }),
  clock_stands: Schema.Boolean,
}

export function clockData({ nowMs, isStanding }: BoardClock) {
  return { clock_at: isoMs(nowMs), clock_stands: isStanding }
}
