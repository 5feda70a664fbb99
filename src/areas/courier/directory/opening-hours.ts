/**
 * Opening hours as one line of text: `Mon-Fri 07:00-22:00; Sat 08:00-23:00, Sun 08:00-14:00`. An interval that ends at
 * or before its beginning ends on the next day.
 */

import { DAY_MINUTES } from "../../../model/values/time.ts"
import type { OpeningHours } from "./store-directory.ts"

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const

/** The hours, by day and time; or the problem, which completes the sentence "hours …". */
export function hoursIn(text: string): readonly OpeningHours[] | string {
  const hours: OpeningHours[] = []
  for (const part of text.split(/[;,]/).map((one) => one.trim())) {
    const [, days = "", opens = "", closes = ""] = /^(\S+) +(\d{2}:\d{2}) ?- ?(\d{2}:\d{2})$/.exec(part) ?? []
    const weekdays = weekdaysIn(days)
    const opensAtMinute = minuteIn(opens)
    const closing = minuteIn(closes)
    if (weekdays === null || opensAtMinute === null || closing === null || opensAtMinute === DAY_MINUTES) {
      return `must be such as "Mon-Fri 07:00-22:00; Sat 08:00-02:00"; "${part}" is not`
    }
    const closesAtMinute = closing <= opensAtMinute ? closing + DAY_MINUTES : closing
    hours.push(...weekdays.map((weekday) => ({ weekday, opensAtMinute, closesAtMinute })))
  }
  const sorted = hours.toSorted(
    (one, other) => one.weekday - other.weekday || one.opensAtMinute - other.opensAtMinute,
  )
  const twice = sorted.find((one, at) => {
    const next = sorted[at + 1]
    return next?.weekday === one.weekday && next.opensAtMinute < one.closesAtMinute
  })
  return twice === undefined ? sorted : `overlap on ${DAYS[twice.weekday] ?? ""}`
}

/** The same hours as text; adjacent days with equal hours are written together. */
export function hoursText(hours: readonly OpeningHours[]): string {
  const monday = (weekday: number): number => (weekday + 6) % 7
  const stretches = hours
    .map(({ weekday, ...stretch }) => ({ from: monday(weekday), until: monday(weekday), ...stretch }))
    .toSorted((one, other) => one.opensAtMinute - other.opensAtMinute || one.from - other.from)
  const merged: (typeof stretches)[number][] = []
  for (const one of stretches) {
    const last = merged.find(
      ({ until, opensAtMinute, closesAtMinute }) =>
        until === one.from - 1 &&
        opensAtMinute === one.opensAtMinute &&
        closesAtMinute === one.closesAtMinute,
    )
    if (last === undefined) merged.push({ ...one })
    else last.until = one.until
  }
  return merged
    .toSorted((one, other) => one.from - other.from || one.opensAtMinute - other.opensAtMinute)
    .map(({ from, until, opensAtMinute, closesAtMinute }) => {
      const day = (index: number): string => DAYS[(index + 1) % 7] ?? ""
      const days = from === until ? day(from) : `${day(from)}-${day(until)}`
      return `${days} ${clock(opensAtMinute)}-${clock(closesAtMinute)}`
    })
    .join("; ")
}

/** `Mon`, `Mon-Fri`, `Sat-Mon` or `Daily`. */
function weekdaysIn(text: string): readonly number[] | null {
  if (/^daily$/i.test(text)) return DAYS.map((_, weekday) => weekday)
  const [first = "", last = first, ...more] = text.split("-")
  const [from, until] = [first, last].map((name) =>
    DAYS.findIndex((day) => day.toLowerCase() === name.toLowerCase()),
  )
  if (from === undefined || until === undefined || from < 0 || until < 0 || more.length > 0) return null
  return Array.from({ length: ((until - from + 7) % 7) + 1 }, (_, at) => (from + at) % 7)
}

function minuteIn(text: string): number | null {
  const [hours = Number.NaN, minutes = Number.NaN] = text.split(":").map(Number)
  const minute = hours * 60 + minutes
  return minutes < 60 && minute <= DAY_MINUTES ? minute : null
}

/** 24:00 for the end of the day. */
function clock(minute: number): string {
  const ofDay = minute > DAY_MINUTES ? minute - DAY_MINUTES : minute
  return `${String(Math.floor(ofDay / 60)).padStart(2, "0")}:${String(ofDay % 60).padStart(2, "0")}`
}
