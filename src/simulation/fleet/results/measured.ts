/** What a replication measured, as plain JSON: metrics by name, and the data of tables and pictures. */

import { MEASURES, METRICS, ORDER_GROUPS, RESOURCES, countsOf } from "../language/metrics.ts"
import type { Resource } from "../language/metrics.ts"
import { STRETCH_MS } from "../world/tally.ts"
import type { DemandTally, Tally } from "../world/tally.ts"
import { observed } from "./observed.ts"
import type { Observed } from "./observed.ts"
import { dutyByStretch, queueByStretch, resourceFigures, useByStretch } from "./resource-figures.ts"
import { spreadOf } from "./spread-figures.ts"
import type { SpreadFigures } from "./spread-figures.ts"
import { mostOf } from "./statistics.ts"

/** Numbers by name. */
export type Figures = { readonly [name: string]: number | null }

export interface Measured {
  /** One for every metric; null where it cannot be computed, such as a percentile of three values. */
  readonly figures: Figures
  readonly durations: { readonly [name: string]: SpreadFigures }
  /** The durations of each measure, so that those of several replications can be pooled. */
  readonly observed: { readonly [measure: string]: Observed }
  /** Counts by reason, code and other names. */
  readonly counts: { readonly [name: string]: number }
  /** One value for each quarter of an hour. */
  readonly series: { readonly [name: string]: readonly number[] }
  /** By the count of a product's orders: how many were requested in each quarter of an hour. */
  readonly byRequest: { readonly [count: string]: readonly number[] }
  /** By group of orders with late ones: how many were due in each quarter of an hour, also of those after the horizon. */
  readonly late: { readonly [group: string]: readonly number[] }
  /** By site and by demand; null for a model of one demand at one site, whose figures are these. */
  readonly parts: MeasuredParts | null
}

export interface MeasuredParts {
  /** In the order of the model. An order belongs to its demand, and so to its site. */
  readonly demands: readonly MeasuredDemand[]
  /** Figures of the resources of each site, without those that it does not use; empty for a model of one site. */
  readonly sites: readonly Figures[]
  /** The busy share of the resources of each site by quarter of an hour; empty for a model of one site. */
  readonly use: readonly { readonly [resource in Resource]?: readonly number[] }[]
}

/** What the orders of one demand measured. `wait` is that of their product, and so it is not repeated. */
export interface MeasuredDemand {
  readonly counts: Measured["counts"]
  readonly observed: Measured["observed"]
  /** What bins do not say of the durations of a measure. */
  readonly extremes: { readonly [measure: string]: { readonly sumMs: number; readonly mostMs: number } }
  /** How many late ones were due in each quarter of an hour; empty without any. */
  readonly late: readonly number[]
}

