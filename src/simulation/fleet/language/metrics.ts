/** The metrics of a fleet run, by name. Promises, stop rules, tables and files use only these. */

import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import { WEEKDAYS } from "./weekday.ts"

export type Unit = "count" | "hours" | "money" | "ms" | "share"

export interface Metric {
  readonly unit: Unit
  readonly says: string
  /** How replications are put together: as one pool of durations, as one sum of orders, or as a mean of their values. */
  readonly from:
    | { readonly is: "durations"; readonly measure: Measure; readonly statistic: PooledStatistic }
    | { readonly is: "orders"; readonly count: string; readonly of: string }
    | { readonly is: "values" }
}

export const PRODUCTS = ["reservation", "delivery", "courier"] as const

export type Product = (typeof PRODUCTS)[number]

export const RESOURCES = ["runners", "stalls", "cooks", "vehicles"] as const

export type Resource = (typeof RESOURCES)[number]

/** Percentiles of durations, and their shares. A high percentile is not given for few durations. */
export const PERCENTILES = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const

export type Percentile = keyof typeof PERCENTILES

export type PooledStatistic = Percentile | "mean"

/** Durations that are measured once for each order, or for each use of a resource. */
export const MEASURES = {
  wait: "from the planned instant until the order is on board, all products",
  "reservations.wait":
    "from the bot's planned instant, or its window's start if that is later, until the load",
  "reservations.stay": "of a bot at its stall: dwell in analytics' terms",
  "deliveries.wait": "from the requested instant (ready by) until the order is on board",
  "deliveries.stay": "of a vehicle at the store: dwell in analytics' terms",
  "deliveries.total": "from the request until the customer has the order",
  "deliveries.delay": "from the quoted time until the customer has the order; 0 of one that is not late",
  "errands.wait": "from the instant at which the store says it is ready until the order is on board",
  "errands.stay": "of a vehicle at the store of a courier order: dwell in analytics' terms",
  "errands.booking": "from the request until the errand is booked",
  "errands.total": "from the request until the customer has the order",
  "errands.delay": "from the quoted time until the customer has the order; 0 of one that is not late",
  "runners.wait": "of a task that is due, for a runner",
  "stalls.wait": "of a bot that has arrived, for its stall, or of a vehicle for a free one",
  "cooks.wait": "of an order at the store, for a cook",
  "repairs.wait": "of what is out and waits for a crew, until its repair begins",
  "vehicles.wait": "from the request, or an errand's booking, until the vehicle sets out for the store",
} as const

export type Measure = keyof typeof MEASURES

const GROUPS = {
  orders: "of all products",
  reservations: "reservations",
  deliveries: "deliveries",
  errands: "courier orders",
} as const

export const GROUP_BY_PRODUCT = {
  reservation: "reservations",
  delivery: "deliveries",
  courier: "errands",
} as const satisfies Record<Product, keyof typeof GROUPS>

const COUNTS = {
  asked: "orders that were requested",
  declined: "orders that were declined or refused",
  completed: "orders that completed",
  canceled: "orders that were canceled, by any party",
  late: "orders on board after their window, or delivered after the quoted time",
  troubled: "orders with an exception",
} as const

/** Counts that only courier orders have. */
const ERRAND_COUNTS = {
  unpaid: "orders whose fee was declined at least once",
  failed: "orders that were booked and did not reach the door",
} as const

export type OrderCount = keyof typeof COUNTS

export type ErrandCount = keyof typeof ERRAND_COUNTS

/** Counts of a group of orders, and the meaning of each. */
export function countsOf(group: string): readonly (readonly [count: string, says: string])[] {
  return Object.entries(group === "errands" ? { ...COUNTS, ...ERRAND_COUNTS } : COUNTS)
}

export const ORDER_GROUPS = Object.keys(GROUPS) as readonly (keyof typeof GROUPS)[]

export const COSTS = {
  staff: "runners and cooks by the hour on duty",
  vehicles: "vehicles by the hour on duty",
  stalls: "stalls by the hour",
  lateness: "late orders, and minutes of waiting",
  lost: "orders that were declined, canceled or failed",
  total: "all of these",
} as const

export type CostPart = keyof typeof COSTS

const VALUES = { is: "values" } as const

function durationMetrics(): readonly [string, Metric][] {
  return (Object.keys(MEASURES) as Measure[]).flatMap((measure) => {
    const says = MEASURES[measure]
    const pooled = (["mean", ...Object.keys(PERCENTILES)] as PooledStatistic[]).map(
      (statistic): [string, Metric] => [
        `${measure}_${statistic}`,
        { unit: "ms", says: `${statistic} ${says}`, from: { is: "durations", measure, statistic } },
      ],
    )
    return [...pooled, [`${measure}_max`, { unit: "ms", says: `longest ${says}`, from: VALUES }]]
  })
}

