/** When the orders of a table were requested: from one column, from a date and a time, or from a weekday and an hour. */

import { midnightOf } from "../../../model/values/local-time.ts"
import { DAY_MS, HOUR_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import type { AskedLog } from "../language/read-logs.ts"
import type { Column } from "../language/replay-table.ts"
import { WEEKDAYS, weekdayAt } from "../language/weekday.ts"
import { LeftOut } from "./bound-values.ts"
import type { Binding } from "./bound-values.ts"
import { numberIn } from "./cells.ts"
import { MistakenLog, columnOf } from "./columns.ts"
import { timeFormOf } from "./instants.ts"
import type { TimeForm, ZoneTimes } from "./instants.ts"
import type { Table, TableRow } from "./table.ts"

/** Of the sites, and of times that are written without an offset. */
interface Zones {
  readonly sites: ZoneTimes
  readonly written: ZoneTimes
}

interface OrderTimes {
  readonly times: (row: TableRow) => EpochMs | LeftOut
  /** Reads another column. */
  readonly instantsOf: Binding["instantsOf"]
  /** How times were read. */
  readonly says: string
}

/** Throws MistakenLog. */
export function orderTimes(table: Table, asked: AskedLog, zones: Zones): OrderTimes {
  const { column, date, time, weekday, hour, format } = asked.table.time
  const instantsOf = (other: Column, path: readonly string[]) => {
    const at = columnOf(table, other, path)
    const cellOf = ({ cells }: TableRow): string => cells[at] ?? ""
    const form = formOf(table.rows.map(cellOf), { format, path })
    return (row: TableRow): EpochMs | LeftOut | null =>
      isBlank(cellOf(row), form) ? null : instantIn(cellOf(row), form, zones)
  }
  if (weekday !== null && hour !== null) return weekTimes(table, asked, { zones, weekday, hour, instantsOf })
  const cellOf = column === null ? joined(table, date ?? "", time ?? "") : cellIn(table, column)
  const form = formOf(table.rows.map(cellOf), { format, path: ["time"] })
  const zone = asked.table.time.zone ?? asked.clock.timeZone
  return {
    times: (row) => instantIn(cellOf(row), form, zones),
    instantsOf,
    says: `times as ${form.says}${/1970/.test(form.says) ? "" : `, of ${zone} where they have no offset`}`,
  }
}

function cellIn(table: Table, column: Column): (row: TableRow) => string {
  const at = columnOf(table, column, ["time"])
  return ({ cells }) => cells[at] ?? ""
}

/** A date that some programs write with midnight behind it, and the time of day; a bare number is an hour. */
function joined(table: Table, date: Column, time: Column): (row: TableRow) => string {
  const [dateAt, timeAt] = [columnOf(table, date, ["time", "date"]), columnOf(table, time, ["time", "time"])]
  return ({ cells }) => {
    const day = (cells[dateAt] ?? "").replace(/[ T]0?0:00(:00(\.0+)?)?Z?$/, "")
    const clock = (cells[timeAt] ?? "").replace(/^(\d{1,2})$/, "$1:00")
    return day === "" || clock === "" ? "" : `${day} ${clock}`
  }
}

function formOf(
  cells: readonly string[],
  { format, path }: { readonly format: string | null; readonly path: readonly string[] },
): TimeForm {
  const form = timeFormOf(cells, format)
  if ("message" in form) throw new MistakenLog({ at: path, ...form })
  return form
}

/** Programs that count from 1970 write 0 where they know no time. */
function isBlank(cell: string, { says }: TimeForm): boolean {
  return cell === "" || (says.includes("1970") && /^0(\.0*)?$/.test(cell))
}

function instantIn(cell: string, form: TimeForm, { written }: Zones): EpochMs | LeftOut {
  if (isBlank(cell, form)) return new LeftOut("without a time")
  const read = form.read(cell)
  if (read === null) return new LeftOut("whose time is no time")
  if ("instantMs" in read) return read.instantMs
  return written.instantOf(read.wallMs) ?? new LeftOut("at a time that the clocks skip")
}

interface WeekTimes {
  readonly zones: Zones
  readonly weekday: Column
  readonly hour: Column
  readonly instantsOf: Binding["instantsOf"]
}

/** A log without dates is one week: the seven days from the first day of the run on. */
function weekTimes(
  table: Table,
  { clock, table: map }: AskedLog,
  { zones, weekday, hour, instantsOf }: WeekTimes,
): OrderTimes {
  const [dayAt, hourAt] = [
    columnOf(table, weekday, ["time", "weekday"]),
    columnOf(table, hour, ["time", "hour"]),
  ]
  const first = midnightOf(zones.sites.wallAt(new SiteClock(clock).startMs))
  const zero = WEEKDAYS.findIndex((day) => day === map.time.zero_is)
  return {
    times: ({ cells }) => {
      const day = weekdayIn(cells[dayAt] ?? "", zero)
      const hours = numberIn((cells[hourAt] ?? "").replace(/:00(:00)?$/, ""), table)
      if (day === null) return new LeftOut("whose weekday is not known")
      if (hours === null || hours < 0 || hours >= 24) return new LeftOut("whose hour is not known")
      const days = (day - weekdayAt(first) + WEEKDAYS.length) % WEEKDAYS.length
      const wallMs = first + days * DAY_MS + hours * HOUR_MS
      return zones.sites.instantOf(wallMs) ?? new LeftOut("at a time that the clocks skip")
    },
    instantsOf,
    says: `a weekday and an hour, as the week from the first day of the run on, 0 is ${map.time.zero_is}`,
  }
}

/** 0 is Monday. A name, or a number from 0 to 7. */
function weekdayIn(cell: string, zero: number): number | null {
  if (/^[0-7](\.0)?$/.test(cell)) return (Number(cell) + zero) % WEEKDAYS.length
  const named = WEEKDAYS.findIndex((day) => cell.toLowerCase().startsWith(day.toLowerCase()))
  return named === -1 ? null : named
}
