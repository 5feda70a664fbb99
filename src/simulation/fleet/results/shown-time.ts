/** Times of a run for people: the local time, with its day where the run has more than one. */

import { wallClockAt } from "../../../model/values/local-time.ts"
import { DAY_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import type { FleetModel } from "../language/model.ts"
import { WEEKDAYS, weekdayAt } from "../language/weekday.ts"

type Timed = Pick<FleetModel, "clock" | "horizon">

const WEEK_MS = 7 * DAY_MS

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const

/** `17:15`; in a run of several days, and after the first midnight, `Mon 17:15`; beyond a week `Mon 9 Mar 17:15`. */
export function shownTime(model: Timed, atMs: EpochMs): string {
  const clock = new SiteClock(model.clock)
  const shown = clock.show(atMs)
  const time = shown.replace(/^[+-]\d+d /, "")
  return time === shown && model.horizon <= DAY_MS ? time : `${shownDay(model, atMs)} ${time}`
}

/** `Mon`; of a run of more than a week `Mon 9 Mar`. */
export function shownDay(
  { clock, horizon }: { readonly clock: { readonly timeZone: string }; readonly horizon: number },
  atMs: EpochMs,
): string {
  const wall = wallClockAt(atMs, clock.timeZone)
  const weekday = WEEKDAYS[weekdayAt(wall)] ?? ""
  const date = new Date(wall)
  return horizon <= WEEK_MS ? weekday : `${weekday} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
}
