/** The start of a scenario or a fleet model: a local date and time with its time zone. */

import { wallClockOf } from "../../../model/values/local-time.ts"
import type { Occurrence, WallClockMs } from "../../../model/values/local-time.ts"
import { isTimeZone } from "../../../model/values/time-zone.ts"
import { asText } from "./keys.ts"
import type { LocalStart } from "./language.ts"
import { nearest } from "./problems.ts"
import type { Report, Span } from "./problems.ts"
import type { Written } from "./source.ts"
import { occurrenceProblem } from "./timeline.ts"

export interface Clock extends LocalStart {
  readonly wallMs: WallClockMs
}

const CLOCK_WORDS = "a local date and time with its time zone, such as 2026-03-02T11:30 America/Chicago"

const OCCURRENCES: readonly Occurrence[] = ["first", "second"]

/**
 * Reads `2026-03-02T11:30 America/Chicago`, with `first` or `second` at the end when that time comes twice; otherwise
 * null, and reports it.
 */
export function readClock(value: Written | undefined, report: Report): Clock | null {
  if (value === undefined) return null
  const text = asText(value, CLOCK_WORDS, report)
  if (text === null) return null
  const [local = "", timeZone, which, ...rest] = text.split(/\s+/)
  const wallMs = wallClockOf(local)
  const occurrence = OCCURRENCES.find((word) => word === which)
  if (wallMs === null || timeZone === undefined || occurrence !== which || rest.length > 0) {
    const suggestion = meantStart(text)
    report(value.span, clockMessage(text, { wallMs, timeZone }), {
      expected: CLOCK_WORDS,
      ...(suggestion === null ? {} : { suggestion }),
    })
    return null
  }
  if (!isTimeZone(timeZone)) {
    const suggestion = nearest(timeZone, Intl.supportedValuesOf("timeZone"))
    report(partOf(value, timeZone), `there is no time zone ${JSON.stringify(timeZone)}`, {
      expected: "a region of the IANA data base, such as America/Chicago",
      ...(suggestion === undefined ? {} : { suggestion }),
    })
    return null
  }
  const start = { wallMs, timeZone, ...(occurrence === undefined ? {} : { occurrence }) }
  const problem = occurrenceProblem(wallMs, start)
  if (problem !== null) {
    report(value.span, problem.message, { help: problem.help })
    return null
  }
  return { local, ...start }
}

/** The start of a scenario or a fleet model, without its other clock fields. */
export function startOf({ local, timeZone, occurrence }: LocalStart): LocalStart {
  return { local, timeZone, ...(occurrence === undefined ? {} : { occurrence }) }
}

/** The span of a part of an unquoted value; a quoted value is marked as a whole. */
function partOf({ span }: Written, part: string): Span {
  const start = span.line.indexOf(part, span.start)
  if (start === -1) return span
  const column = span.place.column + start - span.start
  return { ...span, place: { ...span.place, column }, start, length: part.length }
}

function clockMessage(
  text: string,
  read: { readonly wallMs: number | null; readonly timeZone: string | undefined },
): string {
  if (read.wallMs !== null && read.timeZone === undefined) return "the clock has no time zone"
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2})?)(?:\s|$)/.exec(text) ?? []
  if (read.wallMs === null && day !== undefined && time !== undefined)
    return wallClockOf(`${day}T00:00`) === null
      ? `there is no day ${day} in the calendar`
      : `a day has no time ${time}`
  return `${JSON.stringify(text)} is not a clock`
}

/** `2026-03-02 11:30 America/Chicago` has a blank where a T belongs. */
function meantStart(text: string): string | null {
  const meant = text.replace(/^(\d{4}-\d{2}-\d{2})\s+(?=\d{2}:)/, "$1T")
  const [local = "", timeZone = ""] = meant.split(/\s+/)
  return meant !== text && wallClockOf(local) !== null && isTimeZone(timeZone) ? meant : null
}