export function measured(tally: Tally): Measured {
  const durations: { [name: string]: SpreadFigures } = {}
  for (const name of [...tally.durations.keys()].toSorted()) {
    durations[name] = spreadOf(tally.durations.get(name) ?? [])
  }
  const counts = Object.fromEntries([...tally.counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return {
    figures: figuresOf(tally, durations, counts),
    durations,
    observed: observedOf(tally),
    counts,
    series: seriesOf(tally),
    byRequest: Object.fromEntries([...tally.askedMs].map(([name, asked]) => [name, byStretch(tally, asked)])),
    late: lateOf(tally),
    parts: partsOf(tally),
  }
}

/**
 * What is after the horizon, in an order that was requested before, has stretches after those of the measured time: no
 * new orders come then, so it says nothing about the last hour.
 */
function stretchAt({ fromMs, untilMs }: Tally, atMs: number): number {
  const stretch = Math.max(0, Math.floor((atMs - fromMs) / STRETCH_MS))
  // The last measured stretch may be shorter than the others.
  return atMs < untilMs ? stretch : Math.max(stretch, Math.ceil((untilMs - fromMs) / STRETCH_MS))
}

/** A late order counts where it was due, also after the horizon: a forecast says when, and must not say too early. */
function lateOf(tally: Tally): Measured["late"] {
  return Object.fromEntries([...tally.lateDueMs].map(([group, due]) => [group, byStretch(tally, due)]))
}

function byStretch(tally: Tally, instants: readonly number[]): readonly number[] {
  const measuredStretches = Math.max(1, Math.ceil((tally.untilMs - tally.fromMs) / STRETCH_MS))
  const stretches = instants.map((atMs) => stretchAt(tally, atMs))
  const length = stretches.reduce((most, one) => Math.max(most, one + 1), measuredStretches)
  const counts = Array.from({ length }, () => 0)
  for (const stretch of stretches) counts[stretch] = (counts[stretch] ?? 0) + 1
  return counts
}

function observedOf(tally: Tally): Measured["observed"] {
  return observedBy(tally, tally)
}

/** The durations of all orders, or of those of a demand. */
function observedBy(
  tally: Tally,
  { durations, begun }: Pick<DemandTally, "begun" | "durations">,
): Measured["observed"] {
  const made = Object.keys(MEASURES).flatMap((measure) => {
    const of = durations.get(measure)
    const begunMs = begun.get(measure)
    if (of === undefined || begunMs === undefined) return []
    return [[measure, observed(of, (at) => stretchAt(tally, begunMs[at] ?? 0))] as const]
  })
  return Object.fromEntries(made)
}

/** What the demands and the sites measured; null for a model of one demand at one site. */
function partsOf(tally: Tally): MeasuredParts | null {
  const { demands, siteLevels } = tally
  if (demands.length === 0) return null
  return {
    demands: demands.map((one) => ({
      counts: Object.fromEntries([...one.counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      observed: observedBy(tally, one),
      extremes: Object.fromEntries(
        [...one.durations]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([measure, ms]) => [measure, { sumMs: sumOf(ms), mostMs: mostOf(ms) ?? 0 }]),
      ),
      late: one.lateDueMs.length === 0 ? [] : byStretch(tally, one.lateDueMs),
    })),
    sites: siteLevels.map((levels) =>
      Object.fromEntries(resourceFigures(levels, spanOf(tally)).filter(([, value]) => value !== null)),
    ),
    use: siteLevels.map((levels) =>
      Object.fromEntries(
        RESOURCES.flatMap((resource) => {
          const use = useByStretch(levels, resource)
          return use === undefined ? [] : [[resource, use] as const]
        }),
      ),
    ),
  }
}

/** In ascending order, as the mean of all adds them up. */
function sumOf(values: readonly number[]): number {
  return Float64Array.from(values)
    .toSorted()
    .reduce((sum, one) => sum + one, 0)
}

/** Counts and shares of orders of all groups. */
export function orderFigures(
  counts: Measured["counts"],
): readonly (readonly [name: string, value: number | null])[] {
  return ORDER_GROUPS.flatMap((group) => {
    const asked = counts[`${group}.asked`] ?? 0
    return countsOf(group).flatMap(([count]) => {
      const value = counts[`${group}.${count}`] ?? 0
      return [
        [`${group}.${count}`, value],
        [`${group}.${count}_share`, asked === 0 ? null : value / asked],
      ] as const
    })
  })
}

function figuresOf(tally: Tally, durations: Measured["durations"], counts: Measured["counts"]): Figures {
  const figures: { [name: string]: number | null } = {}
  for (const name of METRICS.keys()) figures[name] = null
  for (const measure of Object.keys(MEASURES)) {
    const statistics = durations[measure] ?? spreadOf([])
    for (const [statistic, value] of Object.entries(statistics)) {
      if (statistic !== "n") figures[`${measure}_${statistic}`] = value
    }
  }
  for (const [name, value] of orderFigures(counts)) figures[name] = value
  for (const [name, value] of resourceFigures(tally.levels, spanOf(tally))) figures[name] = value
  return figures
}

/** Utilisation, queue length and count on duty of every used resource, averaged over each interval. */
function seriesOf(tally: Tally): Measured["series"] {
  const series: { [name: string]: readonly number[] } = {}
  const spanMs = spanOf(tally)
  for (const resource of RESOURCES) {
    const use = useByStretch(tally.levels, resource)
    const queue = queueByStretch(tally.levels, { resource, spanMs })
    const duty = dutyByStretch(tally.levels, { resource, spanMs })
    if (use !== undefined) series[`${resource}.utilisation`] = use
    if (queue !== undefined) series[`${resource}.queue`] = queue
    if (duty !== undefined) series[`${resource}.duty`] = duty
  }
  return series
}

function spanOf({ fromMs, untilMs }: Tally): number {
  return untilMs - fromMs
}
