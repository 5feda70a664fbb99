/**
 * Checks that the steps' times can follow each other. How long a step takes is not known before the run, so this keeps
 * the earliest instant at which the next step can run; an earlier time cannot be reached.
 */

import { DAY_MS, MINUTE_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { TimeRef } from "./language.ts"
import { instantsOf, midnightOf, wallClockAt } from "../../../model/values/local-time.ts"
import type { Occurrence, WallClockMs } from "../../../model/values/local-time.ts"
import type { Report, Span } from "./problems.ts"

export interface Timeline {
  /** Reports a time that does not exist on the scenario's day, or that comes twice without saying which. */
  readonly check: (time: TimeRef, span: Span) => void
  /** A step runs, or a fact is expected, at this time. */
  readonly move: (time: TimeRef, span: Span) => void
}

/** The scenario's start. */
export interface TimelineStart {
  readonly wallMs: WallClockMs
  readonly timeZone: string
  readonly occurrence?: Occurrence
  /** What comes before the first step: "the step before" unless it is said. */
  readonly before?: string
}

export function startTimeline(start: TimelineStart, report: Report): Timeline {
  const { wallMs, timeZone } = start
  const midnightMs = midnightOf(wallMs)
  let before = start.before ?? "the step before"
  let earliestMs: EpochMs = instantIn(wallMs, start) ?? wallMs
  return {
    check: (time, span) => {
      if (time.type === "offset") return
      const wantedMs = midnightMs + time.dayOffset * DAY_MS + time.msOfDay
      const problem = occurrenceProblem(wantedMs, { timeZone, occurrence: time.occurrence })
      if (problem !== null) report(span, problem.message, { help: problem.help })
    },
    move: (time, span) => {
      if (time.type === "offset") {
        if (time.ms >= 0) earliestMs += time.ms
        else
          report(span, "this time is before the step before", { expected: "an offset forward, such as +90s" })
        return
      }
      const wantedMs = midnightMs + time.dayOffset * DAY_MS + time.msOfDay
      const instant = instantIn(wantedMs, { timeZone, occurrence: time.occurrence })
      // The reader of the time has reported it.
      if (instant === null) return
      if (instant < earliestMs) {
        const shownTime = spoken(wallClockAt(earliestMs, timeZone), midnightMs)
        report(
          span,
          `${spoken(wantedMs, midnightMs)} has passed: ${before} is not earlier than ${shownTime}`,
          {
            expected: `${shownTime} or later`,
            ...(time.dayOffset === 0
              ? { help: `the next day is "tomorrow ${spoken(wantedMs, midnightMs)}"` }
              : {}),
          },
        )
      } else {
        earliestMs = instant
        before = "the step before"
      }
    },
  }
}

interface Where {
  readonly timeZone: string
  readonly occurrence?: Occurrence | undefined
}

function instantIn(wallMs: WallClockMs, { timeZone, occurrence }: Where): EpochMs | null {
  const [first, second] = instantsOf(wallMs, timeZone)
  return (occurrence === "second" ? second : first) ?? null
}

/** The problem of a local time near a clock change; null when it names one instant. */
export function occurrenceProblem(
  wallMs: WallClockMs,
  { timeZone, occurrence }: Where,
): { readonly message: string; readonly help: string } | null {
  const count = instantsOf(wallMs, timeZone).length
  const [day = "", time = ""] = new Date(wallMs).toISOString().slice(0, 19).replace(/:00$/, "").split("T")
  const there = `${time} on ${day} in ${timeZone}`
  if (count === 0) return { message: `there is no ${there}`, help: "the clocks are put forward then" }
  if (count === 2 && occurrence === undefined) {
    return { message: `${there} comes twice: the clocks are put back`, help: `add "first" or "second"` }
  }
  if (count === 1 && occurrence !== undefined) {
    return { message: `${there} comes once`, help: `leave "${occurrence}" out` }
  }
  return null
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
