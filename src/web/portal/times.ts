/** Times in words: clock times of a site, and distances from now. */

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let aheadMs = 0

/** The organization's clock of the sandbox may be ahead of the browser's; times of the page are compared with it. */
export function followClock(ms: number): void {
  // Differences of a request's duration are no move of the clock.
  aheadMs = Math.abs(ms) < 2 * SECOND_MS ? 0 : ms
}

/** The present instant of the organization. */
export function presentMs(): number {
  return Date.now() + aheadMs
}

function formatted(iso: string, zone: string | null, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat("en-GB", {
    ...options,
    ...(zone === null ? {} : { timeZone: zone }),
  }).format(new Date(iso))
}

/** `12:04:12`, in the site's time zone or the reader's. */
export function clockTime(iso: string, zone: string | null = null): string {
  return formatted(iso, zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" })
}

/** `12:04 CST`. */
export function zonedTime(iso: string, zone: string | null = null): string {
  return new Intl.DateTimeFormat("en-US", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
    ...(zone === null ? {} : { timeZone: zone }),
  }).format(new Date(iso))
}

/** `20 Nov 16:04`; a time of today has no date. */
export function dayTime(iso: string, zone: string | null = null, nowMs = presentMs()): string {
  const time = formatted(iso, zone, { hour: "2-digit", minute: "2-digit" })
  const dayOf = (at: Date): string => formatted(at.toISOString(), zone, { day: "numeric", month: "short" })
  const day = dayOf(new Date(iso))
  return day === dayOf(new Date(nowMs)) ? `today ${time}` : `${day} ${time}`
}

/** `19 s ago`, `in 4 h`. */
export function fromNow(iso: string, nowMs = presentMs()): string {
  const ms = nowMs - Date.parse(iso)
  const text = span(Math.abs(ms))
  if (Math.abs(ms) < SECOND_MS) return "now"
  return ms > 0 ? `${text} ago` : `in ${text}`
}

/** The same for what has real time also in the sandbox: keys, sessions, calls, reviews. */
export function fromRealNow(iso: string): string {
  return fromNow(iso, Date.now())
}

/** The two largest units are enough: `4 min`, `2 h`, `3 d`. */
export function span(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`
  if (ms < HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`
  if (ms < DAY_MS) return `${Math.round(ms / HOUR_MS)} h`
  return `${Math.round(ms / DAY_MS)} d`
}
