/** Ticks of an axis of time: whole local hours, also on both sides of a change of the clocks, and days by their names. */

import { wallClockAt } from "../../../model/values/local-time.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { FleetModel } from "../language/model.ts"
import { shownDay } from "../results/shown-time.ts"

export interface HourTick {
  readonly atMs: EpochMs
  /** `12:00`; the day at its midnight where the run has several. */
  readonly text: string
}

/** Clocks differ from UTC by a whole number of these. */
const OFFSET_STEP_MS = 15 * MINUTE_MS

/** About `wanted` ticks from one instant until another. */
export function hourTicks(
  model: Pick<FleetModel, "clock" | "horizon">,
  {
    fromMs,
    untilMs,
    wanted,
  }: { readonly fromMs: EpochMs; readonly untilMs: EpochMs; readonly wanted: number },
): readonly HourTick[] {
  const { timeZone } = model.clock
  const hours = (untilMs - fromMs) / HOUR_MS
  const every =
    ([0.25, 0.5, 1, 2, 3, 6, 12, 24, 48, 168].find((one) => hours / one <= wanted) ?? 336) * HOUR_MS
  const hasDays = model.horizon > DAY_MS
  const ticks: HourTick[] = []
  const first = Math.ceil(fromMs / OFFSET_STEP_MS) * OFFSET_STEP_MS
  for (let atMs = first; atMs < untilMs; atMs += OFFSET_STEP_MS) {
    const wall = wallClockAt(atMs, timeZone)
    if (wall % every !== 0) continue
    const isDay = hasDays && wall % DAY_MS === 0
    ticks.push({ atMs, text: isDay ? shownDay(model, atMs) : new Date(wall).toISOString().slice(11, 16) })
  }
  return ticks
}
