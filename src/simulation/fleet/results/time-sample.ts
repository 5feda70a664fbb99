/**
 * What a replication measured on one day, weekday or hour. Durations are those that began then, orders those that were requested then. What
 * began after the horizon, when no new orders come, belongs to no day.
 */

import { HOUR_MS } from "../../../model/values/time.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import { METRICS, RESOURCES } from "../language/metrics.ts"
import type { Resource } from "../language/metrics.ts"
import { timeNamesAt } from "../language/time-parts.ts"
import type { TimePart, Timed } from "../language/time-parts.ts"
import { STRETCH_MS } from "../world/tally.ts"
import type { Sample } from "./estimates.ts"
import { orderFigures } from "./measured.ts"
import type { Figures } from "./measured.ts"
import { msOfBin, within } from "./observed.ts"
import type { Observed } from "./observed.ts"
import { withOrders } from "./part-sample.ts"
import { lengthOf } from "./resource-figures.ts"
import { spreadOfObserved } from "./spread-figures.ts"
import type { SpreadFigures } from "./spread-figures.ts"

/** The names of the day, the weekday and the hour of each measured quarter of an hour. */
export function quarterNames({
  clock,
  horizon,
  warm_up: warmUp,
}: Timed): readonly ReturnType<typeof timeNamesAt>[] {
  const fromMs = new SiteClock(clock).startMs + warmUp
  return Array.from({ length: Math.ceil((horizon - warmUp) / STRETCH_MS) }, (_, stretch) =>
    timeNamesAt(fromMs + stretch * STRETCH_MS, clock.timeZone),
  )
}

/** Whether a quarter of an hour belongs to a part of the run. */
export function isInPart(
  names: ReturnType<typeof quarterNames>,
  { kind, name }: TimePart,
): (stretch: number) => boolean {
  return (stretch) => names[stretch]?.[kind] === name
}

/** `spanMs`: the length of the measured time. Costs and the longest queue have no day. */
export function timeSample(one: Sample, isIn: (stretch: number) => boolean, spanMs: number): Sample {
  const observed = Object.fromEntries(
    Object.entries(one.observed).map(([measure, all]) => [measure, within(all, isIn)] as const),
  )
  const durations = Object.fromEntries(
    Object.entries(observed).map(([measure, seen]) => [measure, spreadOf(seen)] as const),
  )
  const figures: { [name: string]: number | null } = {}
  for (const name of METRICS.keys()) figures[name] = null
  for (const [measure, spread] of Object.entries(durations)) {
    for (const [statistic, value] of Object.entries(spread)) {
      if (statistic !== "n") figures[`${measure}_${statistic}`] = value
    }
  }
  const counts = Object.fromEntries(
    Object.entries(one.byRequest ?? {}).map(([name, asked]) => [name, sumOf(asked, isIn)] as const),
  )
  for (const [name, value] of orderFigures(withOrders([counts]))) figures[name] = value
  for (const resource of RESOURCES) Object.assign(figures, resourceFigures(one, { resource, isIn, spanMs }))
  return { observed, durations, figures }
}

function sumOf(values: readonly number[], isIn: (stretch: number) => boolean): number {
  return values.reduce((sum, value, stretch) => (isIn(stretch) ? sum + value : sum), 0)
}

/** The mean and the maximum are as exact as the bins. */
function spreadOf(seen: Observed): SpreadFigures {
  const sumMs = seen.bin.reduce((sum, bin, at) => sum + msOfBin(bin) * (seen.count[at] ?? 0), 0)
  const mostMs = seen.bin.reduce((most, bin) => Math.max(most, msOfBin(bin)), 0)
  return spreadOfObserved(seen, { sumMs, mostMs })
}

interface OfResource {
  readonly resource: Resource
  readonly isIn: (stretch: number) => boolean
  readonly spanMs: number
}

function resourceFigures({ series = {} }: Sample, { resource, isIn, spanMs }: OfResource): Figures {
  const [duty, used, queue] = ["duty", "utilisation", "queue"].map((what) => series[`${resource}.${what}`])
  if (duty === undefined || used === undefined) return {}
  let [allMs, dutyMs, busyMs, queueMs, peak] = [0, 0, 0, 0, 0]
  for (const [stretch, on] of duty.entries()) {
    if (!isIn(stretch)) continue
    const ms = lengthOf(stretch, spanMs)
    const share = used[stretch] ?? 0
    allMs += ms
    dutyMs += on * ms
    busyMs += on * share * ms
    queueMs += (queue?.[stretch] ?? 0) * ms
    peak = Math.max(peak, share)
  }
  return {
    [`${resource}.utilisation`]: dutyMs === 0 ? null : busyMs / dutyMs,
    [`${resource}.utilisation_peak`]: dutyMs === 0 ? null : peak,
    [`${resource}.queue_mean`]: allMs === 0 ? null : queueMs / allMs,
    [`${resource}.hours`]: dutyMs / HOUR_MS,
  }
}
