/**
 * Days, weekdays and hours of a run, which have figures of their own: `wait_p95 on 2026-03-06`, `wait_p95 on Fri`,
 * `wait_p95 from 12:00`. A quarter of an hour belongs to the day and the hour in which it begins, by the clocks of the sites.
 */

import { wallClockAt } from "../../../model/values/local-time.ts"
import { HOUR_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { LocalStart } from "../../scenario/language/language.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import { figureNamed } from "./metrics.ts"
import type { PartName } from "./metrics.ts"
import { WEEKDAYS, weekdayAt } from "./weekday.ts"
import type { Weekday } from "./weekday.ts"

export const TIME_KINDS = ["day", "weekday", "hour"] as const

export type TimeKind = (typeof TIME_KINDS)[number]

export interface TimePart extends PartName {
  readonly kind: TimeKind
}

export function isTimePart(part: PartName): part is TimePart {
  return TIME_KINDS.some((kind) => kind === part.kind)
}

/** True for a figure of a day, a weekday or an hour. */
export function isOfTime(metric: string): boolean {
  const { part } = figureNamed(metric)
  return part !== null && isTimePart(part)
}

/** What has days: the measured time of a run. */
export interface Timed {
  readonly clock: LocalStart
  readonly horizon: number
  readonly warm_up: number
}

/** The names of the day, the weekday and the hour of an instant: `2026-03-06`, `Fri`, `12:00`. */
export function timeNamesAt(atMs: EpochMs, timeZone: string): Readonly<Record<TimeKind, string>> {
  const wall = wallClockAt(atMs, timeZone)
  const local = new Date(wall).toISOString()
  return {
    day: local.slice(0, 10),
    weekday: WEEKDAYS[weekdayAt(wall)] as Weekday,
    hour: `${local.slice(11, 13)}:00`,
  }
}

/** Those of the measured time, in the order in which they first come. */
export function timePartsOf({ clock, horizon, warm_up: warmUp }: Timed, kind: TimeKind): readonly TimePart[] {
  const { startMs } = new SiteClock(clock)
  const [fromMs, untilMs] = [startMs + warmUp, startMs + horizon]
  const names = new Set<string>()
  for (let atMs = fromMs; atMs < untilMs; atMs += HOUR_MS) names.add(timeNamesAt(atMs, clock.timeZone)[kind])
  names.add(timeNamesAt(untilMs - 1, clock.timeZone)[kind])
  return [...names].map((name) => ({ kind, name }))
}

/** The parts that say more than the whole run: several days, and weekdays of which one comes again. */
export function shownTimeParts(model: Timed): readonly TimePart[] {
  const days = timePartsOf(model, "day")
  if (days.length < 2) return []
  const weekdays = timePartsOf(model, "weekday")
  return weekdays.length === days.length ? days : [...days, ...weekdays]
}

const WEEKDAY_NAMES: Readonly<Record<Weekday, string>> = {
  Mon: "Monday",
  Tue: "Tuesday",
  Wed: "Wednesday",
  Thu: "Thursday",
  Fri: "Friday",
  Sat: "Saturday",
  Sun: "Sunday",
}

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const

/** As people call it: `Friday 6 March`, `Friday`, `12:00 to 13:00`; other names of parts stay. */
export function partLabel({ kind, name }: PartName): string {
  switch (kind) {
    case "weekday":
      return WEEKDAY_NAMES[name as Weekday]
    case "day": {
      const wall = Date.parse(`${name}T00:00Z`)
      // A message shows a name that is not a date as the file has it.
      if (Number.isNaN(wall)) return name
      const date = new Date(wall)
      const weekday = WEEKDAY_NAMES[WEEKDAYS[weekdayAt(wall)] as Weekday]
      return `${weekday} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
    }
    case "hour":
      return `${name} to ${String((Number(name.slice(0, 2)) + 1) % 24).padStart(2, "0")}:00`
    case "demand":
    case "site":
      return name
  }
}

/** The same behind a figure or a noun: `on Friday 6 March`, `on Fridays`, `from 12:00 to 13:00`, `at north`, `of lunch`. */
export function partPhrase(part: PartName): string {
  const label = partLabel(part)
  switch (part.kind) {
    case "site":
      return `at ${label}`
    case "demand":
      return `of ${label}`
    case "day":
      return `on ${label}`
    case "weekday":
      return `on ${label}s`
    case "hour":
      return `from ${label}`
  }
}
