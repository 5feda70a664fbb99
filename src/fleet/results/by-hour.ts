/** Waits by the hour of the day in which they began, and the orders that a model expects by the hour. */

import { wallClockAt } from "../../model/local-time.ts"
import { DAY_MS, HOUR_MS } from "../../model/time.ts"
import { SiteClock } from "../../simulation/scenario/site-clock.ts"
import type { FleetModel } from "../language/model.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { NOTHING_OBSERVED, within } from "./observed.ts"
import { Pool } from "./percentile.ts"
import type { Estimate } from "./statistics.ts"
import type { CaseResult } from "./summary.ts"

export interface HourOfWaits {
  /** `13:00`. */
  readonly hour: string
  readonly waits: number
  readonly p50: Estimate
  readonly p95: Estimate
}

/** In the order in which the hours come first; hours without waits are left out. Days of a longer run are put together. */
export function waitsByHour(
  measure: string,
  { model, one }: { readonly model: FleetModel; readonly one: CaseResult },
): readonly HourOfWaits[] {
  const { startMs } = new SiteClock(model.clock)
  const hourOf = (stretch: number): number => {
    const wall = wallClockAt(startMs + model.warm_up + stretch * STRETCH_MS, model.clock.timeZone)
    return Math.floor((((wall % DAY_MS) + DAY_MS) % DAY_MS) / HOUR_MS)
  }
  const stretches = Math.ceil((model.horizon - model.warm_up) / STRETCH_MS)
  const hours = [...new Set(Array.from({ length: stretches }, (_, stretch) => hourOf(stretch)))]
  return hours.flatMap((hour) => {
    const pool = new Pool(
      one.replications.map(({ observed }) =>
        within(observed[measure] ?? NOTHING_OBSERVED, (stretch) => hourOf(stretch) === hour),
      ),
    )
    if (pool.total === 0) return []
    const name = `${String(hour).padStart(2, "0")}:00`
    return [{ hour: name, waits: pool.total, p50: pool.percentile(0.5), p95: pool.percentile(0.95) }]
  })
}
