/** Formats times and durations for the inspector: fixed width in columns, short elsewhere. */

import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../model/values/time.ts"

/** `00:12:31.250`, or `-00:00:01.000`: a time since the run's clock0. */
export function clockText(ms: number): string {
  const rest = Math.abs(Math.round(ms))
  const two = (value: number): string => String(value).padStart(2, "0")
  const seconds = two(Math.floor(rest / SECOND_MS) % 60)
  const thousandths = String(rest % 1000).padStart(3, "0")
  const clock = `${two(Math.floor(rest / HOUR_MS))}:${two(Math.floor(rest / MINUTE_MS) % 60)}:${seconds}.${thousandths}`
  return ms < 0 ? `-${clock}` : clock
}

/** `9m 21s`, `1h 30m`, `250ms`, `0s`: the two largest units that are not zero. */
export function durationText(ms: number): string {
  let rest = Math.abs(Math.round(ms))
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count}${unit}`)
    if (parts.length === 2) break
  }
  return `${ms < 0 ? "-" : ""}${parts.join(" ") || "0s"}`
}

const UNITS = [
  ["d", 24 * HOUR_MS],
  ["h", HOUR_MS],
  ["m", MINUTE_MS],
  ["s", SECOND_MS],
  ["ms", 1],
] as const
