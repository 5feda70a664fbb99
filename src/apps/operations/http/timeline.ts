/** What happened to a reservation or a delivery, and what its next timer is, as the operations API shows them. */

import { Schema } from "effect"
import { isoMs } from "../../../model/values/time.ts"
import { DateTime } from "../../../http/date-time.ts"
import type { TimelineLine } from "../../portal/timeline.ts"
import type { NextTimer } from "../next-timer.ts"

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

export function timelineData(lines: readonly TimelineLine[]) {
  return {
    timeline: lines.map(({ atMs, actor, event, label, by, after, refused }) => ({
      at: isoMs(atMs),
      actor,
      event,
      label,
      by,
      after,
      refused,
    })),
  }
}

export function nextTimerData(timer: NextTimer | null) {
  return timer === null ? null : { name: timer.name, at: isoMs(timer.atMs) }
}
