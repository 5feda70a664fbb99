/**
 * When orders of a table come: once each, or by days that are repeated or drawn. A factor of the demand thins the orders, or adds copies of
 * them: a copy comes at another instant of its stretch, so each hour keeps its share.
 *
 * Draws are made row by row, and a change of the demand begins a stretch, so the past stays the same when only the future changes.
 */

import type { Chance } from "../chance.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { LoggedOrder, OrderFacts, OrderLog } from "../language/order-log.ts"
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
  const orders = log.days === null ? log.orders : ordersOfDays(log.days, { ...process, pools: log.pools })
  const { withinMs } = log
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
function* ordersOfDays(
  days: NonNullable<OrderLog["days"]>,
  { table, days: chance, pools, clock, startMs, horizonMs }: LoggedProcess & Pick<OrderLog, "pools">,
): Generator<LoggedOrder, void> {
  let midnightMs = startMs - clock.msOfDay(startMs)
  for (let number = 0; midnightMs < startMs + horizonMs; number += 1) {
    const pool = pools[clock.weekday(midnightMs)] ?? []
    const turn = table.repeat === "daily" ? number : Math.floor(number / 7)
    const at =
      table.resample === null ? turn % pool.length : Math.floor(chance.fraction("days") * pool.length)
    // A time of day that the clocks skip comes at the change.
    for (const { atMs, facts } of days[pool[at] ?? -1]?.orders ?? [])
      yield { atMs: clock.next(atMs, midnightMs - 1) - startMs, facts }
    midnightMs = clock.next(0, midnightMs)
  }
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
