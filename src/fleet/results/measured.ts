/** What a replication measured, as plain JSON: metrics by name, and the data of tables and pictures. */

import { HOUR_MS } from "../../model/time.ts"
import { MEASURES, METRICS, ORDER_GROUPS, RESOURCES, countsOf } from "../language/metrics.ts"
import { STRETCH_MS } from "../world/tally.ts"
import type { Tally, Traced } from "../world/tally.ts"
import { observed } from "./observed.ts"
import type { Observed } from "./observed.ts"
import { spreadOf } from "./spread-figures.ts"
import type { SpreadFigures } from "./spread-figures.ts"

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
  /** By group of orders with late ones: how many were due in each quarter of an hour, also of those after the horizon. */
  readonly late: { readonly [group: string]: readonly number[] }
  readonly traced: readonly Traced[]
}

export function measured(tally: Tally): Measured {
  const durations: { [name: string]: SpreadFigures } = {}
  for (const name of [...tally.durations.keys()].toSorted()) {
    durations[name] = spreadOf(tally.durations.get(name) ?? [])
  }
  const counts = Object.fromEntries([...tally.counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const series = seriesOf(tally)
  return {
    figures: figuresOf(tally, durations, counts, series),
    durations,
    observed: observedOf(tally),
    counts,
    series,
    late: lateOf(tally),
    traced: tally.traced,
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
  const measuredStretches = Math.max(1, Math.ceil((tally.untilMs - tally.fromMs) / STRETCH_MS))
  return Object.fromEntries(
    [...tally.lateDueMs].map(([group, due]) => {
      const stretches = due.map((dueMs) => stretchAt(tally, dueMs))
      const length = stretches.reduce((most, one) => Math.max(most, one + 1), measuredStretches)
      const counts = Array.from({ length }, () => 0)
      for (const stretch of stretches) counts[stretch] = (counts[stretch] ?? 0) + 1
      return [group, counts]
    }),
  )
}

function observedOf(tally: Tally): Measured["observed"] {
  const made = Object.keys(MEASURES).flatMap((measure) => {
    const durations = tally.durations.get(measure)
    const begun = tally.begun.get(measure)
    if (durations === undefined || begun === undefined) return []
    return [[measure, observed(durations, (at) => stretchAt(tally, begun[at] ?? 0))] as const]
  })
  return Object.fromEntries(made)
}

function figuresOf(
  tally: Tally,
  durations: Measured["durations"],
  counts: Measured["counts"],
  series: Measured["series"],
): Figures {
  const figures: { [name: string]: number | null } = {}
  for (const name of METRICS.keys()) figures[name] = null
  for (const measure of Object.keys(MEASURES)) {
    const statistics = durations[measure] ?? spreadOf([])
    for (const [statistic, value] of Object.entries(statistics)) {
      if (statistic !== "n") figures[`${measure}_${statistic}`] = value
    }
  }
  for (const group of ORDER_GROUPS) {
    const asked = counts[`${group}.asked`] ?? 0
    for (const [count] of countsOf(group)) {
      const value = counts[`${group}.${count}`] ?? 0
      figures[`${group}.${count}`] = value
      figures[`${group}.${count}_share`] = asked === 0 ? null : value / asked
    }
  }
  const spanMs = tally.untilMs - tally.fromMs
  for (const resource of RESOURCES) {
    const busyMs = areaOf(tally, `${resource}.busy`)
    const dutyMs = areaOf(tally, `${resource}.duty`)
    const shares = series[`${resource}.utilisation`] ?? []
    figures[`${resource}.utilisation`] = dutyMs === 0 ? null : busyMs / dutyMs
    figures[`${resource}.utilisation_peak`] = dutyMs === 0 ? null : Math.max(0, ...shares)
    const isUsed = dutyMs > 0 || tally.levels.has(`${resource}.queue`)
    figures[`${resource}.queue_mean`] = isUsed ? areaOf(tally, `${resource}.queue`) / spanMs : null
    figures[`${resource}.queue_max`] = isUsed ? (tally.levels.get(`${resource}.queue`)?.max ?? 0) : null
    figures[`${resource}.hours`] = isUsed ? dutyMs / HOUR_MS : null
  }
  return figures
}

function areaOf({ levels }: Tally, name: string): number {
  return (levels.get(name)?.areas ?? []).reduce((sum, area) => sum + area, 0)
}

/**
 * Utilisation and queue length of every used resource, averaged over each interval. Where some
 * wait and none is on duty, the resource has no slack: it is used to 100 %.
 */
function seriesOf(tally: Tally): Measured["series"] {
  const series: { [name: string]: readonly number[] } = {}
  const spanMs = tally.untilMs - tally.fromMs
  for (const resource of RESOURCES) {
    const duty = tally.levels.get(`${resource}.duty`)?.areas
    const busy = tally.levels.get(`${resource}.busy`)?.areas ?? []
    const queue = tally.levels.get(`${resource}.queue`)?.areas
    if (duty !== undefined) {
      series[`${resource}.utilisation`] = duty.map((area, at) =>
        area > 0 ? (busy[at] ?? 0) / area : (queue?.[at] ?? 0) > 0 ? 1 : 0,
      )
      series[`${resource}.queue`] = duty.map((_, at) => (queue?.[at] ?? 0) / lengthOf(at, spanMs))
    }
  }
  return series
}

/** The last interval may be shorter. */
function lengthOf(at: number, spanMs: number): number {
  return Math.min(STRETCH_MS, spanMs - at * STRETCH_MS)
}
