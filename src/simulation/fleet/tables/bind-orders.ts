/** The orders of a table, as a model's `replay` binds its columns. Every row is an order, or is counted with the reason why it is none. */

import { REPLAYED_MAX } from "../../../model/values/limits.ts"
import { midnightOf } from "../../../model/values/local-time.ts"
import type { WallClockMs } from "../../../model/values/local-time.ts"
import { DAY_MS, HOUR_MS, isoMs } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { isTimeZone } from "../../../model/values/time-zone.ts"
import { counted } from "../../scenario/language/counted.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import { noOrderText } from "../language/order-log.ts"
import type { LeftOutRows, LogFault, LoggedOrder, OrderFacts, OrderLog } from "../language/order-log.ts"
import type { AskedLog } from "../language/read-logs.ts"
import type { TimeBinding } from "../language/replay-table.ts"
import { weekdayAt } from "../language/weekday.ts"
import { LeftOut, boundFacts, choiceOf } from "./bound-values.ts"
import { mistakesOf } from "./map-mistakes.ts"
import { MistakenLog } from "./columns.ts"
import { ZoneTimes } from "./instants.ts"
import { daysOf, drawnTexts, gapTexts, partialTexts, poolsOf } from "./log-days.ts"
import { orderTimes } from "./order-times.ts"
import type { AddressBook } from "./address-book.ts"
import type { Table } from "./table.ts"

/** A row that is an order; its time by the clock of the sites. */
interface Bound {
  readonly wallMs: WallClockMs
  readonly instantMs: EpochMs
  readonly facts: OrderFacts
  readonly line: number
}

/** The first mistake of the map, or the orders. `addresses` are those that its `door` names. */
export function bindOrders(
  table: Table,
  asked: AskedLog,
  addresses: AddressBook | null,
): LogFault | OrderLog {
  const [mistake] = mistakesOf(asked)
  if (mistake !== undefined) return mistake
  try {
    return logOf(table, asked, addresses)
  } catch (cause) {
    if (cause instanceof MistakenLog) return cause.fault
    throw cause
  }
}

