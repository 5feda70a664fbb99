/** What happened to a reservation or a delivery, and what its next timer is, as the operations API shows them. */

import { Schema } from "effect"
import { DateTime } from "../../../http/records/date-time.ts"
import type { TimelineLine } from "../../portal/timeline.ts"
import { recordsOf } from "../../../http/records/records.ts"

export const TimelineShown = Schema.Struct({
  timeline: Schema.Array(
    Schema.Struct({
      at: DateTime,
      actor: Schema.String,
      event: Schema.String,
      label: Schema.String,
      by: Schema.Literal("command", "message", "result", "timer"),
      after: Schema.String,
      refused: Schema.NullOr(Schema.String),
    }),
  ),
})

export const NextTimerShown = Schema.NullOr(Schema.Struct({ name: Schema.String, at: DateTime }))

const written = recordsOf(TimelineShown)

export function timelineData(lines: readonly TimelineLine[]) {
  return written({ timeline: lines })
}
