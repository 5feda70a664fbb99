/**
 * The line of time of a run. What happens together shares a moment; a pause between two moments has a width that grows with its
 * logarithm, so that an hour of quiet is not sixty times as wide as a busy minute.
 */

import { timeOfDay } from "../../inspection/shown-value.ts"
import { MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"

/** What happens within this time shares a moment: a request takes milliseconds of virtual time. */
const TOGETHER_MS = SECOND_MS

/** Widths in units; a pause of a minute is one and a half units wide. */
const PAUSE_MIN = 1
const PAUSE_MAX = 4
/** After the last moment, for the names of the states there. */
const END_WIDTH = 4

export interface Moment {
  /** Ms since the run's start. */
  readonly t: number
  /** In units from the start. */
  readonly at: number
}

export interface TimeScale {
  readonly moments: readonly Moment[]
  /** In units. */
  readonly width: number
  readonly placeOf: (t: number) => number
}

export function timeScale(times: readonly number[]): TimeScale {
  const moments: Moment[] = []
  for (const t of times.toSorted((a, b) => a - b)) {
    const last = moments.at(-1)
    if (last === undefined) moments.push({ t, at: 0 })
    else if (t - last.t >= TOGETHER_MS) moments.push({ t, at: last.at + widthOf(t - last.t) })
  }
  const width = (moments.at(-1)?.at ?? 0) + END_WIDTH
  return { moments, width, placeOf: (t) => placeIn(moments, t) }
}

function widthOf(pauseMs: number): number {
  return Math.min(PAUSE_MAX, PAUSE_MIN + Math.log2(1 + pauseMs / MINUTE_MS) / 2)
}

/** Between two moments to scale; up to a second after a moment, that moment. */
function placeIn(moments: readonly Moment[], t: number): number {
  const next = moments.findIndex((moment) => moment.t > t)
  if (next === 0) return 0
  const [before, after] = [moments[next === -1 ? moments.length - 1 : next - 1], moments[next]]
  if (before === undefined) return 0
  if (after === undefined || t - before.t < TOGETHER_MS) return before.at
  return before.at + ((t - before.t) / (after.t - before.t)) * (after.at - before.at)
}

/** `12:05`, `11:58:25` or `11:58:25.050`: the site's clock. */
export function clockOf(startMs: number, zone: string): (t: number) => string {
  return (t) => timeOfDay(startMs + t, zone).replace(/^(\d\d:\d\d):00$/, "$1")
}
