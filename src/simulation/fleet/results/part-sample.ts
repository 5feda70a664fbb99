/** What a replication measured at one site, or of one demand: the same figures as those of the whole model. */

import { METRICS } from "../language/metrics.ts"
import type { Part } from "../language/parts.ts"
import type { Sample } from "./estimates.ts"
import { orderFigures } from "./measured.ts"
import type { Figures, MeasuredDemand } from "./measured.ts"
import { merged } from "./observed.ts"
import type { Observed } from "./observed.ts"
import { spreadOfObserved } from "./spread-figures.ts"
import type { SpreadFigures } from "./spread-figures.ts"

/** The waits of a product, which are also waits of all products together. */
const WAITS = new Set(["reservations.wait", "deliveries.wait", "errands.wait"])

export function partSample(one: Sample, { siteNumber, demandNumbers }: Part): Sample {
  const parts = one.parts ?? null
  // A model of one demand at one site, or the only site of a model.
  if (parts === null || (siteNumber !== null && parts.sites.length === 0)) return one
  const demands = demandNumbers.flatMap((at) => parts.demands[at] ?? [])
  const observed = observedOf(demands)
  const durations = durationsOf(demands, observed)
  const figures: { [name: string]: number | null } = {}
  for (const name of METRICS.keys()) figures[name] = null
  for (const [name, value] of orderFigures(withOrders(demands.map(({ counts }) => counts))))
    figures[name] = value
  for (const [measure, spread] of Object.entries(durations)) {
    for (const [statistic, value] of Object.entries(spread)) {
      if (statistic !== "n") figures[`${measure}_${statistic}`] = value
    }
  }
  const resources: Figures = siteNumber === null ? {} : (parts.sites[siteNumber] ?? {})
  return { figures: { ...figures, ...resources }, durations, observed }
}

/** The sums of counts by product, and those of all products. */
export function withOrders(all: readonly MeasuredDemand["counts"][]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const own of all) {
    for (const [name, count] of Object.entries(own)) {
      const whole = name.replace(/^\w+/, "orders")
      counts[name] = (counts[name] ?? 0) + count
      counts[whole] = (counts[whole] ?? 0) + count
    }
  }
  return counts
}

function observedOf(demands: readonly MeasuredDemand[]): { readonly [measure: string]: Observed } {
  const all = new Map<string, Observed[]>()
  const add = (measure: string, seen: Observed): void => {
    const known = all.get(measure)
    if (known === undefined) all.set(measure, [seen])
    else known.push(seen)
  }
  for (const { observed } of demands) {
    for (const [measure, seen] of Object.entries(observed)) {
      add(measure, seen)
      if (WAITS.has(measure)) add("wait", seen)
    }
  }
  return Object.fromEntries([...all].map(([measure, seen]) => [measure, merged(seen)]))
}

function durationsOf(
  demands: readonly MeasuredDemand[],
  observed: { readonly [measure: string]: Observed },
): { readonly [measure: string]: SpreadFigures } {
  const sums = new Map<string, { sumMs: number; mostMs: number }>()
  const add = (measure: string, { sumMs, mostMs }: { sumMs: number; mostMs: number }): void => {
    const known = sums.get(measure) ?? { sumMs: 0, mostMs: 0 }
    sums.set(measure, { sumMs: known.sumMs + sumMs, mostMs: Math.max(known.mostMs, mostMs) })
  }
  for (const { extremes } of demands) {
    for (const [measure, one] of Object.entries(extremes)) {
      add(measure, one)
      if (WAITS.has(measure)) add("wait", one)
    }
  }
  return Object.fromEntries(
    Object.entries(observed).map(([measure, seen]) => [
      measure,
      spreadOfObserved(seen, sums.get(measure) ?? { sumMs: 0, mostMs: 0 }),
    ]),
  )
}
