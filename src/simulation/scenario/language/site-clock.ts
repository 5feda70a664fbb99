/** The site's clock in a scenario: converts its times to instants and back, counted from the scenario's own day. */

import { DAY_MS, SECOND_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { LocalStart, TimeRef } from "./language.ts"
import { instantsOf, midnightOf, wallClockAt, wallClockOf } from "../../../model/values/local-time.ts"
import type { Occurrence, WallClockMs } from "../../../model/values/local-time.ts"

export class SiteClock {
  readonly startMs: EpochMs
  readonly #timeZone: string
  readonly #midnight: WallClockMs

  /** The reader has checked the date: `YYYY-MM-DDTHH:mm[:ss]`, a time that exists in the zone. */
  constructor({ local, timeZone, occurrence }: LocalStart) {
    const wall = wallClockOf(local) ?? 0
    this.#timeZone = timeZone
    this.#midnight = midnightOf(wall)
    this.startMs = this.#instant(wall, occurrence)
  }

  /** Offsets count from `nowMs`; a clock time is on the scenario's day, or a number of days from it. */
  resolve(time: TimeRef, nowMs: EpochMs): EpochMs {
    return time.type === "offset"
      ? nowMs + time.ms
      : this.#instant(this.#midnight + time.dayOffset * DAY_MS + time.msOfDay, time.occurrence)
  }

  /**
   * `12:05`, with seconds and milliseconds only if they are not zero; `+1d 09:00` on another day, `01:30 second` when
   * the time comes twice.
   */
  show(instantMs: EpochMs): string {
    const wall = wallClockAt(instantMs, this.#timeZone)
    const days = Math.round((midnightOf(wall) - this.#midnight) / DAY_MS)
    const clock = new Date(wall).toISOString().slice(11, 23)
    const short = clock.endsWith(":00.000") ? clock.slice(0, 5) : clock.replace(/\.000$/, "")
    const instants = instantsOf(wall, this.#timeZone)
    const which = instants.length < 2 ? "" : instants[0] === instantMs ? " first" : " second"
    return `${days === 0 ? "" : `${days > 0 ? "+" : ""}${days}d `}${short}${which}`
  }

  /** The same without the part of a second, as scenarios write times. */
  showToSecond(instantMs: EpochMs): string {
    return this.show(Math.floor(instantMs / SECOND_MS) * SECOND_MS)
  }

  /** The reader refuses a time that the clocks skip, and one that comes twice without saying which. */
  #instant(wall: WallClockMs, occurrence: Occurrence | undefined): EpochMs {
    const [first, second] = instantsOf(wall, this.#timeZone)
    const instant = occurrence === "second" ? second : first
    if (instant !== undefined) return instant
    throw new RangeError(`${new Date(wall).toISOString().slice(0, 19)} does not exist in ${this.#timeZone}`)
  }
}
