/** Durations by the day and the hour in which they began, for a map of a run of several days. */

import { PERCENTILES } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { timePartsOf } from "../language/time-parts.ts"
import type { TimePart } from "../language/time-parts.ts"
import type { ShownMeasure } from "./by-hour.ts"
import { NOTHING_OBSERVED, splitBy } from "./observed.ts"
import { Pool } from "./percentile.ts"
import type { Estimate } from "./statistics.ts"
import type { CaseResult } from "./summary.ts"
import { quarterNames } from "./time-sample.ts"

export interface DayOfHours {
  readonly day: TimePart
  readonly hours: readonly HourCell[]
}

export interface HourCell {
  /** `12:00`. */
  readonly hour: string
  /** False for an hour that the day does not have in the run. */
  readonly isInRun: boolean
  readonly waits: number
  /** The percentile that is shown; its value is null where too few were seen. */
  readonly upper: Estimate
}

/** Every day with the same hours, from the first to the last in which some wait began; empty for a run of one day. */
export function waitsByDayAndHour(
  { measure, high }: ShownMeasure,
  { model, one }: { readonly model: FleetModel; readonly one: CaseResult },
): readonly DayOfHours[] {
  const days = timePartsOf(model, "day")
  if (days.length < 2) return []
  const names = quarterNames(model)
  const keys = names.map(({ day, hour }) => `${day} ${hour}`)
  const inRun = new Set(keys)
  const split = one.replications.map(({ observed }) =>
    splitBy(observed[measure] ?? NOTHING_OBSERVED, (stretch) => keys[stretch]),
  )
  const hours = hoursOf(
    names,
    split.flatMap((all) => [...all.keys()]),
  )
  return days.map((day) => ({
    day,
    hours: hours.map((hour) => {
      const key = `${day.name} ${hour}`
      const pool = new Pool(split.map((all) => all.get(key) ?? NOTHING_OBSERVED))
      const upper = pool.percentile(PERCENTILES[high])
      return { hour, isInRun: inRun.has(key), waits: pool.total, upper }
    }),
  }))
}

/** `keys`: days with their hours in which a wait began. */
function hoursOf(names: ReturnType<typeof quarterNames>, keys: readonly string[]): readonly string[] {
  const seen = new Set(keys.map((key) => key.split(" ")[1]))
  const all = [...new Set(names.map(({ hour }) => hour))].toSorted()
  const [first, last] = [all.findIndex((hour) => seen.has(hour)), all.findLastIndex((hour) => seen.has(hour))]
  return first === -1 ? [] : all.slice(first, last + 1)
}
