/** The time line that ribbon, charts and lanes share: instants to px, and the times that are written above it. */

import type { RunClock } from "../seen/times.ts"

export interface Axis {
  readonly endMs: number
  /** px */
  readonly width: number
}

export function xOf({ endMs, width }: Axis, ms: number): number {
  return endMs === 0 ? 0 : (ms / endMs) * width
}

export function msOfX({ endMs, width }: Axis, x: number): number {
  return width === 0 ? 0 : Math.min(endMs, Math.max(0, (x / width) * endMs))
}

const MINUTE_MS = 60_000
const STEPS_MS = [5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS)
/** px between two times. */
const APART_PX = 72

/** Whole steps of local time; none so near to the end that it would be cut. */
export function ticksOf(
  axis: Axis,
  startMs: number,
  clock: RunClock,
): readonly { readonly ms: number; readonly text: string }[] {
  const { endMs, width } = axis
  if (endMs === 0 || width === 0) return []
  const stepMs = STEPS_MS.find((step) => xOf(axis, step) >= APART_PX) ?? 1440 * MINUTE_MS
  // Local midnight by the clock of the first instant: a day on which clocks change is not seen.
  const [hours = 0, minutes = 0, seconds = 0] = clock.second(0).split(":").map(Number)
  const sinceMidnightMs = ((hours * 60 + minutes) * 60 + seconds) * 1000 + (startMs % 1000)
  const first = (stepMs - (sinceMidnightMs % stepMs)) % stepMs
  const ticks = []
  for (let ms = first; ms <= endMs; ms += stepMs) ticks.push({ ms, text: clock.minute(ms) })
  return ticks
}
