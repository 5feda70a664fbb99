/** Durations for people, in scenarios and reports. */

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"

const UNITS = [
  ["d", DAY_MS],
  ["h", HOUR_MS],
  ["m", MINUTE_MS],
  ["s", SECOND_MS],
  ["ms", 1],
] as const

/** `12m`, `1h 30m`, `5s`, `250ms`: a duration for people. */
export function showDuration(ms: number): string {
  let rest = Math.abs(ms)
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    if (count > 0) parts.push(`${count}${unit}`)
    rest -= count * size
  }
  return parts.length === 0 ? "0s" : `${ms < 0 ? "-" : ""}${parts.join(" ")}`
}
