/** The local days of a log that is repeated or drawn by days, and what a reader of its intervals must know about them. */

import { LOG_DAYS_MAX } from "../../../model/values/limits.ts"
import { listed } from "../../../model/values/listed.ts"
import { midnightOf } from "../../../model/values/local-time.ts"
import type { WallClockMs } from "../../../model/values/local-time.ts"
import { DAY_MS, isoMs } from "../../../model/values/time.ts"
import { counted } from "../../scenario/language/counted.ts"
import type { LoggedDay, LoggedOrder, OrderFacts, OrderLog } from "../language/order-log.ts"
import type { ReplayTable } from "../language/replay-table.ts"
import { WEEKDAYS, weekdayAt } from "../language/weekday.ts"
import { MistakenLog } from "./columns.ts"

/** An order by the clock of the sites. */
interface Timed {
  readonly wallMs: WallClockMs
  readonly facts: OrderFacts
}

/** Every local day from that of the earliest of `wallTimes` to that of the latest, also those without orders. Throws MistakenLog. */
export function daysOf(orders: readonly Timed[], wallTimes: readonly WallClockMs[]): readonly LoggedDay[] {
  const byDay = new Map<number, LoggedOrder[]>()
  for (const { wallMs, facts } of orders) {
    const midnight = midnightOf(wallMs)
    const own = byDay.get(midnight) ?? []
    byDay.set(midnight, own)
    own.push({ atMs: wallMs - midnight, facts })
  }
  const [first, last] = endsOf(wallTimes)
  const count = wallTimes.length === 0 ? 0 : (last - first) / DAY_MS + 1
  if (count > LOG_DAYS_MAX)
    throw new MistakenLog({
      at: ["file"],
      message: `a log of ${count} days`,
      expected: `at most ${LOG_DAYS_MAX}`,
    })
  return Array.from({ length: count }, (_, number) => {
    const midnight = first + number * DAY_MS
    const own = (byDay.get(midnight) ?? []).toSorted((one, other) => one.atMs - other.atMs)
    return { date: dateOf(midnight), weekday: weekdayAt(midnight), orders: own }
  })
}

/** The midnights of the first and the last day. */
function endsOf(wallTimes: readonly WallClockMs[]): readonly [first: WallClockMs, last: WallClockMs] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const wallMs of wallTimes) {
    low = Math.min(low, wallMs)
    high = Math.max(high, wallMs)
  }
  return [midnightOf(low), midnightOf(high)]
}

function dateOf(midnight: WallClockMs): string {
  return isoMs(midnight).slice(0, 10)
}

/** Days between the first and the last of the log on which no order is. */
export function gapTexts(
  orders: readonly Pick<Timed, "wallMs">[],
  wallTimes: readonly WallClockMs[],
): readonly string[] {
  if (orders.length === 0) return []
  const filled = new Set(orders.map(({ wallMs }) => midnightOf(wallMs)))
  const [first, last] = endsOf(wallTimes)
  const count = (last - first) / DAY_MS + 1
  if (filled.size === count) return []
  let gap = first
  while (filled.has(gap)) gap += DAY_MS
  return [`${count - filled.size} of its ${count} days have no orders, the first ${dateOf(gap)}`]
}

const SATURDAY = 5

/** For each weekday of the run the days of the log that may stand for it. */
export function poolsOf(
  days: readonly LoggedDay[],
  { repeat, resample }: Pick<ReplayTable, "repeat" | "resample">,
): OrderLog["pools"] {
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

/** Of fewer days of a weekday an interval knows too little about how such days differ. */
const SAME_DAYS_MIN = 5

const NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

/** What the intervals of drawn days do not hold; `weekdays` are those of the run. */
export function drawnTexts(
  days: readonly LoggedDay[],
  pools: OrderLog["pools"],
  weekdays: ReadonlySet<number>,
): readonly string[] {
  const alike = new Map<string, string[]>()
  for (const [weekday, pool] of pools.entries()) {
    const same = days.filter((day) => day.weekday === weekday).length
    if (!weekdays.has(weekday) || same >= SAME_DAYS_MIN) continue
    const from =
      same > 1
        ? `${same} days of the log`
        : `${counted(pool.length, "day")} of the log, which has ${same === 0 ? "none" : "one"} of its own`
    alike.set(from, [...(alike.get(from) ?? []), NAMES[weekday] ?? ""])
  }
  return [...alike].map(([from, names]) => {
    const [name] = names
    return names.length === 1
      ? `a ${name} is drawn from ${from}; the interval does not hold how other ${name}s differ`
      : `each ${listed(names)} is drawn from ${from}; the interval does not hold how other such days differ`
  })
}

/** Rows a day, and their share, that must be missing before a day is called a part of one. */
const MISSING_MIN = 5
const MISSING_SHARE = 0.05

/** A first day that begins late, and a last one that ends early, next to the other days. */
export function partialTexts(wallTimes: readonly WallClockMs[]): readonly string[] {
  if (wallTimes.length === 0) return []
  const [first, last] = endsOf(wallTimes)
  const others = (last - first) / DAY_MS
  if (others === 0) return []
  const ofDay = (wallMs: WallClockMs): number => wallMs - midnightOf(wallMs)
  let [begins, ends] = [DAY_MS, 0]
  for (const wallMs of wallTimes) {
    if (wallMs < first + DAY_MS) begins = Math.min(begins, ofDay(wallMs))
    if (wallMs >= last) ends = Math.max(ends, ofDay(wallMs))
  }
  const partial = (midnight: WallClockMs, isMissing: (ms: number) => boolean, words: string) => {
    const rest = wallTimes.filter((wallMs) => midnightOf(wallMs) !== midnight)
    const missing = rest.filter((wallMs) => isMissing(ofDay(wallMs))).length
    if (missing / others < MISSING_MIN || missing / rest.length < MISSING_SHARE) return []
    const share = Math.round((100 * missing) / rest.length)
    return [
      `${dateOf(midnight)} ${words}, where other days have ${share}% of their rows: it may be a part of a day`,
    ]
  }
  const clock = (ms: number): string => isoMs(ms).slice(11, 16)
  return [
    ...partial(first, (ms) => ms < begins, `has no rows before ${clock(begins)}`),
    ...partial(last, (ms) => ms > ends, `has no rows after ${clock(ends)}`),
  ]
}
