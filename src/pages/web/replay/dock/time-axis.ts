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
/** Clocks differ from UTC by a multiple of it. */
const STEP_MS_MIN = 5 * MINUTE_MS
/** px between two times. */
const APART_PX = 72

/** Whole steps of local time, also after a change of the clocks. */
export function ticksOf(
  axis: Axis,
  startMs: number,
  clock: RunClock,
): readonly { readonly ms: number; readonly text: string }[] {
  const { endMs, width } = axis
  if (endMs === 0 || width === 0) return []
  const stepMs = STEPS_MS.find((step) => xOf(axis, step) >= APART_PX) ?? 1440 * MINUTE_MS
  const ticks = []
  for (let ms = toNext(startMs, STEP_MS_MIN); ms <= endMs; ms += STEP_MS_MIN) {
    const text = clock.minute(ms)
    const [hours = 0, minutes = 0] = text.split(":").map(Number)
    if (((hours * 60 + minutes) * MINUTE_MS) % stepMs === 0) ticks.push({ ms, text })
  }
  return ticks
}

/** From an instant to the next multiple of a step. */
function toNext(ms: number, step: number): number {
  return (step - (ms % step)) % step
}
