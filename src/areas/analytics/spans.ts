/** Spans: the requested time on the site's calendar. */

import { momentOf } from "../../model/requests/analytics.ts"
import type { MetricsRequest, Moment } from "../../model/requests/analytics.ts"
import type { FieldProblem } from "../../model/values/errors.ts"
import { ANALYTICS_DAYS_MAX, HOURLY_DAYS_MAX, HOURLY_DAYS_USUAL } from "../../model/values/limits.ts"
import { startOfDate, startOfDay } from "../../model/values/local-calendar.ts"
import type { Granularity } from "../../model/values/local-calendar.ts"
import { wallClockAt } from "../../model/values/local-time.ts"
import { DAY_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"

/** Half-open; it may end or begin after now. */
export interface Span {
  readonly startMs: EpochMs
  readonly endMs: EpochMs
}

/** A site's clock at one moment. */
export interface SiteMoment {
  readonly timeZone: string
  readonly nowMs: EpochMs
}

type Asked = Pick<MetricsRequest, "period" | "startDate" | "endDate">

/** The span, or the problem of the request. A pair of dates takes precedence over a period. */
export function spanOf(asked: Asked, moment: SiteMoment): Span | FieldProblem {
  const { startDate, endDate, period = "today" } = asked
  if (startDate === undefined && endDate === undefined) return spanOfPeriod(period, moment)
  if (startDate === undefined) return { field: "startDate", message: "must come with endDate" }
  if (endDate === undefined) return { field: "endDate", message: "must come with startDate" }
  const { timeZone } = moment
  const startMs = instantAt(momentOf(startDate), timeZone)
  const endMs = instantAt(momentOf(endDate), timeZone)
  const span = { startMs, endMs }
  if (endMs <= startMs) return { field: "endDate", message: "must be after startDate" }
  if (!isWithin(ANALYTICS_DAYS_MAX, span, timeZone)) {
    return { field: "endDate", message: `must be at most ${ANALYTICS_DAYS_MAX} days after startDate` }
  }
  return span
}

/**
 * The granularity of the answer: the requested one, or hours for short spans and days for others; or the problem of the
 * request.
 */
export function granularityOf(
  asked: Granularity | undefined,
  span: Span,
  timeZone: string,
): Granularity | FieldProblem {
  if (asked === undefined) return isWithin(HOURLY_DAYS_USUAL, span, timeZone) ? "hour" : "day"
  return asked !== "hour" || isWithin(HOURLY_DAYS_MAX, span, timeZone)
    ? asked
    : { field: "granularity", message: `may be hour for at most ${HOURLY_DAYS_MAX} days` }
}

function spanOfPeriod(period: NonNullable<Asked["period"]>, { timeZone, nowMs }: SiteMoment): Span {
  switch (period) {
    case "today":
      return { startMs: startOfDay(nowMs, timeZone), endMs: nowMs }
    case "week":
      return { startMs: nowMs - 7 * DAY_MS, endMs: nowMs }
    case "month":
      return { startMs: nowMs - 30 * DAY_MS, endMs: nowMs }
  }
}

/** The request's schema has checked both. */
function instantAt(moment: Moment | null, timeZone: string): EpochMs {
  if (moment === null) return Number.NaN
  return moment.type === "instant" ? moment.instantMs : startOfDate(moment.midnight, timeZone)
}

/** By elapsed time or by the calendar: 31 days with a clock change may have an additional hour. */
function isWithin(days: number, { startMs, endMs }: Span, timeZone: string): boolean {
  const onTheWall = wallClockAt(endMs, timeZone) - wallClockAt(startMs, timeZone)
  return Math.min(endMs - startMs, onTheWall) <= days * DAY_MS
}
