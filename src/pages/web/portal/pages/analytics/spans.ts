/** Spans of time on the analytics page: what each is called, and the query of its figures. */

import type { Schemas } from "../../api.ts"
import type { Days } from "../filters.tsx"

export type Granularity = Schemas["Trends"]["granularity"]

/** `last_week`: from Monday to Sunday. `days`: chosen by their dates. */
export const PERIODS = ["today", "week", "last_week", "month", "days"] as const
export type Period = (typeof PERIODS)[number]

interface PeriodText {
  readonly name: string
  /** The first is shown unless another is chosen. */
  readonly granularities: readonly [Granularity, ...Granularity[]]
}

export const PERIOD_TEXTS: Readonly<Record<Period, PeriodText>> = {
  today: { name: "Today", granularities: ["hour"] },
  week: { name: "7 days", granularities: ["hour", "day"] },
  last_week: { name: "Last week", granularities: ["day", "hour"] },
  month: { name: "30 days", granularities: ["day", "hour", "week"] },
  days: { name: "Days", granularities: ["day", "week"] },
}

export interface Span {
  readonly query: SpanQuery
  /** What the figures are compared with: "the 7 days before". */
  readonly before: string
}

type SpanQuery =
  { readonly period: "month" | "today" | "week" } | { readonly startDate: string; readonly endDate: string }

/** Null while not both days are chosen. `zone`: the site's. */
export function spanOf(period: Period, days: Days, clock: SiteClock): Span | null {
  switch (period) {
    case "today":
      return { query: { period }, before: "the same hours before" }
    case "week":
      return { query: { period }, before: "the 7 days before" }
    case "month":
      return { query: { period }, before: "the 30 days before" }
    case "last_week": {
      const { from, to } = lastWeek(clock)
      return { query: { startDate: from, endDate: dayAfter(to, 1) }, before: "the week before" }
    }
    case "days":
      return days.from === "" || days.to === "" ? null : spanOfDays(days, clock)
  }
}

interface SiteClock {
  readonly zone: string
  readonly nowMs: number
}

function spanOfDays({ from, to }: Days, clock: SiteClock): Span {
  const count = daysBetween(from, to) + 1
  const isOver = to < today(clock)
  const before = isOver ? `the ${count === 1 ? "day" : `${count} days`} before` : "as much time before"
  return { query: { startDate: from, endDate: dayAfter(to, 1) }, before }
}

/** The last whole week at the site, from Monday to Sunday. */
function lastWeek(clock: SiteClock): Days {
  const day = today(clock)
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
  return { from: dayAfter(day, -sinceMonday - 7), to: dayAfter(day, -sinceMonday - 1) }
}

/** The last 7 whole days at the site. */
export function lastDays(clock: SiteClock): Days {
  const day = today(clock)
  return { from: dayAfter(day, -7), to: dayAfter(day, -1) }
}

/** `2026-11-23`, at the site. */
function today({ zone, nowMs }: SiteClock): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).formatToParts(nowMs)
  const [year, month, day] = (["year", "month", "day"] as const).map(
    (wanted) => parts.find(({ type }) => type === wanted)?.value ?? "",
  )
  return `${year}-${month}-${day}`
}

function dayAfter(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10)
}

function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS
}

const DAY_MS = 24 * 3_600_000