function logOf(table: Table, asked: AskedLog, addresses: AddressBook | null): OrderLog {
  const { number: demand, clock, table: map } = asked
  const zone = map.time.zone ?? clock.timeZone
  if (!isTimeZone(zone))
    throw new MistakenLog({ at: ["time", "zone"], message: `there is no time zone ${JSON.stringify(zone)}` })
  const left = new Map<string, LeftOutRows>()
  const leave = (reason: string, line: number, about?: () => string): void => {
    const known = left.get(reason) ?? {
      reason,
      count: 0,
      firstLine: line,
      ...(about === undefined ? {} : { first: about() }),
    }
    left.set(reason, { ...known, count: known.count + 1 })
  }
  const sites = new ZoneTimes(clock.timeZone)
  const { times, instantsOf, says } = orderTimes(table, asked, { sites, written: new ZoneTimes(zone) })
  const binding = { table, asked, addresses, instantsOf }
  const [choice, facts] = [choiceOf(binding), boundFacts(binding)]
  const bound: Bound[] = []
  // Of all rows: demands of one file take other rows of the same days.
  const wallTimes: WallClockMs[] = []
  for (const row of table.rows) {
    const { line, cells } = row
    if (cells.length !== table.columns.length) {
      if (asked.part === 0) leave("with another number of cells", line)
      continue
    }
    const instantMs = times(row)
    const wallMs = instantMs instanceof LeftOut ? null : sites.wallAt(instantMs)
    if (wallMs !== null) wallTimes.push(wallMs)
    const chosen = choice(row)
    if (chosen === "of another part") continue
    const out = chosen ?? instantMs
    const told = out instanceof LeftOut ? out : facts(row, out)
    if (told instanceof LeftOut) leave(told.reason, line, told.about)
    else if (wallMs !== null && !(instantMs instanceof LeftOut))
      bound.push({ instantMs, wallMs, facts: told, line })
  }
  const isByDays = map.repeat !== null || map.resample !== null
  bound.sort((one, other) => one.instantMs - other.instantMs)
  const days = isByDays ? daysOf(bound, wallTimes) : null
  const spanned = isByDays ? wallTimes : bound.map(({ wallMs }) => wallMs)
  const orders = isByDays ? [] : once(bound, { asked, sites, leave })
  const used = isByDays ? bound.length : orders.length
  const leftOut = [...left.values()]
  const read = leftOut.reduce((sum, { count }) => sum + count, used)
  const rows = { read, used, leftOut, unit: table.unit }
  if (used === 0) throw noOrder({ table, bound, asked, rows })
  if (used > REPLAYED_MAX)
    throw new MistakenLog({
      at: ["file"],
      message: `${used} orders`,
      expected: `at most ${REPLAYED_MAX}`,
      help: "choose some of them with only",
    })
  const form = [...table.form, says, ...gapTexts(bound, spanned)]
  const pools = days === null ? [] : poolsOf(days, map)
  const more = [
    ...(days === null || map.resample === null ? [] : drawnTexts(days, pools, weekdaysOf(asked, sites))),
    // A log without dates is a week of whole days.
    ...(isByDays && map.time.weekday === null ? partialTexts(wallTimes) : []),
    ...edgeTexts(orders, asked),
  ].map((text) => `${table.file}: ${text}`)
  const notes = [`${table.file}: ${form.join("; ")}`, rowsText(table.file, rows, asked), ...more]
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

/** Of the local days of the run. */
function weekdaysOf({ clock, horizonMs }: AskedLog, sites: ZoneTimes): ReadonlySet<number> {
  const { startMs } = new SiteClock(clock)
  const lastMs = sites.wallAt(startMs + horizonMs - 1)
  const weekdays = new Set<number>()
  for (let dayMs = midnightOf(sites.wallAt(startMs)); dayMs <= lastMs && weekdays.size < 7; dayMs += DAY_MS)
    weekdays.add(weekdayAt(dayMs))
  return weekdays
}

/** Orders that come at an instant of a stretch of which a part is outside of the run. */
function edgeTexts(
  orders: readonly LoggedOrder[],
  { table: { time }, horizonMs }: AskedLog,
): readonly string[] {
  const withinMs = withinMsOf(time)
  const count = orders.filter(({ atMs }) => atMs < 0 || atMs + withinMs > horizonMs).length
  if (count === 0) return []
  return [
    `${count} of its ${counted(orders.length, "order")} may not come in the run: each comes within ${showDuration(withinMs)} from its time on, and a part of that is before the run or after it`,
  ]
}

interface NoOrder {
  readonly table: Table
  readonly bound: readonly Bound[]
  readonly asked: AskedLog
  readonly rows: OrderLog["rows"]
}

function noOrder({ table: { file }, bound, asked, rows }: NoOrder): MistakenLog {
  const [first, last] = [bound[0], bound.at(-1)]
  const { startMs } = new SiteClock(asked.clock)
  const run = `the run is ${showDuration(asked.horizonMs)} from ${isoMs(startMs)}`
  const notes = rows.read === 0 ? [] : [rowsText(file, rows, asked)]
  const { number: demand } = asked
  return new MistakenLog({
    at: [],
    empty: { demand, file, orders: [], days: null, pools: [], withinMs: 0, notes, rows },
    message: noOrderText(file, rows.leftOut),
    ...(first === undefined || last === undefined
      ? {}
      : {
          help: `its times are from ${isoMs(first.instantMs)} to ${isoMs(last.instantMs)}, and ${run}; write first_day: ${isoMs(first.wallMs).slice(0, 10)}, or repeat: weekly`,
        }),
  })
}

/** How many rows are orders, and why the others are none. */
function rowsText(
  file: string,
  { read, used, leftOut, unit }: OrderLog["rows"],
  { parts }: Pick<AskedLog, "parts">,
): string {
  const left = leftOut.map(
    ({ reason, count, firstLine, first = "" }) =>
      `${count} ${reason} (first in ${unit} ${firstLine}${first})`,
  )
  const rest = left.length === 0 ? "none left out" : `left out are ${left.join(", ")}`
  const of = counted(read, "row") + (parts.length === 1 ? "" : " of this part")
  return `${file}: ${used} of ${of} are orders; ${rest}`
}

/** From a row's time on an order comes within so long; a row that says the hour alone is of the whole hour. */
function withinMsOf({ within, hour }: TimeBinding): number {
  return within ?? (hour === null ? 0 : HOUR_MS)
}
