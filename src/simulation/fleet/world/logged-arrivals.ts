/**
 * When orders of a table come: once each, or by days that are repeated or drawn. A factor of the demand thins the orders, or adds copies of
 * them: a copy comes at another instant of its stretch, so each hour keeps its share.
 *
 * Draws are made row by row, and a change of the demand begins a stretch, so the past stays the same when only the future changes.
 */

import type { Chance } from "../chance.ts"
import { DAY_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { LoggedDay, LoggedOrder, OrderFacts, OrderLog } from "../language/order-log.ts"
import { withinMsOf } from "../language/replay-table.ts"
import type { ReplayTable } from "../language/replay-table.ts"
import type { LocalClock } from "./local-clock.ts"

export interface LoggedProcess {
  readonly log: OrderLog
  readonly table: ReplayTable
  /** The demand's own. */
  readonly chance: Chance
  /** Of the file: demands of one log draw the same days. */
  readonly days: Chance
  readonly clock: LocalClock
  readonly startMs: EpochMs
  readonly horizonMs: number
}

/** How many times as many orders come in a stretch, and where it ends; milliseconds from the start of the run. */
export interface LoggedStretch {
  readonly fromMs: number
  readonly untilMs: number
  readonly factor: number
}

export interface LoggedArrival {
  readonly atMs: number
  readonly facts: OrderFacts
}

/** Earliest first, all in the stretches, which follow each other. */
export function loggedArrivals(
  process: LoggedProcess,
  stretches: readonly LoggedStretch[],
): readonly LoggedArrival[] {
  const { log, table, chance } = process
  const orders = log.days === null ? log.orders : ordersOfDays(log.days, process)
  const withinMs = withinMsOf(table.time)
  const arrivals: LoggedArrival[] = []
  for (const { atMs: fromMs, facts } of orders) {
    const atMs = withinMs === 0 ? fromMs : Math.floor(fromMs + chance.fraction("within") * withinMs)
    const share = chance.fraction("scale")
    const stretch = stretchAt(stretches, atMs)
    if (stretch === null) continue
    const wanted = table.scale * stretch.factor
    const count = Math.floor(wanted) + (share < wanted % 1 ? 1 : 0)
    if (count > 0) arrivals.push({ atMs, facts })
    for (let copy = 1; copy < count; copy += 1) {
      const lengthMs = stretch.untilMs - stretch.fromMs
      arrivals.push({ atMs: Math.floor(stretch.fromMs + chance.fraction("copies") * lengthMs), facts })
    }
  }
  return arrivals.toSorted((one, other) => one.atMs - other.atMs)
}

/** The orders of each local day of the run, from a day of the log that stands for it. */
function* ordersOfDays(days: readonly LoggedDay[], process: LoggedProcess): Generator<LoggedOrder, void> {
  const { clock, startMs, horizonMs } = process
  const played = new Map<string, number>()
  for (let midnightMs = midnightOf(clock, startMs); midnightMs < startMs + horizonMs;) {
    const day = dayFor(clock.weekday(midnightMs), { days, process, played })
    // A time of day that the clocks skip comes at the change.
    for (const { atMs, facts } of day?.orders ?? [])
      yield { atMs: clock.next(atMs, midnightMs - 1) - startMs, facts }
    midnightMs = clock.next(0, midnightMs)
  }
}

function midnightOf(clock: LocalClock, startMs: EpochMs): EpochMs {
  const nextMs = clock.next(0, startMs - DAY_MS)
  return nextMs > startMs ? startMs - clock.msOfDay(startMs) : nextMs
}

interface Choosing {
  readonly days: readonly LoggedDay[]
  readonly process: LoggedProcess
  /** How many days of the run had each weekday so far. */
  readonly played: Map<string, number>
}

function dayFor(weekday: number, { days, process, played }: Choosing): LoggedDay | undefined {
  const { table, days: chance } = process
  if (table.resample !== null) {
    const alike = daysLike(weekday, days)
    return alike[Math.floor(chance.fraction("days") * alike.length)]
  }
  const isDaily = table.repeat === "daily"
  const alike = isDaily ? days : days.filter((day) => day.weekday === weekday)
  const key = isDaily ? "day" : String(weekday)
  const number = played.get(key) ?? 0
  played.set(key, number + 1)
  return alike[number % Math.max(1, alike.length)]
}

const SATURDAY = 5

/** Days of the same weekday; of a log with fewer than two of it the working days or those of the weekend, else all. */
function daysLike(weekday: number, days: readonly LoggedDay[]): readonly LoggedDay[] {
  const same = days.filter((day) => day.weekday === weekday)
  if (same.length > 1) return same
  const half = days.filter((day) => day.weekday >= SATURDAY === weekday >= SATURDAY)
  return half.length > 1 ? half : days
}

function stretchAt(stretches: readonly LoggedStretch[], atMs: number): LoggedStretch | null {
  let [low, high] = [0, stretches.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const stretch = stretches[middle] as LoggedStretch
    if (atMs < stretch.fromMs) high = middle - 1
    else if (atMs >= stretch.untilMs) low = middle + 1
    else return stretch
  }
  return null
}
