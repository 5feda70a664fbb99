/** The site's clock in a scenario: its times to instants and back, counted from the scenario's own day. */

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../model/time.ts"
import type { EpochMs } from "../../model/time.ts"
import type { TimeRef } from "./language.ts"
import { instantOf, midnightOf, wallClockAt, wallClockOf } from "../../model/local-time.ts"
import type { WallClockMs } from "../../model/local-time.ts"

export class SiteClock {
  readonly startMs: EpochMs
  readonly #timeZone: string
  readonly #midnight: WallClockMs

  /** The reader has checked both: `YYYY-MM-DDTHH:mm[:ss]` that the zone's wall really shows. */
  constructor(local: string, timeZone: string) {
    const wall = wallClockOf(local) ?? 0
    this.#timeZone = timeZone
    this.#midnight = midnightOf(wall)
    this.startMs = this.#instant(wall)
  }

  /** Offsets count from `nowMs`; a clock time is on the scenario's day, or days from it. */
  resolve(time: TimeRef, nowMs: EpochMs): EpochMs {
    return time.type === "offset"
      ? nowMs + time.ms
      : this.#instant(this.#midnight + time.dayOffset * DAY_MS + time.msOfDay)
  }

  /** `12:05`, with seconds and milliseconds only where they are not zero; `+1d 09:00` on another day. */
  show(instantMs: EpochMs): string {
    const wall = wallClockAt(instantMs, this.#timeZone)
    const days = Math.round((midnightOf(wall) - this.#midnight) / DAY_MS)
    const clock = new Date(wall).toISOString().slice(11, 23)
    const short = clock.endsWith(":00.000") ? clock.slice(0, 5) : clock.replace(/\.000$/, "")
    return days === 0 ? short : `${days > 0 ? "+" : ""}${days}d ${short}`
  }

  /** A time that the clocks leave out counts as an hour later, as people read it. */
  #instant(wall: WallClockMs): EpochMs {
    return instantOf(wall, this.#timeZone) ?? instantOf(wall + HOUR_MS, this.#timeZone) ?? wall
  }
}

const UNITS = [
  ["d", DAY_MS],
  ["h", HOUR_MS],
  ["m", MINUTE_MS],
  ["s", SECOND_MS],
  ["ms", 1],
] as const

/** `12m`, `1h 30m`, `5s`, `250ms`: a duration as people say it. */
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
