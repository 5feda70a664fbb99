/** Promises and figures in words: `95 of 100 reservations wait less than 8m`, `wait of 95 of 100 reservations`. */

import { COSTS, PERCENTILES, figureNamed, metricOf, showFigure, unitOf } from "../language/metrics.ts"
import type { Measure, PartName, PooledStatistic } from "../language/metrics.ts"
import type { FleetPromise } from "../language/promises.ts"
import { partPhrase } from "../language/time-parts.ts"

interface MeasureWords {
  readonly who: string
  /** What they do, in the plural. */
  readonly does: string
  readonly noun: string
}

const MEASURED: Readonly<Record<Measure, MeasureWords>> = {
  wait: { who: "orders", does: "wait", noun: "wait" },
  "reservations.wait": { who: "reservations", does: "wait", noun: "wait" },
  "reservations.stay": { who: "bots", does: "stay at their stall", noun: "stay at the stall" },
  "deliveries.wait": { who: "deliveries", does: "wait", noun: "wait" },
  "deliveries.stay": {
    who: "vehicles of deliveries",
    does: "stay at the store",
    noun: "stay at the store",
  },
  "deliveries.total": { who: "deliveries", does: "take", noun: "duration" },
  "deliveries.delay": { who: "deliveries", does: "are late by", noun: "delay" },
  "errands.wait": { who: "courier orders", does: "wait", noun: "wait" },
  "errands.stay": {
    who: "vehicles of courier orders",
    does: "stay at the store",
    noun: "stay at the store",
  },
  "errands.booking": { who: "courier orders", does: "take to be booked", noun: "time to book" },
  "errands.total": { who: "courier orders", does: "take", noun: "duration" },
  "errands.delay": { who: "courier orders", does: "are late by", noun: "delay" },
  "runners.wait": { who: "tasks", does: "wait for a runner", noun: "wait for a runner" },
  "stalls.wait": { who: "bots and vehicles", does: "wait for a stall", noun: "wait for a stall" },
  "cooks.wait": { who: "orders", does: "wait for a cook", noun: "wait for a cook" },
  "repairs.wait": { who: "repairs", does: "wait for a crew", noun: "wait for a crew" },
  "vehicles.wait": { who: "orders", does: "wait for a vehicle", noun: "wait for a vehicle" },
}

const GROUPS: Readonly<Record<string, string>> = {
  orders: "orders",
  reservations: "reservations",
  deliveries: "deliveries",
  errands: "courier orders",
}

/** What is counted of a group: `late orders`, `orders with an exception`; as a predicate: `are late`. */
const COUNTED: Readonly<Record<string, readonly [of: (group: string) => string, are: string]>> = {
  asked: [(group) => `requested ${group}`, "are requested"],
  declined: [(group) => `declined ${group}`, "are declined"],
  completed: [(group) => `completed ${group}`, "complete"],
  canceled: [(group) => `canceled ${group}`, "are canceled"],
  late: [(group) => `late ${group}`, "are late"],
  troubled: [(group) => `${group} with an exception`, "have an exception"],
  unpaid: [(group) => `${group} with a declined fee`, "have a declined fee"],
  failed: [(group) => `failed ${group}`, "fail"],
}

const USES: Readonly<Record<string, (resource: string) => string>> = {
  utilisation: (resource) => `busy share of ${resource}`,
  utilisation_peak: (resource) => `busy share of ${resource} at the peak`,
  queue_mean: (resource) => `mean queue for ${resource}`,
  queue_max: (resource) => `longest queue for ${resource}`,
  hours: (resource) => `hours of ${resource} on duty`,
}

const BOUNDS = { "<": "less than", "<=": "at most", ">": "more than", ">=": "at least" } as const

/** A promise as a sentence without an end, such as `90 of 100 reservations wait less than 8m`. */
export function promiseWords({ metric, sign, limit }: FleetPromise): string {
  const { base, part } = figureNamed(metric)
  const bound = `${BOUNDS[sign]} ${showFigure(limit, unitOf(metric))}`
  const from = metricOf(metric)?.from
  if (from?.is === "durations") {
    const { who, does } = MEASURED[from.measure]
    const all = `${who}${partWords(part)}`
    if (from.statistic === "mean") return `${all} ${does} ${bound} on average`
    if (sign.startsWith("<")) return `${ofHundred(from.statistic)} ${all} ${does} ${bound}`
  }
  const counted = countIn(base)
  if (counted === null) return `the ${figureWords(metric)} is ${bound}`
  const { group, words, isShare } = counted
  return isShare
    ? `${bound} of ${group}${partWords(part)} ${words[1]}`
    : `${bound} ${words[0](group)}${partWords(part)}`
}

/** A figure as a noun that takes an article, such as `wait of 90 of 100 reservations at north`. */
export function figureWords(metric: string): string {
  const { base, part } = figureNamed(metric)
  return `${wholeWords(base)}${partWords(part)}`
}

/** `wait of reservations`. */
export function measureWords(measure: Measure): string {
  const { who, noun } = MEASURED[measure]
  return `${noun} of ${who}`
}

function wholeWords(base: string): string {
  const from = metricOf(base)?.from
  if (from?.is === "durations") {
    const { who, noun } = MEASURED[from.measure]
    return from.statistic === "mean"
      ? `mean ${noun} of ${who}`
      : `${noun} of ${ofHundred(from.statistic)} ${who}`
  }
  const longest = isMeasure(base.replace(/_max$/, "")) ? MEASURED[base.replace(/_max$/, "") as Measure] : null
  if (longest !== null) return `longest ${longest.noun} of ${longest.who}`
  const counted = countIn(base)
  if (counted !== null) {
    const { group, words, isShare } = counted
    return `${isShare ? "share" : "number"} of ${words[0](group)}`
  }
  const [first = "", figure = ""] = base.split(".")
  if (first === "cost") return costWords(figure)
  return USES[figure]?.(first) ?? base
}

function isMeasure(name: string): name is Measure {
  return Object.hasOwn(MEASURED, name)
}

function ofHundred(statistic: Exclude<PooledStatistic, "mean">): string {
  return `${Math.round(PERCENTILES[statistic] * 100)} of 100`
}

function partWords(part: PartName | null): string {
  return part === null ? "" : ` ${partPhrase(part)}`
}

function costWords(part: string): string {
  if (part === "total") return "total cost"
  if (part === "per_order") return "cost of one completed order"
  return Object.hasOwn(COSTS, part) ? `cost of ${part === "lost" ? "lost orders" : part}` : part
}

/** Null for a figure that counts no orders. */
function countIn(base: string) {
  const [, first = "", count = "", share] = /^(\w+)\.([a-z]+?)(_share)?$/.exec(base) ?? []
  const [group, words] = [GROUPS[first], COUNTED[count]]
  return group === undefined || words === undefined ? null : { group, words, isShare: share !== undefined }
}
