/** Waits by the hour of the day in which they began, and the orders that a model expects by the hour. */

import { wallClockAt } from "../../../model/values/local-time.ts"
import { DAY_MS, HOUR_MS } from "../../../model/values/time.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import { PERCENTILES, figureNamed, metricOf } from "../language/metrics.ts"
import type { Measure, Percentile, PooledStatistic } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { NOTHING_OBSERVED, within } from "./observed.ts"
import { shownTime } from "./shown-time.ts"
import { Pool } from "./percentile.ts"
import type { Estimate } from "./statistics.ts"
import { stretchesOf } from "./summary.ts"
import type { CaseResult } from "./summary.ts"

export interface HourOfWaits {
  /** `13:00`; `after 15:00` for what began when no new orders came any more. */
  readonly hour: string
  readonly isAfterHorizon: boolean
  readonly waits: number
  readonly median: Estimate
  /** The percentile that is shown beside it. */
  readonly upper: Estimate
}

/** The durations that are shown over the day, and what was promised of them. */
export interface ShownMeasure {
  readonly measure: Measure
  /** The percentile beside the median: the promised one, or p95. */
  readonly high: Percentile
  readonly limit: { readonly ms: number; readonly of: PooledStatistic } | null
}

/**
 * Of the first promise that is about a duration, if possible of the whole model; without one, the waits of all products. The
 * limit of a site or a demand is none of the whole.
 */
export function shownMeasure({ promises }: Pick<FleetModel, "promises">): ShownMeasure {
  const isWhole = ({ metric }: { readonly metric: string }): boolean => figureNamed(metric).part === null
  const wholeFirst = promises.toSorted((one, other) => Number(isWhole(other)) - Number(isWhole(one)))
  for (const promise of wholeFirst) {
    const from = metricOf(promise.metric)?.from
    if (from?.is !== "durations") continue
    const { measure, statistic } = from
    const high = statistic === "mean" || statistic === "p50" ? "p95" : statistic
    return { measure, high, limit: isWhole(promise) ? { ms: promise.limit, of: statistic } : null }
  }
  return { measure: "wait", high: "p95", limit: null }
}

/**
 * In the order in which the hours come first; hours without waits are left out. Days of a longer run are put together.
 * The last row has what began after the horizon, which no hour of demand is like.
 */
export function waitsByHour(
  { measure, high }: ShownMeasure,
  { model, one }: { readonly model: FleetModel; readonly one: CaseResult },
): readonly HourOfWaits[] {
  const clock = new SiteClock(model.clock)
  const hourOf = (stretch: number): number => {
    const wall = wallClockAt(clock.startMs + model.warm_up + stretch * STRETCH_MS, model.clock.timeZone)
    return Math.floor((((wall % DAY_MS) + DAY_MS) % DAY_MS) / HOUR_MS)
  }
  const stretches = stretchesOf(model)
  const hours = [...new Set(Array.from({ length: stretches }, (_, stretch) => hourOf(stretch)))]
  const rowOf = (
    name: Pick<HourOfWaits, "hour" | "isAfterHorizon">,
    isIn: (stretch: number) => boolean,
  ): readonly HourOfWaits[] => {
    const pool = new Pool(
      one.replications.map(({ observed }) => within(observed[measure] ?? NOTHING_OBSERVED, isIn)),
    )
    if (pool.total === 0) return []
    const [median, upper] = [pool.percentile(0.5), pool.percentile(PERCENTILES[high])]
    return [{ ...name, waits: pool.total, median, upper }]
  }
  return [
    ...hours.flatMap((hour) =>
      rowOf(
        { hour: `${String(hour).padStart(2, "0")}:00`, isAfterHorizon: false },
        (stretch) => stretch < stretches && hourOf(stretch) === hour,
      ),
    ),
    ...rowOf(
      { hour: `after ${shownTime(model, clock.startMs + model.horizon)}`, isAfterHorizon: true },
      (stretch) => stretch >= stretches,
    ),
  ]
}