function orderMetrics(): readonly [string, Metric][] {
  return ORDER_GROUPS.flatMap((group) =>
    countsOf(group).flatMap(([count, says]): [string, Metric][] => [
      [`${group}.${count}`, { unit: "count", says: `${says}: ${GROUPS[group]}`, from: VALUES }],
      [
        `${group}.${count}_share`,
        {
          unit: "share",
          says: `share of ${says}: ${GROUPS[group]}`,
          from: { is: "orders", count: `${group}.${count}`, of: `${group}.asked` },
        },
      ],
    ]),
  )
}

function resourceMetrics(): readonly [string, Metric][] {
  const metric = (unit: Unit, says: string): Metric => ({ unit, says, from: VALUES })
  return RESOURCES.flatMap((resource): [string, Metric][] => [
    [`${resource}.utilisation`, metric("share", `busy share of the ${resource} on duty`)],
    [
      `${resource}.utilisation_peak`,
      metric("share", "the same in the busiest quarter of an hour; 100% where some wait and none is on duty"),
    ],
    [`${resource}.queue_mean`, metric("count", `waiting for ${resource}, on average over time`)],
    [`${resource}.queue_max`, metric("count", `waiting for ${resource}, at most`)],
    [
      `${resource}.hours`,
      metric("hours", `hours of ${resource} on duty, all together; a break is no time on duty`),
    ],
  ])
}

function costMetrics(): readonly [string, Metric][] {
  return [
    ...Object.entries(COSTS).map(([part, says]): [string, Metric] => [
      `cost.${part}`,
      { unit: "money", says: `cost of the measured time: ${says}`, from: VALUES },
    ]),
    [
      "cost.per_order",
      {
        unit: "money",
        says: "all costs over the orders that completed",
        from: { is: "orders", count: "cost.total", of: "orders.completed" },
      },
    ],
  ]
}

export const METRICS: ReadonlyMap<string, Metric> = new Map([
  ...durationMetrics(),
  ...orderMetrics(),
  ...resourceMetrics(),
  ...costMetrics(),
])

/** A part of a model that has figures of its own. */
export interface PartName {
  readonly kind: "day" | "demand" | "hour" | "site" | "weekday"
  readonly name: string
}

/** The names of figures contain no blank, and names of sites and demands may. */
const FIGURE_OF_PART = /^(\S+) (at|from|of|on) (\S.*)$/

/** The word between a figure and the name of its part. */
const PART_WORDS = { site: "at", demand: "of", day: "on", weekday: "on", hour: "from" } as const

const KIND_BY_WORD: Readonly<Record<string, PartName["kind"]>> = {
  at: "site",
  from: "hour",
  of: "demand",
  on: "day",
}

const isWeekday = (name: string): boolean => WEEKDAYS.some((day) => day === name)

/**
 * `reservations.wait_p95 at north` is a figure of a site, `deliveries.late of lunch` one of a demand, `wait_p95 on 2026-03-06` and
 * `wait_p95 on Fri` are those of a day and of a weekday, and `wait_p95 from 12:00` is that of an hour of the day.
 */
export function figureNamed(metric: string): { readonly base: string; readonly part: PartName | null } {
  const [, base, word, name] = FIGURE_OF_PART.exec(metric) ?? []
  if (base === undefined || name === undefined) return { base: metric, part: null }
  const kind = word === "on" && isWeekday(name) ? "weekday" : KIND_BY_WORD[word ?? ""]
  return { base, part: kind === undefined ? null : { kind, name } }
}

/** The name of the same figure of a part. */
export function figureOfPart(base: string, { kind, name }: PartName): string {
  return `${base} ${PART_WORDS[kind]} ${name}`
}

/** A metric by its name, also of a part. */
export function metricOf(name: string): Metric | undefined {
  const { base, part } = figureNamed(name)
  const metric = METRICS.get(base)
  if (metric === undefined || part === null) return metric
  return { ...metric, says: `${metric.says}; ${PART_WORDS[part.kind]} ${part.name}` }
}

export function unitOf(metric: string): Unit {
  return METRICS.get(figureNamed(metric).base)?.unit ?? "count"
}

/** A figure for people: `6m 42s`, `61.2%`, `0.43`. */
export function showFigure(value: number | null, unit: Unit): string {
  if (value === null) return "–"
  switch (unit) {
    case "share":
      return `${(value * 100).toFixed(1)}%`
    case "count":
      return Number.isInteger(value) ? String(value) : value.toFixed(2)
    case "hours":
      return `${Number.isInteger(value) ? value : value.toFixed(1)} h`
    case "money":
      return withSeparators(value.toFixed(2))
    case "ms":
      return showDuration(rounded(value))
  }
}

/** A difference of two figures for people: of shares in points of a hundred, because 2% less of 40% may mean 39.2%. */
export function showChange(value: number, unit: Unit): string {
  return unit === "share" ? `${(value * 100).toFixed(1)} points` : showFigure(value, unit)
}

/** `1,240.50`. */
function withSeparators(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",")
}

/** Rounds to the precision that people read at that length. */
function rounded(ms: number): number {
  const size = Math.abs(ms)
  const step =
    size < SECOND_MS ? 1 : size < 10 * SECOND_MS ? 100 : size < 10 * HOUR_MS ? SECOND_MS : MINUTE_MS
  return Math.round(ms / step) * step
}
