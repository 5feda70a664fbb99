/** The orders of a table, as a model's `replay` binds its columns. Every row is an order, or is counted with the reason why it is none. */

import { LOG_DAYS_MAX, REPLAYED_MAX } from "../../../model/values/limits.ts"
import { midnightOf } from "../../../model/values/local-time.ts"
import type { WallClockMs } from "../../../model/values/local-time.ts"
import { DAY_MS, HOUR_MS, isoMs } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { isTimeZone } from "../../../model/values/time-zone.ts"
import { counted } from "../../scenario/language/counted.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import type {
  LeftOutRows,
  LogFault,
  LoggedDay,
  LoggedOrder,
  OrderFacts,
  OrderLog,
} from "../language/order-log.ts"
import type { AskedLog } from "../language/read-logs.ts"
import type { ReplayTable, TimeBinding } from "../language/replay-table.ts"
import { WEEKDAYS, weekdayAt } from "../language/weekday.ts"
import { LeftOut, boundFacts, choiceOf } from "./bound-values.ts"
import { mistakesOf } from "./map-mistakes.ts"
import { MistakenLog } from "./columns.ts"
import { ZoneTimes } from "./instants.ts"
import { orderTimes } from "./order-times.ts"
import type { Table } from "./table.ts"

/** A row that is an order; its time by the clock of the sites. */
interface Bound {
  readonly wallMs: WallClockMs
  readonly instantMs: EpochMs
  readonly facts: OrderFacts
  readonly line: number
}

/** The first mistake of the map, or the orders. */
export function bindOrders(table: Table, asked: AskedLog): LogFault | OrderLog {
  const [mistake] = mistakesOf(asked)
  if (mistake !== undefined) return mistake
  try {
    return logOf(table, asked)
  } catch (cause) {
    if (cause instanceof MistakenLog) return cause.fault
    throw cause
  }
}

function logOf(table: Table, asked: AskedLog): OrderLog {
  const { number: demand, clock, table: map } = asked
  const zone = map.time.zone ?? clock.timeZone
  if (!isTimeZone(zone))
    throw new MistakenLog({ at: ["time", "zone"], message: `there is no time zone ${JSON.stringify(zone)}` })
  const left = new Map<string, LeftOutRows>()
  const leave = (reason: string, line: number): void => {
    const known = left.get(reason)
    left.set(reason, { reason, count: (known?.count ?? 0) + 1, firstLine: known?.firstLine ?? line })
  }
  const sites = new ZoneTimes(clock.timeZone)
  const { times, instantsOf, says } = orderTimes(table, asked, { sites, written: new ZoneTimes(zone) })
  const binding = { table, asked, instantsOf }
  const [choice, facts] = [choiceOf(binding), boundFacts(binding)]
  const bound: Bound[] = []
  for (const row of table.rows) {
    const { line, cells } = row
    const out =
      cells.length === table.columns.length ? choice(row) : new LeftOut("with another number of cells")
    const instantMs = out ?? times(row)
    const told = instantMs instanceof LeftOut ? instantMs : facts(row, instantMs)
    if (instantMs instanceof LeftOut) leave(instantMs.reason, line)
    else if (told instanceof LeftOut) leave(told.reason, line)
    else bound.push({ instantMs, wallMs: sites.wallAt(instantMs), facts: told, line })
  }
  const isByDays = map.repeat !== null || map.resample !== null
  bound.sort((one, other) => one.instantMs - other.instantMs)
  const days = isByDays ? daysOf(bound) : null
  const orders = isByDays ? [] : once(bound, { asked, sites, leave })
  const used = isByDays ? bound.length : orders.length
  const rows = { read: table.rows.length, used, leftOut: [...left.values()], unit: table.unit }
  if (used === 0) throw noOrder({ table, bound, asked, rows })
  if (used > REPLAYED_MAX)
    throw new MistakenLog({
      at: ["file"],
      message: `${used} orders`,
      expected: `at most ${REPLAYED_MAX}`,
      help: "choose some of them with only",
    })
  const form = [...table.form, says, ...gapTexts(bound)]
  const notes = notesOf(table.file, form, rows)
  const pools = days === null ? [] : poolsOf(days, map)
  return { demand, file: table.file, orders, days, pools, withinMs: withinMsOf(map.time), notes, rows }
}

interface Placing {
  readonly asked: AskedLog
  readonly sites: ZoneTimes
  readonly leave: (reason: string, line: number) => void
}

