/** Parts of a fleet model from the orders of a table: rates by hour and weekday, durations, shares, and what looks odd. */

import { DAY_MS, HOUR_MS } from "../../../model/values/time.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import type { LoggedDay, OrderFacts, OrderLog } from "../language/order-log.ts"
import { fitDuration } from "./duration-fit.ts"
import type { DurationFit } from "./duration-fit.ts"
import { medianOf } from "./median.ts"
import { fitWaits } from "./wait-fit.ts"
import { fitArrivals, shareOf } from "./rates.ts"
import type { ArrivalFit, ObservedSpan, Share } from "./rates.ts"

export interface FittedTableStore {
  /** Null: the table does not say the store. */
  readonly store: string | null
  readonly arrivals: ArrivalFit
  readonly preparation: DurationFit | null
}

export interface FittedTable {
  /** Times by the clock of the sites, as if it were UTC: a table has no offset of its own. */
  readonly span: ObservedSpan
  readonly orders: number
  readonly stores: readonly FittedTableStore[]
  readonly ahead: DurationFit | null
  readonly readyIn: DurationFit | null
  readonly cancelAfter: DurationFit | null
  readonly cancel: Share | null
  readonly widthMs: number | null
  readonly patience: DurationFit | null
  /** Orders of the busiest hour of a day. */
  readonly busiest: number
  /** Sentences about days and hours without rows, and about values far from the others. */
  readonly odd: readonly string[]
}

/** Of a log that was read by days. Throws for another one. */
export function fitTable({ days, rows, file }: OrderLog): FittedTable {
  if (days === null) throw new Error(`the log ${file} was not read by days`)
  const orders = days.flatMap((day) =>
    day.orders.map(({ atMs, facts }) => ({ wallMs: midnightOf(day) + atMs, facts })),
  )
  const instants = orders.map(({ wallMs }) => wallMs)
  const span = spanOf(instants)
  const facts = orders.map((one) => one.facts)
  const valuesOf = (name: DurationName): readonly number[] => facts.flatMap((one) => one[name] ?? [])
  const byStore = new Map<string | null, typeof orders>()
  for (const one of orders) {
    const store = one.facts.store ?? null
    const own = byStore.get(store)
    if (own === undefined) byStore.set(store, [one])
    else own.push(one)
  }
  const isKnown = facts.filter(({ isCanceled }) => isCanceled !== undefined)
  return {
    span,
    orders: rows.used,
    stores: [...byStore]
      .toSorted(([one], [other]) => String(one).localeCompare(String(other), "en"))
      .map(([store, own]) => ({
        store,
        arrivals: fitArrivals(
          own.map(({ wallMs }) => wallMs),
          span,
        ),
        preparation: fitDuration(own.flatMap((one) => one.facts.preparationMs ?? [])),
      })),
    ahead: fitDuration(valuesOf("aheadMs")),
    readyIn: fitDuration(valuesOf("readyInMs")),
    cancelAfter: fitDuration(
      facts.flatMap((one) => (one.isCanceled === true ? (one.cancelAfterMs ?? []) : [])),
    ),
    cancel: shareOf(isKnown.filter(({ isCanceled }) => isCanceled).length, isKnown.length),
    widthMs: medianOf(valuesOf("widthMs")),
    patience: fitWaits([
      ...valuesOf("patienceMs").map((ms) => ({ ms, isAtLeast: false })),
      ...valuesOf("servedAfterMs").map((ms) => ({ ms, isAtLeast: true })),
    ]),
    busiest: busiestOf(instants),
    odd: [...gapTexts(days, instants), ...LENGTHS.flatMap((name) => outlierText(name, valuesOf(name)))],
  }
}

const LENGTHS = ["preparationMs", "aheadMs", "readyInMs", "widthMs", "patienceMs"] as const

type DurationName = keyof { [Name in keyof OrderFacts as Name extends `${string}Ms` ? Name : never]: true }

function midnightOf({ date }: LoggedDay): number {
  return Date.parse(`${date}T00:00Z`)
}

/** From the hour of the first order to the end of that of the last. */
function spanOf(instants: readonly number[]): ObservedSpan {
  const [first, last] = instants.reduce(
    ([low, high], atMs) => [Math.min(low, atMs), Math.max(high, atMs)] as const,
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] as const,
  )
  const hour = (atMs: number): number => Math.floor(atMs / HOUR_MS) * HOUR_MS
  return { fromMs: hour(first), toMs: hour(last) + HOUR_MS, timeZone: "UTC" }
}

function busiestOf(instants: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const atMs of instants) {
    const hour = Math.floor(atMs / HOUR_MS)
    counts.set(hour, (counts.get(hour) ?? 0) + 1)
  }
  return [...counts.values()].reduce((most, count) => Math.max(most, count), 0)
}

/** Dates that are named; more are counted. */
const NAMED_MAX = 5

/** The rates are those from the first day with orders to the last: other days of the file are no gaps. */
function gapTexts(all: readonly LoggedDay[], instants: readonly number[]): readonly string[] {
  const isFilled = ({ orders }: LoggedDay): boolean => orders.length > 0
  const days = all.slice(all.findIndex(isFilled), all.findLastIndex(isFilled) + 1)
  const empty = days.filter(({ orders }) => orders.length === 0).map(({ date }) => date)
  const hours = new Set(instants.map((atMs) => Math.floor((atMs % DAY_MS) / HOUR_MS)))
  const first = Math.min(...hours)
  const idle = Array.from({ length: Math.max(...hours) - first }, (_, at) => first + at).filter(
    (hour) => !hours.has(hour),
  )
  const named = empty.slice(0, NAMED_MAX).join(", ")
  const more = empty.length > NAMED_MAX ? ` and ${empty.length - NAMED_MAX} more` : ""
  return [
    ...(empty.length === 0
      ? []
      : [
          `No rows on ${named}${more}, ${empty.length} of ${days.length} days: they count as days without orders.`,
        ]),
    ...(idle.length === 0 ? [] : [`No rows in the hours ${idle.join(", ")} of any day.`]),
  ]
}

/** Values beyond three times the range of the middle half (J. Tukey, Exploratory Data Analysis, 1977: far out). */
function outlierText(name: string, values: readonly number[]): readonly string[] {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  const [low, high] = [at(0.25), at(0.75)]
  const far = sorted.filter((ms) => ms < low - 3 * (high - low) || ms > high + 3 * (high - low))
  if (far.length === 0 || high === low) return []
  const words = name.replace(/Ms$/, "").replace("readyIn", "ready_in")
  return [
    `${far.length} of ${values.length} values of ${words} lie far from the others, up to ${showDuration(Math.max(...far))}: they are in the fit.`,
  ]
}
