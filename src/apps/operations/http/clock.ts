/** The clock that the times of a reservation or a delivery are on, as the API shows it. */

import { Schema } from "effect"
import { DateTime } from "../../../http/records/date-time.ts"
import type { BoardClock } from "../board-clock.ts"

export const CLOCK_FIELDS = {
  clock_at: DateTime.annotations({
    description:
      "The present on the clock that its times are on. In the sandbox its organization may have moved that clock.",
  }),
  clock_stands: Schema.Boolean,
}

/** What they are written from. */
export function clockFields({ nowMs, isStanding }: BoardClock) {
  return { clockAtMs: nowMs, clockStands: isStanding }
}