/** Orders that come once, as long as the run lasts. */
function once(bound: readonly Bound[], { asked, sites, leave }: Placing): readonly LoggedOrder[] {
  const { clock, horizonMs, table } = asked
  const { startMs } = new SiteClock(clock)
  const firstDay = table.first_day === null ? null : Date.parse(`${table.first_day}T00:00Z`)
  const shiftMs = firstDay === null ? 0 : midnightOf(sites.wallAt(startMs)) - firstDay
  const withinMs = withinMsOf(table.time)
  const orders: LoggedOrder[] = []
  for (const { wallMs, instantMs: logged, facts, line } of bound) {
    const instantMs = shiftMs === 0 ? logged : sites.instantOf(wallMs + shiftMs)
    if (instantMs === null) {
      leave("at a time that the clocks skip", line)
      continue
    }
    const atMs = instantMs - startMs
    if (atMs + withinMs < 0) leave("before the run", line)
    else if (atMs >= horizonMs) leave("after the run", line)
    else orders.push({ atMs, facts })
  }
  return orders.toSorted((one, other) => one.atMs - other.atMs)
}

/** Every local day from the first to the last, also those without orders. */
function daysOf(bound: readonly Bound[]): readonly LoggedDay[] {
  const byDay = new Map<number, LoggedOrder[]>()
  for (const { wallMs, facts } of bound) {
    const midnight = midnightOf(wallMs)
    const orders = byDay.get(midnight) ?? []
    byDay.set(midnight, orders)
    orders.push({ atMs: wallMs - midnight, facts })
  }
  const midnights = [...byDay.keys()]
  const [first, last] = [Math.min(...midnights), Math.max(...midnights)]
  const count = midnights.length === 0 ? 0 : (last - first) / DAY_MS + 1
  if (count > LOG_DAYS_MAX)
    throw new MistakenLog({
      at: ["file"],
      message: `a log of ${count} days`,
      expected: `at most ${LOG_DAYS_MAX}`,
    })
  return Array.from({ length: count }, (_, number) => {
    const midnight = first + number * DAY_MS
    const orders = (byDay.get(midnight) ?? []).toSorted((one, other) => one.atMs - other.atMs)
    return { date: isoMs(midnight).slice(0, 10), weekday: weekdayAt(midnight), orders }
  })
}

interface NoOrder {
  readonly table: Table
  readonly bound: readonly Bound[]
  readonly asked: AskedLog
  readonly rows: OrderLog["rows"]
}

function noOrder({ table, bound, asked, rows }: NoOrder): MistakenLog {
  const reasons = rows.leftOut.map(({ count, reason }) => `${count} ${reason}`).join(", ")
  const [first, last] = [bound[0], bound.at(-1)]
  const { startMs } = new SiteClock(asked.clock)
  const run = `the run is ${showDuration(asked.horizonMs)} from ${isoMs(startMs)}`
  return new MistakenLog({
    at: [],
    message: `no row of ${table.file} is an order of the run: ${reasons}`,
    ...(first === undefined || last === undefined
      ? {}
      : {
          help: `its times are from ${isoMs(first.instantMs)} to ${isoMs(last.instantMs)}, and ${run}; write first_day: ${isoMs(first.wallMs).slice(0, 10)}, or repeat: weekly`,
        }),
  })
}

/** Days inside of the log without rows. */
function gapTexts(bound: readonly Bound[]): readonly string[] {
  const days = [...new Set(bound.map(({ wallMs }) => midnightOf(wallMs)))].toSorted(
    (one, other) => one - other,
  )
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return []
  const missing = (last - first) / DAY_MS + 1 - days.length
  const after = days.find((day, at) => at + 1 < days.length && (days[at + 1] ?? 0) - day > DAY_MS)
  if (missing === 0 || after === undefined) return []
  return [
    `${missing} of its ${days.length + missing} days have no rows, the first ${isoMs(after + DAY_MS + HOUR_MS).slice(0, 10)}`,
  ]
}

function notesOf(
  file: string,
  form: readonly string[],
  { read, used, leftOut, unit }: OrderLog["rows"],
): readonly string[] {
  const left = leftOut.map(
    ({ reason, count, firstLine }) => `${count} ${reason} (first in ${unit} ${firstLine})`,
  )
  const rest = left.length === 0 ? "none left out" : `left out are ${left.join(", ")}`
  return [`${file}: ${form.join("; ")}`, `${file}: ${used} of ${counted(read, "row")} are orders; ${rest}`]
}

/** From a row's time on an order comes within so long; a row that says the hour alone is of the whole hour. */
function withinMsOf({ within, hour }: TimeBinding): number {
  return within ?? (hour === null ? 0 : HOUR_MS)
}

const SATURDAY = 5

/** For each weekday of the run the days of the log that may stand for it. */
function poolsOf(days: readonly LoggedDay[], { repeat, resample }: ReplayTable): OrderLog["pools"] {
  const all = [...days.keys()]
  return WEEKDAYS.map((_, weekday) => {
    const same = all.filter((at) => days[at]?.weekday === weekday)
    if (repeat !== null) return repeat === "daily" ? all : same
    if (resample === null || same.length > 1) return same
    // Of a weekday that comes once, the working days or those of the weekend.
    const half = all.filter((at) => (days[at]?.weekday ?? 0) >= SATURDAY === weekday >= SATURDAY)
    return half.length > 1 ? half : all
  })
}
