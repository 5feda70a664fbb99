/**
 * Whether the steps' times can follow each other. What a step takes is not known before the run, so this keeps the
 * earliest instant at which the next step can stand; a time before it cannot be reached.
 */

import { DAY_MS, MINUTE_MS } from "../../model/time.ts"
import type { EpochMs } from "../../model/time.ts"
import type { TimeRef } from "./language.ts"
import { instantOf, midnightOf, wallClockAt } from "../../model/local-time.ts"
import type { WallClockMs } from "../../model/local-time.ts"
import type { Report, Span } from "./problems.ts"

export interface Timeline {
  /** A step stands, or a fact is expected, at this time. */
  readonly move: (time: TimeRef, span: Span) => void
}

export function startTimeline(wallMs: WallClockMs, timeZone: string, report: Report): Timeline {
  const midnightMs = midnightOf(wallMs)
  let earliestMs: EpochMs = instantOf(wallMs, timeZone) ?? wallMs
  return {
    move: (time, span) => {
      if (time.type === "offset") {
        if (time.ms >= 0) earliestMs += time.ms
        else
          report(span, "this time is before the step before", { expected: "an offset forward, such as +90s" })
        return
      }
      const wantedMs = midnightMs + time.dayOffset * DAY_MS + time.msOfDay
      const instant = instantOf(wantedMs, timeZone)
      const day = new Date(wantedMs).toISOString().slice(0, 10)
      if (instant === null) {
        report(span, `this time does not exist on ${day} in ${timeZone}`, {
          help: "the clocks are put forward then",
        })
      } else if (instant < earliestMs) {
        const shownTime = spoken(wallClockAt(earliestMs, timeZone), midnightMs)
        report(
          span,
          `${spoken(wantedMs, midnightMs)} has passed: the step before is not earlier than ${shownTime}`,
          {
            expected: `${shownTime} or later`,
            ...(time.dayOffset === 0
              ? { help: `the next day is "tomorrow ${spoken(wantedMs, midnightMs)}"` }
              : {}),
          },
        )
      } else {
        earliestMs = instant
      }
    },
  }
}

/** `11:30`, `tomorrow 11:30`, or the date when it is another day. */
function spoken(wallMs: WallClockMs, midnightMs: WallClockMs): string {
  const iso = new Date(wallMs).toISOString()
  const time = wallMs % MINUTE_MS === 0 ? iso.slice(11, 16) : iso.slice(11, 19)
  const days = (midnightOf(wallMs) - midnightMs) / DAY_MS
  if (days === 0) return time
  if (days === 1) return `tomorrow ${time}`
  return days === -1 ? `yesterday ${time}` : `${iso.slice(0, 10)} ${time}`
}
