/** Times as people at a place read them. */

import type { EpochMs } from "./time.ts"

export interface Times {
  /** Such as `12:05 PM`. */
  readonly time: (atMs: EpochMs) => string
  /** Such as `12:05 to 12:18 PM`. */
  readonly range: (fromMs: EpochMs, toMs: EpochMs) => string
  /** Such as `Mar 2, 12:05 PM CST`. */
  readonly date: (atMs: EpochMs) => string
}

const known = new Map<string, Times>()

/** Times of one zone; a site's zone was checked when the site was made. */
export function timesIn(timeZone: string): Times {
  const found = known.get(timeZone) ?? makeTimes(timeZone)
  known.set(timeZone, found)
  return found
}

function makeTimes(timeZone: string): Times {
  const short = new Intl.DateTimeFormat("en-US", { timeZone, hour: "numeric", minute: "2-digit" })
  const full = new Intl.DateTimeFormat("en-US", {
    timeZone,
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
  })
  // The library puts a narrow space before AM and PM, which not every reader shows.
  const time = (atMs: EpochMs): string => short.format(atMs).replaceAll("\u202F", " ")
  return {
    time,
    date: (atMs) => full.format(atMs).replaceAll("\u202F", " "),
    range: (fromMs, toMs) => {
      const [from, to] = [time(fromMs), time(toMs)]
      if (from === to) return from
      return from.slice(-2) === to.slice(-2) ? `${from.slice(0, -3)} to ${to}` : `${from} to ${to}`
    },
  }
}
